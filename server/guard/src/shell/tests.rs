//! What understanding promises of any text.

use super::*;

#[test]
fn deep_nesting_ends_in_an_answer_and_not_in_the_stack() {
    for opened in
        ["$(", "(", "`", "{ ", "\"$(", "((", "$((", "<(", "if ", "! ", "while ", "case a in ", "${x:-"]
    {
        let found = understand(&opened.repeat(100_000));
        assert_eq!(found.level, Level::RunsCode, "{opened}");
        let short = understand(&opened.repeat(16_000 / opened.len()));
        assert_ne!(short.level, Level::ReadOnly, "{opened}");
    }
}

#[test]
fn every_command_is_a_part_whatever_it_hides_in() {
    let found = understand("a | (b; c $(d)) && time e > f; bash -c 'g; h' <(i)");
    let texts: Vec<String> = found.parts.iter().map(Part::text).collect();
    for part in ["a", "b", "c $(d)", "d", "e", "> f", "g", "h", "i"] {
        assert!(texts.iter().any(|text| text == part), "{part} in {texts:?}");
    }
}

#[test]
fn hosts_and_written_paths_are_named() {
    let found = understand("curl https://Example.com/x > out; git push git@host.org:a; cp a b");
    assert_eq!(found.hosts(), ["example.com", "host.org"]);
    assert_eq!(found.writes(), ["out", "b"]);
    assert!(found.is_complete());
    assert!(!understand("echo $((x))").is_complete());
}
