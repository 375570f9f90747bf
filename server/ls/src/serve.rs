//! Serves one editor on stdin and stdout, to the end of one of them.

use std::path::Path;
use std::process::ExitCode;
use std::sync::Arc;

use swarm_store::Root;
use tokio::time::timeout;

use crate::environment::Environment;
use crate::exit::{self, DRAIN, Exit, TEAM_END};
use crate::ingress::frames;
use crate::ingress::stdout::Stdout;
use crate::lsp::Transport;
use crate::server;
use crate::session::Session;
use crate::timeline::Timeline;
use crate::trace;

/// How many requests run at once: none waits, so as many as come.
const CONCURRENCY: usize = 1 << 20;
/// Bytes between the frame reader and the library.
const PIPE: usize = 64 << 10;

/// Runs the server. Ends the process itself, since a blocked read of stdin would hold up a return.
pub(crate) fn stdio(trace_out: Option<&Path>) -> ExitCode {
    let timeline = match trace_out.map(Timeline::create).transpose() {
        Ok(timeline) => timeline,
        Err(error) => {
            eprintln!("swarm-ls: no trace can be written: {error}");
            return ExitCode::FAILURE;
        }
    };
    let environment = Environment::read();
    let runtime = match tokio::runtime::Runtime::new() {
        Ok(runtime) => runtime,
        Err(error) => {
            eprintln!("swarm-ls: the runtime cannot start: {error}");
            return ExitCode::FAILURE;
        }
    };
    let code = runtime.block_on(serve(environment, timeline));
    exit::end(code)
}

async fn serve(environment: Environment, timeline: Option<Timeline>) -> u8 {
    let exit = Exit::new();
    let session = Arc::new(Session::new(exit.clone(), environment, timeline));
    exit::watch_signals(exit.clone());
    let root = Root::from_env().ok().filter(|root| root.prepare().is_ok());
    trace::start(root.as_ref(), session.environment.log_level, session.proxy.clone());
    let (service, outbound) = server::service(session.clone());
    let (library, read) = tokio::io::duplex(PIPE);
    session.tasks.spawn("stdin", frames::pump(tokio::io::stdin(), library, exit.clone()));
    let stdout = Stdout::new(tokio::io::stdout(), exit.clone());
    let transport = Transport::new(read, stdout, outbound).concurrency_level(CONCURRENCY);
    let mut serving = tokio::spawn(transport.serve(service));

    tokio::select! {
        ending = exit.begun() => {
            tracing::info!(?ending, "ending");
            // The library stops by itself once it has answered what came before the end.
            let _ = timeout(DRAIN, &mut serving).await;
        }
        ended = &mut serving => tracing::error!(?ended, "the transport ended"),
    }
    if let Ok(leader) = session.leader()
        && timeout(TEAM_END, leader.shutdown()).await.is_err()
    {
        tracing::error!("the team did not end in time");
    }
    let _ = timeout(DRAIN, session.recording.ended()).await;
    session.tasks.end();
    session.pages.clear();
    exit.code()
}
