//! What a person reads about a permission request, the same on every surface.

use serde_json::{Value, json};
use swarm_guard::shown;
use swarm_wire::lsp::PlanRequest;
use swarm_wire::permission::{Level, PermissionRequest, RuleUpdate, Scope};
use swarm_wire::team::Spending;

/// Who wants what, in a line.
pub(crate) fn wish(request: &PermissionRequest) -> String {
    let what = shown(&request.description);
    format!("{} asks: {what} ({})", request.worker_name, level(request.level))
}

/// Who wants what, with the whole of what would be run.
pub(crate) fn question(request: &PermissionRequest) -> String {
    let mut text = wish(request);
    if !request.why.is_empty() {
        text.push_str(&format!("; {}", shown(&request.why)));
    }
    if let Some(detail) = detail(request)
        && !request.description.contains(&detail)
    {
        text.push_str("\n\n");
        text.push_str(&shown(&detail));
    }
    text
}

/// Who wants to go to work, in a line.
pub(crate) fn plan_wish(plan: &PlanRequest) -> String {
    format!("{} has a plan and asks to go to work", plan.name)
}

/// The same with the plan.
pub(crate) fn plan_question(plan: &PlanRequest) -> String {
    format!("{}\n\n{}", plan_wish(plan), shown(&plan.plan))
}

/// What can be done about a plan: title, command and its argument.
pub(crate) fn plan_deeds(plan: &PlanRequest) -> Vec<(String, &'static str, Value)> {
    let id = &plan.id;
    [
        ("approve the plan", "swarm.plan.approve", json!({ "id": id })),
        ("approve the plan, and its edits", "swarm.plan.approve", json!({ "id": id, "mode": "acceptEdits" })),
        ("reject the plan", "swarm.plan.reject", json!({ "id": id })),
        ("reject the plan with feedback", "swarm.plan.reject", json!({ "id": id, "ask": true })),
        ("show the plan", "swarm.diff", json!({ "id": id })),
    ]
    .into_iter()
    .map(|(deed, command, argument)| (format!("{}: {deed}", plan.name), command, argument))
    .collect()
}

/// A title of something that can be done about a request, led by the worker's name.
pub(crate) fn title(request: &PermissionRequest, deed: &str) -> String {
    format!("{}: {}", request.worker_name, shown(deed))
}

/// What a suggested rule is called where it can be chosen.
pub(crate) fn always(rule: &RuleUpdate) -> String {
    let scope = match rule.scope {
        Scope::Session => "while it lives",
        Scope::Team => "in this team",
        Scope::Project => "in this project",
        Scope::User => "everywhere",
    };
    format!("allow always {} {scope}", rule.rules.join(", "))
}

/// What answering a batch is called.
pub(crate) fn all(count: usize) -> String {
    format!("allow all {count} like it")
}

pub(crate) fn level(level: Level) -> &'static str {
    match level {
        Level::ReadOnly => "reads",
        Level::ChangesFiles => "changes files",
        Level::RunsCode => "runs code",
        Level::LeavesMachine => "leaves the machine",
        Level::Destroys => "destroys",
    }
}

/// What was spent, in a line: tokens, and dollars where prices were known.
pub(crate) fn spent(spent: &Spending) -> String {
    let Spending { input, output, cached, cost, .. } = spent;
    let cost = cost.map(|cost| format!(", ${cost:.4}")).unwrap_or_default();
    format!("{input} tokens in, {cached} from the cache, {output} out{cost}")
}

/// The command as a whole, or the input where the call is no command and no edit.
fn detail(request: &PermissionRequest) -> Option<String> {
    if let Some(command) = request.input.get("command").and_then(Value::as_str) {
        return Some(command.to_owned());
    }
    if request.change.is_some() || request.input.as_object().is_none_or(|input| input.is_empty()) {
        return None;
    }
    serde_json::to_string_pretty(&request.input).ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_cannot_be_seen_is_spelled_out() {
        assert_eq!(
            shown("rm \u{202e}x\u{1b}[2K\r\nsafe\tü 名"),
            "rm ⟨U+202E⟩x⟨U+001B⟩[2K⟨U+000D⟩\nsafe⇥ü 名"
        );
    }
}
