//! Plays a script: whose request it is, and which step comes next. Knows no HTTP.

use std::collections::{BTreeMap, VecDeque};
use std::sync::{Mutex, PoisonError};

use serde_json::Value;

use crate::format::Asked;
use crate::script::{Call, ReplyPart, Script, Step, WhenDone};

#[derive(Debug)]
pub(crate) struct Player {
    queues: Mutex<BTreeMap<String, VecDeque<Step>>>,
    variables: BTreeMap<String, String>,
    marker: String,
    when_done: WhenDone,
    pub(crate) models: Vec<String>,
}

/// Why there is no step for a request.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum NoStep {
    /// The request is not the one that the step expects; the step stays.
    Unexpected(String),
    UsedUp(String),
}

impl Player {
    pub(crate) fn new(script: Script) -> Self {
        let Script { agents, variables, marker, when_done, models, forget_bodies: _ } = script;
        let queue = |(agent, steps): (_, Vec<Step>)| (agent, steps.into());
        Self {
            queues: Mutex::new(agents.into_iter().map(queue).collect()),
            variables,
            marker,
            when_done,
            models,
        }
    }

    /// The agent id behind the marker; empty where there is none.
    pub(crate) fn agent_of(&self, system: &str) -> String {
        let is_id = |c: char| c.is_ascii_alphanumeric() || "._-@".contains(c);
        let rest = system.split_once(&self.marker).map_or("", |(_, rest)| rest);
        let end = rest.find(|c| !is_id(c)).unwrap_or(rest.len());
        // A full stop behind the id ends the sentence.
        rest[..end].trim_end_matches('.').to_owned()
    }

    /// Takes the next step of `agent`, its variables filled in.
    pub(crate) fn next(&self, agent: &str, asked: &Asked) -> Result<Step, NoStep> {
        let mut queues = self.queues.lock().unwrap_or_else(PoisonError::into_inner);
        let name = agent.split_once('@').map_or(agent, |(name, _)| name);
        let key = [agent, name, "*"].into_iter().find(|key| queues.contains_key(*key));
        let Some(queue) = key.and_then(|key| queues.get_mut(key)) else { return self.after_last(agent) };
        let Some(step) = queue.front_mut() else { return self.after_last(agent) };
        for expected in &step.expect {
            let expected = filled(expected, &self.variables);
            if !asked.last_input.contains(&expected) {
                let message =
                    format!("expected {expected:?} in the last message, which is {:?}", asked.last_input);
                return Err(NoStep::Unexpected(message));
            }
        }
        let mut variables = self.variables.clone();
        for (name, (before, after)) in &step.capture {
            let found = asked
                .last_input
                .split_once(before.as_str())
                .and_then(|(_, rest)| rest.split_once(after.as_str()));
            variables.extend(found.map(|(value, _)| (name.clone(), value.to_owned())));
        }
        let played = filled_step(step, &variables);
        match step.times {
            Some(times) if times > 1 => step.times = Some(times - 1),
            _ => drop(queue.pop_front()),
        }
        Ok(played)
    }

    fn after_last(&self, agent: &str) -> Result<Step, NoStep> {
        match &self.when_done {
            WhenDone::Say(text) => {
                Ok(Step { reply: vec![ReplyPart::Say(filled(text, &self.variables))], ..Step::default() })
            }
            WhenDone::Fail => Err(NoStep::UsedUp(format!("the script has no more steps for {agent:?}"))),
        }
    }
}

type Variables = BTreeMap<String, String>;

fn filled_step(step: &Step, variables: &Variables) -> Step {
    let mut step = step.clone();
    for part in &mut step.reply {
        match part {
            ReplyPart::Say(text) | ReplyPart::Think(text) => *text = filled(text, variables),
            ReplyPart::Call(Call { input, .. }) => fill_value(input, variables),
            ReplyPart::Wait(_) => {}
        }
    }
    step
}

fn fill_value(value: &mut Value, variables: &Variables) {
    match value {
        Value::String(text) => *text = filled(text, variables),
        Value::Array(items) => items.iter_mut().for_each(|item| fill_value(item, variables)),
        Value::Object(fields) => fields.values_mut().for_each(|field| fill_value(field, variables)),
        _ => {}
    }
}

/// One pass, so that a value that looks like a variable stays as it is. Unknown names stay too: they are
/// a shell's business.
fn filled(text: &str, variables: &Variables) -> String {
    let mut out = String::with_capacity(text.len());
    let mut rest = text;
    while let Some((before, after)) = rest.split_once("${") {
        out.push_str(before);
        match after.split_once('}').and_then(|(name, tail)| Some((variables.get(name)?, tail))) {
            Some((value, tail)) => {
                out.push_str(value);
                rest = tail;
            }
            None => {
                out.push_str("${");
                rest = after;
            }
        }
    }
    out + rest
}

#[cfg(test)]
mod tests;
