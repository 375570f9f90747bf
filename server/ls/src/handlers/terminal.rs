//! `swarm/terminal/closed`: a terminal that the editor had opened for a teammate is gone.

use std::sync::Arc;

use swarm_wire::lsp::TerminalClosedParams;

use crate::error::Problem;
use crate::session::Session;

pub(crate) async fn closed(session: Arc<Session>, params: TerminalClosedParams) -> Result<(), Problem> {
    session.terminals.gone(&params.terminal_id, params.exit_code);
    Ok(())
}
