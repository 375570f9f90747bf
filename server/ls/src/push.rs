//! What the server says unasked. Each task follows the leader's snapshot or its events, and puts what the
//! client should see into the proxy's queue; none waits for the client to read.

mod diagnostics;
mod events;
pub(crate) mod progress;
mod questions;
mod warnings;

use std::sync::{Arc, PoisonError};

use crate::conversation;
use crate::session::Session;

/// Starts what this client can take. Called once, when `initialize` has started the team.
pub(crate) fn start(session: &Arc<Session>) {
    let Ok(started) = session.started() else { return };
    let (client, tasks) = (&started.client, &session.tasks);
    let timeline = session.timeline.lock().unwrap_or_else(PoisonError::into_inner).take();
    timeline
        .into_iter()
        .for_each(|timeline| session.recording.spawn("timeline", timeline.follow(&started.leader)));
    if client.features.events {
        tasks.spawn("events", events::follow(started.leader.events(), session.proxy.clone()));
    }
    tasks.spawn("warnings", warnings::follow(started.leader.events(), session.proxy.clone()));
    tasks.spawn("conversation", conversation::follow(session.clone()));
    tasks.spawn("diagnostics", diagnostics::follow(session.clone()));
    if !client.features.permissions {
        tasks.spawn("questions", questions::follow(session.clone()));
    }
    if client.shows_progress {
        tasks.spawn("progress", progress::follow(session.clone()));
    }
}
