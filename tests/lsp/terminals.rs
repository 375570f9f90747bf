//! A teammate's own terminal: what it shows, what its person may do there, and what nobody else may.

use serde_json::json;
use swarm_tests::script::{call, reply, say, wait};
use swarm_tests::{Caps, Editor, FakeModel, World};

use crate::backends::{ada, bash, done, ended, resolve, spawn};
use crate::{asked, played};

const TERMINAL: &str = "terminal-1";
/// The prompt while a question waits.
const ASKS: &str = "allow? y once, n, n WHY ›";

/// Ada at work in a terminal.
fn open(world: &World) -> Editor {
    let mut editor = world.editor(Caps::with_terminals());
    spawn(&mut editor, "editor-terminal");
    editor
}

/// Waits until the terminal shows all of these.
fn shows(editor: &Editor, words: &[&str]) -> String {
    editor.await_screen(TERMINAL, |screen| words.iter().all(|word| screen.contains(word)))
}

/// Types a line as a person does, who has read what is shown.
#[expect(
    clippy::disallowed_methods,
    reason = "what comes sooner than a person could have read counts as typed before"
)]
fn answers(editor: &mut Editor, line: &str) {
    shows(editor, &[ASKS]);
    std::thread::sleep(std::time::Duration::from_millis(200));
    editor.type_into(TERMINAL, line);
}

fn touches(last: &str) -> (FakeModel, World) {
    ada([reply([say("I make it."), bash("touch made")]), done().expect(last)])
}

#[test]
fn it_shows_who_is_there_what_is_said_and_done_and_what_it_took() {
    let (model, world) =
        ada([reply([say("I look around.\nAnd "), wait("more"), say("around."), bash("echo found")]), done()]);
    let mut editor = open(&world);
    shows(&editor, &["ada of team workspace", "I look around.", "And", "← team-lead@workspace: Go."]);
    model.open("more");
    assert_eq!(ended(&mut editor), "completed");
    let screen = shows(&editor, &["And around.", "▸ Run `echo found`", "✓ found …", "Done.", "ada rests · "]);
    assert!(screen.contains("tokens in") && !screen.contains("· 0 tokens in"), "{screen}");
    assert!(screen.trim_end().ends_with('›'), "{screen}");
}

#[test]
fn its_person_allows_a_call_and_the_editor_hears_who_it_was() {
    let (_model, world) = touches("exit code 0");
    let mut editor = open(&world);
    let request = asked(&mut editor);
    shows(&editor, &["? ada asks: Run `touch made`"]);
    answers(&mut editor, "y\r");
    let resolved = editor.await_event("permissionResolved");
    assert_eq!(resolved["event"]["id"], request["id"]);
    assert_eq!(resolved["event"]["allowed"], true);
    assert_eq!(resolved["event"]["resolvedBy"], "worker");
    assert_eq!(ended(&mut editor), "completed");
    assert!(world.path("made").exists());
    shows(&editor, &["✓ allowed"]);
}

#[test]
fn its_person_rejects_a_call_and_says_why() {
    let (_model, world) = touches("The user rejected this call. They said: not here");
    let mut editor = open(&world);
    asked(&mut editor);
    answers(&mut editor, "n not here\r");
    assert_eq!(ended(&mut editor), "completed");
    assert!(!world.path("made").exists());
}

#[test]
fn the_first_answer_wins_wherever_it_comes_from() {
    let (_model, world) = touches("The user rejected this call.");
    let mut editor = open(&world);
    let request = asked(&mut editor);
    shows(&editor, &[ASKS]);
    resolve(&mut editor, &request, json!({ "decision": "reject" }));
    shows(&editor, &["✗ rejected"]);
    assert_eq!(ended(&mut editor), "completed");
    editor.type_into(TERMINAL, "y\r");
    // There is no question any more, so it is a message.
    shows(&editor, &["← user: y"]);
    assert!(!world.path("made").exists());
    editor.request("swarm/interrupt", json!({ "member": "ada" }));
}

#[test]
fn what_was_typed_before_the_question_was_shown_is_no_answer() {
    let (model, world) =
        ada([reply([wait("asks"), bash("touch made")]), done().expect("The user rejected this call.")]);
    let mut editor = open(&world);
    shows(&editor, &["ada works"]);
    editor.type_into(TERMINAL, "y");
    shows(&editor, &["› y"]);
    model.open("asks");
    asked(&mut editor);
    shows(&editor, &[ASKS]);
    editor.type_into(TERMINAL, "\r");
    shows(&editor, &["that was typed before the question could be read"]);
    assert!(!world.path("made").exists());
    answers(&mut editor, "n\r");
    assert_eq!(ended(&mut editor), "completed");
}

#[test]
fn a_message_typed_there_is_the_users_and_escape_interrupts() {
    let (_model, world) = ada([reply([bash("sleep 4711")]), done().expect("Go on.")]);
    let mut editor = open(&world);
    world.wait_for_process("sleep 4711");
    editor.type_into(TERMINAL, "\x1b");
    assert_eq!(ended(&mut editor), "interrupted");
    editor.await_gone("sleep 4711");
    shows(&editor, &["the turn ended, interrupted"]);
    editor.type_into(TERMINAL, "Go on.\r");
    assert_eq!(ended(&mut editor), "completed");
    shows(&editor, &["← user: Go on.", "Done."]);
}

#[test]
fn it_is_ended_there_by_two_and_not_by_one() {
    let (_model, world) = ada([done(), done().expect("Still there?")]);
    let mut editor = open(&world);
    ended(&mut editor);
    editor.type_into(TERMINAL, "\x04");
    shows(&editor, &["end it? Ctrl-D once more"]);
    editor.type_into(TERMINAL, "Still there?\r");
    assert_eq!(ended(&mut editor), "completed");
    editor.type_into(TERMINAL, "\x04\x04");
    let end = editor.await_event("memberEnded");
    assert_eq!(end["event"]["outcome"], "completed", "{end}");
    editor.await_gone("swarm-ls teammate");
}

#[test]
fn what_a_model_or_a_command_says_moves_no_cursor_and_asks_nothing() {
    let forged = "\x1b[2J\x1b[Hallow? y once\r\u{202e}end";
    let (_model, world) =
        ada([reply([say(forged), bash("printf '\\033[2J\\033]0;own\\007'; printf 'x\\ry' >&2")]), done()]);
    let mut editor = open(&world);
    assert_eq!(ended(&mut editor), "completed");
    let screen = shows(&editor, &["⟨U+001B⟩[2J⟨U+001B⟩[Hallow? y once⟨U+000D⟩⟨U+202E⟩end", "Done."]);
    assert!(screen.contains("ada of team workspace"), "what was there before is there still: {screen}");
}

#[test]
fn a_command_of_the_teammate_types_nothing_into_its_terminal() {
    let tries =
        "echo y > /dev/tty; for t in /dev/pts/*; do echo y > $t; done; printf 'y\\n' > /proc/$PPID/fd/0";
    let (_model, world) = ada([
        reply([bash(tries)]),
        reply([call("Write", json!({ "path": "made", "content": "x" }))]).expect("exit code"),
        done().expect("rejected"),
    ]);
    let mut editor = world.editor(Caps::with_terminals());
    spawn(&mut editor, "editor-terminal");
    let tries = asked(&mut editor);
    resolve(&mut editor, &tries, json!({ "decision": "allow" }));
    let request = asked(&mut editor);
    assert_eq!(request["toolName"], "Write");
    let screen = shows(&editor, &[ASKS]);
    assert!(!screen.contains("\ny\n"), "{screen}");
    resolve(&mut editor, &request, json!({ "decision": "reject" }));
    assert_eq!(ended(&mut editor), "completed");
    assert!(!world.path("made").exists());
}

#[test]
fn a_narrow_terminal_shows_all_of_it() {
    let (_model, world) = touches("exit code 0");
    let mut editor = open(&world);
    asked(&mut editor);
    answers(&mut editor, "n this one would not be asked for, and never again");
    shows(&editor, &["never again"]);
    editor.narrow(TERMINAL, 24);
    shows(&editor, &["y/n › and never again"]);
    // All of it, and another answer.
    editor.type_into(TERMINAL, "\x15");
    editor.await_screen(TERMINAL, |screen| screen.trim_end().ends_with("y/n ›"));
    editor.type_into(TERMINAL, "y\r");
    assert_eq!(ended(&mut editor), "completed");
    let screen = shows(&editor, &["Done."]);
    assert!(screen.lines().all(|line| line.chars().count() <= 24), "{screen}");
}

#[test]
fn plans_are_for_the_leaders_editor() {
    let plan = call("ExitPlanMode", json!({ "plan": "# Plan\n\nWrite it.\n" }));
    let (_model, world) = played(swarm_tests::script::Script::new().agent("ada", [reply([plan])]));
    let mut editor = world.editor(Caps::with_terminals());
    let params =
        json!({ "name": "ada", "prompt": "Go.", "backend": "editor-terminal", "planModeRequired": true });
    editor.request("swarm/teammate/spawn", params);
    let plan = editor.await_event("planRequested");
    answers(&mut editor, "y\r");
    shows(&editor, &["is one for the leader's editor"]);
    let open = editor.request("swarm/plan/list", json!({}));
    assert_eq!(open["plans"][0]["id"], plan["event"]["plan"]["id"]);
}
