//! `initialize`: learns what the client can do and where it works, and starts the team. Never fails: what is
//! wrong is told to the user, and the rest works.

use std::path::PathBuf;
use std::sync::Arc;

use swarm_leader::{Leader, Options, Terminals};
use swarm_store::Root;

use crate::capabilities::{self, Client};
use crate::documents::canonical;
use crate::documents::editor::{Abilities, ClientEditor};
use crate::exit;
use crate::handlers::configuration;
use crate::lsp::types::{InitializeParams, InitializeResult, MessageType, ServerInfo};
use crate::push;
use crate::session::{Session, Started};

pub(crate) fn initialize(session: &Arc<Session>, params: InitializeParams) -> InitializeResult {
    let client = Client::of(&params);
    session.documents.set_encoding(client.encoding);
    if let Some(parent) = params.process_id {
        exit::watch_parent(parent, session.exit.clone());
    }
    let workspace = workspace(&params);
    let options = params.initialization_options.unwrap_or_default();
    let settings = configuration::read(session, options.clone());
    let abilities = Abilities {
        applies_edits: client.applies_edits,
        versioned: client.versioned_edits,
        answers: client.features.editor,
    };
    let editor = Arc::new(ClientEditor::new(session.documents.clone(), session.proxy.clone(), abilities));
    let environment = &session.environment;
    let machine = environment.machine();
    let settings = environment.complete(settings);
    let root = root(session);
    let leader = Leader::join(Options {
        root: root.path().to_owned(),
        workspace,
        settings,
        machine,
        editor: editor.clone(),
        terminals: client.features.terminals.then(|| session.terminals.clone() as Arc<dyn Terminals>),
        session: Default::default(),
    });
    for notice in leader.notices() {
        session.proxy.show(MessageType::WARNING, format!("swarm: {notice}"));
    }
    let result = InitializeResult {
        capabilities: capabilities::server(&client),
        server_info: Some(ServerInfo {
            name: "swarm-ls".into(),
            version: Some(env!("CARGO_PKG_VERSION").into()),
        }),
    };
    session.start(Started { leader, client, editor, root, options });
    push::start(session);
    result
}

/// The first folder that is on this machine's disk.
fn workspace(params: &InitializeParams) -> Option<PathBuf> {
    let folders = params.workspace_folders.iter().flatten().map(|folder| &folder.uri);
    let mut paths = folders.chain(&params.root_uri).filter_map(|uri| uri.to_file_path().ok());
    #[expect(deprecated, reason = "some clients send nothing newer")]
    let oldest = params.root_path.as_ref().map(PathBuf::from).filter(|path| path.is_absolute());
    paths.next().or(oldest).map(|path| canonical(&path))
}

/// The state root. One that cannot be written is reported; the team then says so at each use.
fn root(session: &Session) -> Root {
    let root = Root::from_env().unwrap_or_else(|error| {
        session.proxy.show(MessageType::ERROR, format!("swarm: no state directory: {error}"));
        Root::at(std::env::temp_dir().join("swarm"))
    });
    if let Err(error) = root.prepare() {
        session.proxy.show(MessageType::ERROR, format!("swarm: the state directory cannot be used: {error}"));
    }
    root
}
