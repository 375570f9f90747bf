//! What members spend. One whose budget is spent pauses before its next request, and the user is asked.

use std::collections::HashSet;
use std::sync::Arc;

use serde_json::{Value, json};
use swarm_agent::permission_id;
use swarm_model::Usage;
use swarm_wire::lsp::{Event as ClientEvent, Tokens};
use swarm_wire::permission::{Answer, Level, PermissionRequest};
use swarm_wire::team::Spending;
use swarm_wire::{AgentId, RequestId};
use tokio::sync::oneshot;

use super::Hub;
use crate::event::Event;
use crate::prices;

/// The tool that a question about a budget names; no model has it.
pub const BUDGET: &str = "Budget";

/// What the user grants at a time where the budget itself is nothing, in US dollars.
const LEAST_GRANT: f64 = 1.0;

/// Whose budget is meant: one member's, or that of all.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Whose {
    Member(AgentId),
    Team,
}

/// What the team spent, and who waits since a budget is spent.
#[derive(Default)]
pub(super) struct Purse {
    pub(super) team: Spending,
    waiting: Vec<(AgentId, oneshot::Sender<Result<(), String>>)>,
    /// The questions that are open.
    asked: Vec<(Whose, RequestId)>,
    /// Models without a price that the user was told of.
    unpriced: HashSet<Arc<str>>,
}

impl Purse {
    /// Whether this member pauses.
    pub(super) fn holds(&self, agent: &AgentId) -> bool {
        self.waiting.iter().any(|(waits, reply)| waits == agent && !reply.is_closed())
    }
}

/// Adds what a request took.
fn add(spending: &mut Spending, usage: Usage, cost: Option<f64>) {
    spending.input += usage.input;
    spending.output += usage.output;
    spending.cached += usage.cached;
    if let Some(cost) = cost {
        *spending.cost.get_or_insert(0.0) += cost;
    }
}

/// The tokens of it, as clients see them.
pub(super) fn tokens(spending: &Spending) -> Tokens {
    Tokens { input: spending.input, output: spending.output, cached: spending.cached }
}

impl Hub {
    /// A member's request was answered.
    pub(super) fn spent(&mut self, agent: &AgentId, model: &Arc<str>, usage: Usage) {
        let price = prices::price_of(&self.settings, model);
        let cost = price.map(|price| prices::cost(&price, usage));
        add(&mut self.purse.team, usage, cost);
        if let Some(member) = self.roster.get_mut(agent) {
            add(&mut member.spent, usage, cost);
            member.view.tokens = tokens(&member.spent);
            member.view.cost = member.spent.cost;
        }
        if cost.is_none() && self.is_metered() && self.purse.unpriced.insert(model.clone()) {
            let text = format!(
                "nobody knows what `{model}` costs, so it does not count towards the budget; say it in the setting `prices`"
            );
            self.publish(vec![ClientEvent::Warning { text }]);
        }
        self.active_changed();
    }

    /// Whether any budget holds.
    pub(super) fn is_metered(&self) -> bool {
        self.settings.budget.member.or(self.settings.budget.team).is_some()
    }

    /// A member wants to make a request: at once, or when the budget has room again.
    pub(super) async fn allow_request(&mut self, agent: AgentId, reply: oneshot::Sender<Result<(), String>>) {
        let Some(whose) = self.exceeded(&agent) else {
            // A turn that was interrupted meanwhile does not wait.
            let _ = reply.send(Ok(()));
            return;
        };
        self.purse.waiting.push((agent.clone(), reply));
        let happened = self.settle_waiting(&agent);
        self.publish(happened);
        self.ask_for_more(whose, &agent).await;
    }

    /// Lets those go on that a budget has room for now, and takes questions back that nobody waits for.
    pub(super) async fn review_budgets(&mut self) {
        let mut released = Vec::new();
        for (agent, reply) in std::mem::take(&mut self.purse.waiting) {
            if reply.is_closed() {
                continue;
            }
            if self.exceeded(&agent).is_some() {
                self.purse.waiting.push((agent, reply));
            } else {
                let _ = reply.send(Ok(()));
                released.push(agent);
            }
        }
        for agent in released {
            let happened = self.settle_waiting(&agent);
            self.publish(happened);
        }
        let needed: Vec<Whose> =
            self.purse.waiting.iter().filter_map(|(agent, _)| self.exceeded(agent)).collect();
        let (open, done): (Vec<_>, Vec<_>) =
            std::mem::take(&mut self.purse.asked).into_iter().partition(|(whose, _)| needed.contains(whose));
        self.purse.asked = open;
        for (_, id) in done {
            self.withdraw(&id).await;
        }
    }

    /// The user said whether more may be spent; nothing, when the question was taken back.
    pub(super) async fn budget_answered(&mut self, whose: Whose, allowed: Option<bool>) {
        self.purse.asked.retain(|(asked, _)| *asked != whose);
        let Some(allowed) = allowed else {
            // It went with the member that asked first; the others still wait.
            let mut others = self.purse.waiting.iter().filter(|(_, reply)| !reply.is_closed());
            let other = others.find(|(agent, _)| self.exceeded(agent).as_ref() == Some(&whose));
            if let Some(agent) = other.map(|(agent, _)| agent.clone()) {
                self.ask_for_more(whose, &agent).await;
            }
            return;
        };
        if allowed {
            self.grant(&whose);
            self.active_changed();
        } else {
            let why = self.words(&whose);
            for (agent, reply) in std::mem::take(&mut self.purse.waiting) {
                if self.exceeded(&agent).as_ref() == Some(&whose) {
                    let _ = reply.send(Err(format!("{why}, and you did not allow more")));
                } else {
                    self.purse.waiting.push((agent, reply));
                }
            }
        }
        self.review_budgets().await;
    }

    /// Room for as much again as the budget was.
    fn grant(&mut self, whose: &Whose) {
        let budget = self.budget(whose).unwrap_or_default();
        let more = if budget > 0.0 { budget } else { LEAST_GRANT };
        let spending = match whose {
            Whose::Team => Some(&mut self.purse.team),
            Whose::Member(agent) => self.roster.get_mut(agent).map(|member| &mut member.spent),
        };
        if let Some(spending) = spending {
            spending.granted = spending.cost.unwrap_or_default() - budget + more;
        }
    }

    fn budget(&self, whose: &Whose) -> Option<f64> {
        match whose {
            Whose::Team => self.settings.budget.team,
            Whose::Member(_) => self.settings.budget.member,
        }
    }

    fn spending(&self, whose: &Whose) -> Spending {
        match whose {
            Whose::Team => self.purse.team,
            Whose::Member(agent) => self.roster.get(agent).map(|member| member.spent).unwrap_or_default(),
        }
    }

    /// The budget that keeps a member from its next request.
    fn exceeded(&self, agent: &AgentId) -> Option<Whose> {
        [Whose::Member(agent.clone()), Whose::Team].into_iter().find(|whose| {
            let Spending { cost, granted, .. } = self.spending(whose);
            self.budget(whose).is_some_and(|budget| cost.unwrap_or_default() >= budget + granted)
        })
    }

    /// What was spent of what, in a sentence.
    fn words(&self, whose: &Whose) -> String {
        let Spending { cost, granted, .. } = self.spending(whose);
        let limit = self.budget(whose).unwrap_or_default() + granted;
        let who = match whose {
            Whose::Team => "the team",
            Whose::Member(agent) => agent.name.as_str(),
        };
        format!("{who} has spent ${:.4} of ${limit:.4}", cost.unwrap_or_default())
    }

    /// Asks whether more may be spent, once for each budget.
    async fn ask_for_more(&mut self, whose: Whose, agent: &AgentId) {
        if self.purse.asked.iter().any(|(asked, _)| *asked == whose) {
            return;
        }
        let spending = self.spending(&whose);
        let input = json!({ "cost": spending.cost, "tokens": tokens(&spending) });
        let id = permission_id();
        let request = PermissionRequest {
            description: format!("Go on and spend as much again: {}", self.words(&whose)),
            why: "the setting `budget` holds it; raising that lets it go on, too".to_owned(),
            level: Level::LeavesMachine,
            created_at: swarm_agent::unix_ms(),
            ..PermissionRequest::open(id.clone(), agent, BUDGET, id.as_str(), input)
        };
        self.purse.asked.push((whose.clone(), id));
        let (answer, answered) = oneshot::channel::<Answer>();
        self.timers.spawn(async move {
            // Without an answer it was taken back.
            Event::BudgetAnswered { whose, allowed: answered.await.ok().map(|answer| answer.allow) }
        });
        let as_it_stands =
            |_: &Value| Err("there is nothing to edit; set the setting `budget` instead".to_owned());
        self.asked(request, Arc::new(as_it_stands), answer).await;
    }
}
