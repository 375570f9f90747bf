//! What is made of these types for other languages: TypeScript, annotations of Lua, a JSON Schema of the settings and
//! their place in VS Code's manifest. The tests hold the files against the types, or write them.

mod lua;
mod settings;
mod shape;
mod typescript;

use std::path::{Path, PathBuf};

use self::shape::{Type, Types};
use crate::lsp;

/// Set to `write`, the tests write the files in place of comparing them.
const SWITCH: &str = "SWARM_TYPES";
const COMMAND: &str = "SWARM_TYPES=write cargo test -p swarm-wire types::";

const TYPESCRIPT: &str = "extensions/vscode/src/protocol.ts";
const LUA: &str = "extensions/nvim/lua/swarm/types.lua";
const SCHEMA: &str = "docs/settings.schema.json";
const MANIFEST: &str = "extensions/vscode/package.json";

/// All that crosses between server and editor, by name.
fn all() -> Vec<Type> {
    let written = Types::written()
        .with::<lsp::StateResult>()
        .with::<lsp::EventParams>()
        .with::<lsp::PromptResult>()
        .with::<lsp::InterruptResult>()
        .with::<lsp::TranscriptResult>()
        .with::<lsp::ConversationView>()
        .with::<lsp::ConversationListResult>()
        .with::<lsp::MessageResult>()
        .with::<lsp::StopResult>()
        .with::<lsp::TaskListResult>()
        .with::<lsp::CheckpointListResult>()
        .with::<lsp::CheckpointRestoreResult>()
        .with::<lsp::PlanListResult>()
        .with::<lsp::PermissionListResult>()
        .with::<lsp::PermissionResolveResult>()
        .with::<lsp::EditorSaveParams>()
        .with::<lsp::EditorDiagnosticsParams>()
        .with::<lsp::EditorLookUpParams>()
        .with::<lsp::TerminalOpenParams>();
    let read = Types::read()
        .with::<lsp::ClientFeatures>()
        .with::<lsp::MemberParams>()
        .with::<lsp::PromptParams>()
        .with::<lsp::TranscriptParams>()
        .with::<lsp::ConversationOpenParams>()
        .with::<lsp::ConversationRenameParams>()
        .with::<lsp::MessageParams>()
        .with::<lsp::ConfigureParams>()
        .with::<lsp::SpawnParams>()
        .with::<lsp::StopParams>()
        .with::<lsp::TeammateParams>()
        .with::<lsp::SetModesParams>()
        .with::<lsp::TeamCreateParams>()
        .with::<lsp::TeamDeleteParams>()
        .with::<lsp::TaskListParams>()
        .with::<lsp::TaskCreateParams>()
        .with::<lsp::TaskUpdateParams>()
        .with::<lsp::CheckpointListParams>()
        .with::<lsp::CheckpointRestoreParams>()
        .with::<lsp::PlanListParams>()
        .with::<lsp::PlanResolveParams>()
        .with::<lsp::PermissionListParams>()
        .with::<lsp::PermissionResolveParams>()
        .with::<lsp::EditorSaveResult>()
        .with::<lsp::EditorDiagnosticsResult>()
        .with::<lsp::EditorLookUpResult>()
        .with::<lsp::TerminalParams>()
        .with::<lsp::TerminalClosedParams>();
    let mut all = written.all();
    for one in read.all() {
        match all.iter().find(|other| other.name == one.name) {
            Some(other) => assert_eq!(*other, one, "{} is not written as it is read", one.name),
            None => all.push(one),
        }
    }
    all.sort_by(|a, b| a.name.cmp(&b.name));
    all
}

#[test]
fn the_types_of_other_languages_are_those_of_here() {
    let head = [
        "The messages of `swarm/*`, as docs/protocol.md lists them. Generated from the types of server/wire;"
            .to_owned(),
        format!("`{COMMAND}` writes it."),
    ];
    hold(TYPESCRIPT, &typescript::module(&head, &all()));
    hold(LUA, &lua::module(&head, &all()));
}

#[test]
fn the_settings_are_described_as_they_are() {
    let schema = serde_json::to_string_pretty(&settings::schema()).expect("a schema can be written");
    hold(SCHEMA, &(schema + "\n"));
    let manifest = std::fs::read_to_string(root().join(MANIFEST)).expect("the manifest is there");
    hold(MANIFEST, &settings::manifest_with(&manifest));
}

#[test]
fn every_message_is_among_the_types() {
    let names: Vec<String> = all().into_iter().map(|one| one.name).collect();
    let mut files = vec![Path::new(env!("CARGO_MANIFEST_DIR")).join("src/lsp.rs")];
    for entry in std::fs::read_dir(files[0].with_extension("")).expect("the messages have a folder") {
        files.push(entry.expect("it can be listed").path());
    }
    let mut seen = 0;
    for file in files {
        let text = std::fs::read_to_string(&file).expect("the file is there");
        let declared = text.lines().filter_map(|line| {
            let rest = line.strip_prefix("pub struct ").or(line.strip_prefix("pub enum "))?;
            rest.split([' ', '(', '<', ';']).next()
        });
        for name in declared {
            seen += 1;
            assert!(names.iter().any(|known| known == name), "list {name} in server/wire/src/types.rs");
        }
    }
    assert!(seen > 40, "only {seen} messages are declared");
}

/// Compares the file with what it should be, or makes it that.
fn hold(path: &str, text: &str) {
    let file = root().join(path);
    #[expect(clippy::disallowed_methods, reason = "this is the command that writes the files")]
    let write = std::env::var(SWITCH).is_ok_and(|value| value == "write");
    if write {
        std::fs::write(&file, text).expect("the file can be written");
        return;
    }
    let found = std::fs::read_to_string(&file).unwrap_or_default();
    let same = found.lines().zip(text.lines()).take_while(|(found, text)| found == text).count();
    assert!(
        found == text,
        "{path} differs from the types from line {} on, which should be\n  {}\n{COMMAND} writes it",
        same + 1,
        text.lines().nth(same).unwrap_or_default(),
    );
}

fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../..")
}

/// Words in lines of at most this many bytes, where no word is longer.
fn wrapped(words: &str, width: usize) -> Vec<String> {
    let mut lines: Vec<String> = Vec::new();
    for word in words.split_whitespace() {
        match lines.last_mut() {
            Some(line) if line.len() + 1 + word.len() <= width => {
                line.push(' ');
                line.push_str(word);
            }
            _ => lines.push(word.to_owned()),
        }
    }
    lines
}
