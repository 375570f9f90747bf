//! Where the server's own log goes: a file beneath the state root, and the client's log. Only what our own
//! crates say, since libraries log whole messages, and with them keys.

use std::fmt::Write as _;
use std::fs::{self, File, OpenOptions};
use std::io;
use std::os::unix::fs::OpenOptionsExt;
use std::path::Path;
use std::sync::Mutex;

use swarm_store::Root;
use tracing::field::{Field, Visit};
use tracing::{Event, Level, Subscriber};
use tracing_subscriber::filter::{LevelFilter, filter_fn};
use tracing_subscriber::layer::{Context, Layer, SubscriberExt};
use tracing_subscriber::util::SubscriberInitExt;

use crate::ingress::proxy::Proxy;
use crate::lsp::types::notification::LogMessage;
use crate::lsp::types::{LogMessageParams, MessageType};

/// A log larger than this, in bytes, is put aside when a server starts.
const MAX_LOG: u64 = 8 << 20;

/// Starts logging. Without a file that can be written there is only the client's log.
pub(crate) fn start(root: Option<&Root>, level: LevelFilter, proxy: Proxy) {
    let ours = filter_fn(|metadata| metadata.target().starts_with("swarm_"));
    let file = root.map(|root| open(&root.log_dir()));
    let (file, problem) = match file {
        Some(Ok(file)) => (Some(file), None),
        Some(Err(error)) => (None, Some(error)),
        None => (None, None),
    };
    let file =
        file.map(|file| tracing_subscriber::fmt::layer().with_ansi(false).with_writer(Mutex::new(file)));
    let started = tracing_subscriber::registry()
        .with(level)
        .with(file.with_filter(ours.clone()))
        .with(ClientLog { proxy }.with_filter(ours))
        .try_init();
    if let Err(error) = started {
        // Only a second start in one process comes here.
        tracing::warn!(%error, "logging was started already");
    }
    if let Some(error) = problem {
        tracing::warn!(%error, "there is no log file");
    }
}

/// Starts logging to the file alone, beside the server that does.
pub(crate) fn to_file(root: &Root, level: LevelFilter) {
    let Ok(file) = open(&root.log_dir()) else { return };
    let file = tracing_subscriber::fmt::layer().with_ansi(false).with_writer(Mutex::new(file));
    let ours = filter_fn(|metadata| metadata.target().starts_with("swarm_"));
    // Only a second start in one process fails.
    let _ = tracing_subscriber::registry().with(level).with(file.with_filter(ours)).try_init();
}

fn open(folder: &Path) -> io::Result<File> {
    let path = folder.join("swarm-ls.log");
    if fs::metadata(&path).is_ok_and(|metadata| metadata.len() > MAX_LOG) {
        fs::rename(&path, folder.join("swarm-ls.old.log"))?;
    }
    OpenOptions::new().create(true).append(true).mode(0o600).open(&path)
}

/// `window/logMessage` for what a person may want to know.
struct ClientLog {
    proxy: Proxy,
}

impl<S: Subscriber> Layer<S> for ClientLog {
    fn on_event(&self, event: &Event<'_>, _: Context<'_, S>) {
        let typ = match *event.metadata().level() {
            Level::ERROR => MessageType::ERROR,
            Level::WARN => MessageType::WARNING,
            Level::INFO => MessageType::INFO,
            _ => return,
        };
        let mut line = Line::default();
        event.record(&mut line);
        let message = format!("{}{}", line.message, line.fields);
        self.proxy.notify_line::<LogMessage>(LogMessageParams { typ, message });
    }
}

/// An event's message and then its fields.
#[derive(Default)]
struct Line {
    message: String,
    fields: String,
}

impl Visit for Line {
    fn record_debug(&mut self, field: &Field, value: &dyn std::fmt::Debug) {
        let written = match field.name() {
            "message" => write!(self.message, "{value:?}"),
            name => write!(self.fields, " {name}={value:?}"),
        };
        // Writing to a string does not fail.
        let _ = written;
    }
}
