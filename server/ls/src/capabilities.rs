//! What the client can do, resolved once at `initialize` and asked by name; and what the server says it can.

use serde_json::{Value, json};
use swarm_wire::lsp::{ClientFeatures, PROTOCOL_VERSION};

use crate::documents::Encoding;
use crate::handlers::execute_command::COMMANDS;
use crate::lsp::types::{
    self, CodeActionKind, CodeActionOptions, CodeActionProviderCapability, CodeLensOptions,
    ExecuteCommandOptions, InitializeParams, PositionEncodingKind, SaveOptions, ServerCapabilities,
    TextDocumentSyncCapability, TextDocumentSyncKind, TextDocumentSyncOptions, TextDocumentSyncSaveOptions,
    WorkspaceFoldersServerCapabilities, WorkspaceServerCapabilities,
};

/// The client's side, as far as anything here depends on it.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub(crate) struct Client {
    /// What it says of itself under `experimental.swarm`.
    pub(crate) features: ClientFeatures,
    pub(crate) encoding: Encoding,
    /// Takes edits with the version they were made for.
    pub(crate) versioned_edits: bool,
    pub(crate) applies_edits: bool,
    /// Takes code actions, where older clients take only commands.
    pub(crate) action_literals: bool,
    pub(crate) shows_documents: bool,
    pub(crate) shows_progress: bool,
    pub(crate) answers_configuration: bool,
    pub(crate) is_vscode: bool,
}

impl Client {
    pub(crate) fn of(params: &InitializeParams) -> Self {
        let capabilities = &params.capabilities;
        let workspace = capabilities.workspace.as_ref();
        let window = capabilities.window.as_ref();
        let edits = workspace.and_then(|workspace| workspace.workspace_edit.as_ref());
        let text = capabilities.text_document.as_ref();
        let actions = text.and_then(|text| text.code_action.as_ref());
        let name = params.client_info.as_ref().map_or("", |info| info.name.as_str());
        Self {
            features: features(capabilities.experimental.as_ref()),
            encoding: encoding(capabilities),
            versioned_edits: edits.and_then(|edits| edits.document_changes).unwrap_or(false),
            applies_edits: workspace.and_then(|workspace| workspace.apply_edit).unwrap_or(false),
            action_literals: actions.is_some_and(|actions| actions.code_action_literal_support.is_some()),
            shows_documents: window
                .and_then(|window| window.show_document.as_ref())
                .is_some_and(|show| show.support),
            shows_progress: window.and_then(|window| window.work_done_progress).unwrap_or(false),
            answers_configuration: workspace.and_then(|workspace| workspace.configuration).unwrap_or(false),
            is_vscode: name.contains("Visual Studio Code") || name.contains("VSCod") || name == "code-server",
        }
    }
}

/// The server's side, for this client.
pub(crate) fn server(client: &Client) -> ServerCapabilities {
    let sync = TextDocumentSyncOptions {
        open_close: Some(true),
        change: Some(TextDocumentSyncKind::INCREMENTAL),
        save: Some(TextDocumentSyncSaveOptions::SaveOptions(SaveOptions { include_text: Some(false) })),
        ..TextDocumentSyncOptions::default()
    };
    let folders = WorkspaceFoldersServerCapabilities { supported: Some(true), change_notifications: None };
    ServerCapabilities {
        position_encoding: Some(match client.encoding {
            Encoding::Utf8 => PositionEncodingKind::UTF8,
            Encoding::Utf16 => PositionEncodingKind::UTF16,
            Encoding::Utf32 => PositionEncodingKind::UTF32,
        }),
        text_document_sync: Some(TextDocumentSyncCapability::Options(sync)),
        code_action_provider: Some(CodeActionProviderCapability::Options(CodeActionOptions {
            code_action_kinds: Some(vec![CodeActionKind::QUICKFIX]),
            ..CodeActionOptions::default()
        })),
        code_lens_provider: Some(CodeLensOptions { resolve_provider: Some(false) }),
        execute_command_provider: Some(ExecuteCommandOptions {
            commands: COMMANDS.iter().map(|&command| command.to_owned()).collect(),
            ..ExecuteCommandOptions::default()
        }),
        workspace: Some(WorkspaceServerCapabilities {
            workspace_folders: Some(folders),
            file_operations: None,
        }),
        experimental: Some(json!({ "swarm": { "version": PROTOCOL_VERSION } })),
        ..ServerCapabilities::default()
    }
}

fn features(experimental: Option<&Value>) -> ClientFeatures {
    let swarm = experimental.and_then(|experimental| experimental.get("swarm"));
    let has = |name: &str| swarm.and_then(|swarm| swarm.get(name)).and_then(Value::as_bool).unwrap_or(false);
    ClientFeatures {
        events: has("events"),
        permissions: has("permissions"),
        terminals: has("terminals"),
        editor: has("editor"),
    }
}

/// The client's first choice, as the list is in its order of preference; without a list, or with one that
/// names nothing known first, UTF-16, which every client must know and VS Code insists on.
fn encoding(capabilities: &types::ClientCapabilities) -> Encoding {
    let offered = capabilities.general.as_ref().and_then(|general| general.position_encodings.as_deref());
    match offered {
        None | Some([]) => Encoding::Utf16,
        Some(offered) if offered.first() == Some(&PositionEncodingKind::UTF8) => Encoding::Utf8,
        Some(offered) if offered.first() == Some(&PositionEncodingKind::UTF32) => Encoding::Utf32,
        Some(_) => Encoding::Utf16,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn client(capabilities: Value) -> Client {
        Client::of(&serde_json::from_value(json!({ "capabilities": capabilities })).unwrap())
    }

    #[test]
    fn the_clients_first_choice_of_encoding_is_taken() {
        let chosen = |offered: Value| client(json!({ "general": { "positionEncodings": offered } })).encoding;
        assert_eq!(client(json!({})).encoding, Encoding::Utf16);
        assert_eq!(chosen(json!([])), Encoding::Utf16);
        assert_eq!(chosen(json!(["utf-16"])), Encoding::Utf16);
        assert_eq!(chosen(json!(["utf-8", "utf-32", "utf-16"])), Encoding::Utf8);
        assert_eq!(chosen(json!(["utf-32", "utf-8"])), Encoding::Utf32);
        assert_eq!(chosen(json!(["utf-7"])), Encoding::Utf16);
    }

    #[test]
    fn features_are_off_unless_plainly_on() {
        let features = |swarm: Value| client(json!({ "experimental": { "swarm": swarm } })).features;
        assert_eq!(features(json!("yes")), ClientFeatures::default());
        assert_eq!(features(json!({ "events": "true", "later": 1 })), ClientFeatures::default());
        assert!(features(json!({ "events": true })).events);
    }
}
