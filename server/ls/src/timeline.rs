//! `--trace-out FILE`: who of the team did what when, as a file that <https://ui.perfetto.dev> opens.
//!
//! Told by the events that clients get, so that teammates in processes of their own are in it, and nothing is paid
//! without it. It holds names, times and counts: no text, no input, no result.

mod sheet;
mod track;

use std::collections::HashMap;
use std::collections::hash_map::Entry;
use std::io;
use std::path::Path;

use serde_json::json;
use swarm_leader::{Leader, TeamEvent};
use swarm_wire::lsp::{Event, MemberView};
use swarm_wire::{AgentId, TeamName};
use tokio::sync::broadcast::error::RecvError;

use self::sheet::{Line, Sheet};
use self::track::{LINES_MAX, Span, Track};

pub(crate) struct Timeline {
    sheet: Sheet,
    teams: Vec<TeamName>,
    tracks: HashMap<AgentId, Track>,
    letters: usize,
}

impl Timeline {
    /// Makes the file.
    pub(crate) fn create(path: &Path) -> io::Result<Self> {
        let sheet = Sheet::create(path)?;
        Ok(Self { sheet, teams: Vec::new(), tracks: HashMap::new(), letters: 0 })
    }

    /// Writes what happens from now on, until the leader has ended.
    pub(crate) fn follow(mut self, leader: &Leader) -> impl Future<Output = ()> + Send + 'static {
        let (mut events, mut state) = (leader.events(), leader.watch());
        async move {
            let ended = async { while state.changed().await.is_ok() {} };
            tokio::pin!(ended);
            loop {
                let event = tokio::select! {
                    // What happened before the end is written before it.
                    biased;
                    event = events.recv() => event,
                    () = &mut ended => Err(RecvError::Closed),
                };
                let written = match event {
                    Ok(event) => self.take(event),
                    Err(RecvError::Lagged(missed)) => self.missed(missed),
                    Err(RecvError::Closed) => return self.finish(),
                };
                if let Err(error) = written {
                    eprintln!("swarm-ls: the trace ends here: {error}");
                    return;
                }
            }
        }
    }

    fn finish(&mut self) {
        if let Err(error) = self.sheet.finish() {
            eprintln!("swarm-ls: the trace has no end: {error}");
        }
    }

    /// Who began and ended what is unknown, so that nothing is held for open.
    fn missed(&mut self, count: u64) -> io::Result<()> {
        for track in self.tracks.values_mut() {
            track.end_all(&mut self.sheet, json!({ "missed": count }))?;
        }
        Ok(())
    }

    fn take(&mut self, TeamEvent { event, .. }: TeamEvent) -> io::Result<()> {
        match event {
            Event::MemberChanged { member } => self.changed(&member),
            Event::Text { member, .. } => {
                let (track, _) = self.track(&member)?;
                track.heard();
                Ok(())
            }
            Event::TurnRestarted { member, attempt, .. } => {
                let (track, sheet) = self.track(&member)?;
                track.restarted(sheet, attempt)
            }
            Event::ToolStarted { member, tool_use_id, name, .. } => {
                let (track, sheet) = self.track(&member)?;
                track.call_began(sheet, tool_use_id, &name)
            }
            Event::ToolFinished { member, tool_use_id, is_error, .. } => {
                let (track, sheet) = self.track(&member)?;
                track.call_ended(sheet, &tool_use_id, is_error)
            }
            Event::PermissionRequested { request } => {
                let (track, sheet) = self.track(&request.worker_id)?;
                track.asks(sheet, request.id, Some(&request.tool_use_id))
            }
            Event::PlanRequested { plan } => {
                let (track, sheet) = self.track(&plan.member)?;
                track.asks(sheet, plan.id, None)
            }
            Event::PermissionResolved { id, allowed, .. }
            | Event::PlanResolved { id, approved: allowed, .. } => {
                let question = Span::Question(id);
                for track in self.tracks.values_mut() {
                    track.end(&mut self.sheet, &question, json!({ "allowed": allowed }))?;
                }
                Ok(())
            }
            Event::Message { from, to, .. } => self.sent(&from, &to),
            Event::Compacted { member, before, after } => {
                let (track, sheet) = self.track(&member)?;
                track.compacted(sheet, before, after)
            }
            Event::TurnEnded { member, reason, .. } => {
                let (track, sheet) = self.track(&member)?;
                track.turn_ended(sheet, json!({ "end": reason }))
            }
            Event::MemberEnded { member, outcome, .. } => {
                let (track, sheet) = self.track(&member)?;
                track.turn_ended(sheet, json!({ "end": outcome }))?;
                sheet.instant(track.line(), "ended", json!({ "outcome": outcome }))
            }
            _ => Ok(()),
        }
    }

    fn changed(&mut self, member: &MemberView) -> io::Result<()> {
        let (track, sheet) = self.track(&member.agent_id)?;
        track.changed(sheet, member)
    }

    fn sent(&mut self, from: &str, to: &AgentId) -> io::Result<()> {
        self.letters += 1;
        let letter = self.letters;
        if let Some((_, sender)) = self.tracks.iter().find(|(agent, _)| agent.to_string() == from) {
            sender.wrote(&mut self.sheet, letter, to)?;
        }
        let (reader, sheet) = self.track(to)?;
        reader.is_written_to(sheet, letter, from)
    }

    /// The track of a member; it begins when the member is first heard of.
    fn track(&mut self, agent: &AgentId) -> io::Result<(&mut Track, &mut Sheet)> {
        let Self { sheet, teams, tracks, .. } = self;
        let pid = match teams.iter().position(|team| *team == agent.team) {
            Some(at) => at + 1,
            None => {
                teams.push(agent.team.clone());
                sheet.name_process(teams.len(), agent.team.as_str())?;
                teams.len()
            }
        };
        let first = Line { pid, tid: tracks.len() * LINES_MAX + 1 };
        let track = match tracks.entry(agent.clone()) {
            Entry::Occupied(known) => known.into_mut(),
            Entry::Vacant(new) => {
                sheet.name_line(first, agent.name.as_str())?;
                new.insert(Track::new(agent.name.as_str(), first))
            }
        };
        Ok((track, sheet))
    }
}

#[cfg(test)]
mod tests;
