//! Commands that change or remove files, and which.

use swarm_wire::permission::Level;

use super::Place;
use super::command::{Meaning, place, places};
use super::word::Word;

pub(super) fn meaning(name: &str, arguments: &[Word]) -> Option<Meaning> {
    let meaning = match name {
        "touch" | "mkdir" | "rmdir" | "tee" | "mv" | "ln" | "mkfifo" => writes(name, operands(arguments)),
        "chmod" | "chown" | "chgrp" => {
            let mut meaning = writes(name, operands(arguments).into_iter().skip(1).collect());
            if arguments.iter().any(|word| word.known().is_some_and(|option| option.starts_with("--ref"))) {
                meaning.writes.push(Place::Unknown);
            }
            meaning
        }
        "cp" => copies(arguments),
        "gzip" | "gunzip" | "bzip2" | "xz" | "zip" | "unzip" => {
            Meaning::new(Level::ChangesFiles, format!("`{name}` writes files")).writing(vec![Place::Unknown])
        }
        "tar" => tar(arguments),
        "rm" | "unlink" | "shred" | "truncate" | "srm" => destroys(name, operands(arguments)),
        "dd" => dd(arguments),
        "fdisk" | "parted" | "wipefs" | "mkswap" | "shutdown" | "reboot" | "halt" | "poweroff"
        | "crontab" | "blkdiscard" | "userdel" | "dropdb" => destroys(name, Vec::new()),
        name if name.starts_with("mkfs") => destroys(name, Vec::new()),
        _ => return None,
    };
    Some(meaning)
}

fn operands(arguments: &[Word]) -> Vec<&Word> {
    let mut behind = false;
    arguments
        .iter()
        .filter(|word| {
            let option = !behind && word.known().is_some_and(|text| text.starts_with('-') && text.len() > 1);
            behind |= word.known() == Some("--");
            !option
        })
        .collect()
}

/// The files are all operands; an option may name one more.
fn writes(name: &str, operands: Vec<&Word>) -> Meaning {
    Meaning::new(Level::ChangesFiles, format!("`{name}` changes files")).writing(places(operands))
}

fn destroys(name: &str, operands: Vec<&Word>) -> Meaning {
    Meaning::new(Level::Destroys, format!("what `{name}` does cannot be taken back"))
        .writing(places(operands))
}

/// The last operand is written; with an option beyond the usual ones, any could be.
fn copies(arguments: &[Word]) -> Meaning {
    let usual = |word: &Word| match word.known().and_then(|text| text.strip_prefix('-')) {
        Some(letters) => {
            letters.chars().all(|letter| "rRapvfniuTH-".contains(letter)) && !letters.starts_with("--")
        }
        None => !word.may_be_option(),
    };
    let mut files = operands(arguments);
    if !arguments.iter().all(usual) || files.len() < 2 {
        let mut meaning = writes("cp", files);
        meaning.writes.push(Place::Unknown);
        return meaning;
    }
    let target = files.pop().map_or(Place::Unknown, place);
    Meaning::new(Level::ChangesFiles, "`cp` changes files").writing(vec![target]).reading(places(files))
}

fn tar(arguments: &[Word]) -> Meaning {
    let runs = || Meaning::new(Level::RunsCode, "it gives `tar` an option that is not known");
    let Some(letters) = arguments.first().and_then(Word::known).map(|first| first.trim_start_matches('-'))
    else {
        return runs();
    };
    let harmless = |letters: &str| letters.chars().all(|letter| "ctxvzjJfpkaC".contains(letter));
    let others = arguments.get(1..).unwrap_or_default();
    let options_known = others.iter().all(|word| match word.known() {
        Some(option) if option.starts_with('-') => option == "-C" || option == "-f",
        Some(_) => true,
        None => !word.may_be_option(),
    });
    let modes = letters.chars().filter(|letter| matches!(letter, 'c' | 't' | 'x')).collect::<String>();
    if !harmless(letters) || !options_known || others.iter().any(|word| word.source.contains(':')) {
        return runs();
    }
    match modes.as_str() {
        "t" => Meaning::read_only().reading(places(operands(others))),
        // What an archive holds is not known, and it may hold any path.
        "c" | "x" => Meaning::new(Level::ChangesFiles, "`tar` writes files")
            .writing(vec![Place::Unknown])
            .reading(places(operands(others))),
        _ => runs(),
    }
}

fn dd(arguments: &[Word]) -> Meaning {
    let value = |key: &str| arguments.iter().filter_map(Word::known).find_map(|word| word.strip_prefix(key));
    match value("of=") {
        Some(path) => {
            let mut meaning = destroys("dd", Vec::new());
            meaning.writes.push(Place::Known(path.to_owned()));
            meaning
        }
        None if arguments.iter().all(|word| word.known().is_some()) => {
            let reads = value("if=").map(|path| Place::Known(path.to_owned()));
            Meaning::read_only().reading(reads.into_iter().collect())
        }
        None => destroys("dd", Vec::new()),
    }
}
