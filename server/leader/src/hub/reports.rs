//! What members report, and what follows from it.

use swarm_agent::Report;
use swarm_wire::AgentId;
use swarm_wire::lsp::Event as ClientEvent;

use super::Hub;

/// How many reports are taken at once at most.
pub(super) const AT_ONCE: usize = 256;

impl Hub {
    /// Takes the reports that wait. Many busy members report more than can be shown one by one, so they are shown
    /// together.
    pub(super) async fn reported(&mut self, reports: &mut Vec<(AgentId, Report)>) {
        let (mut happened, mut only_told) = (Vec::new(), true);
        for (agent, report) in reports.drain(..) {
            if leads_to_more(&report) {
                // That is seen after what came before it.
                self.show_reported(std::mem::take(&mut happened), std::mem::replace(&mut only_told, true));
                self.report(&agent, report).await;
                continue;
            }
            match &report {
                Report::TurnStarted { .. } => self.active_changed(),
                Report::Used { model, usage } => self.spent(&agent, model, *usage),
                _ => {}
            }
            only_told &= is_only_told(&report);
            happened.extend(self.roster.apply(&agent, report));
        }
        self.show_reported(happened, only_told);
    }

    /// Takes a report that leads to more than that it is shown.
    async fn report(&mut self, agent: &AgentId, report: Report) {
        if let Report::Sent { to, .. } = &report {
            self.wake(to).await;
        }
        let (rests, changed_tasks) = (matches!(report, Report::Idle), matches!(report, Report::TasksChanged));
        let (ends, only_told) = (matches!(report, Report::TurnEnded { .. }), is_only_told(&report));
        if rests || ends {
            self.active_changed();
        }
        let happened = self.roster.apply(agent, report);
        self.show_reported(happened, only_told);
        if ends {
            self.review_budgets().await;
        }
        // Whoever changes the list says so: it is read again only then.
        if changed_tasks || (rests && self.assign().await) {
            self.tasks_changed().await;
        }
    }

    fn show_reported(&self, happened: Vec<ClientEvent>, only_told: bool) {
        match (only_told, &self.team) {
            (true, Some(team)) => self.publisher.tell(&team.led.file.name, happened),
            _ => self.publish(happened),
        }
    }
}

/// Whether a report is for the hub to act on.
fn leads_to_more(report: &Report) -> bool {
    matches!(report, Report::TurnEnded { .. } | Report::Idle | Report::Sent { .. } | Report::TasksChanged)
}

/// Whether clients are told of a report and the state stays as it is.
fn is_only_told(report: &Report) -> bool {
    matches!(report, Report::Text { .. } | Report::Warned { .. } | Report::Sent { .. } | Report::Alive)
}
