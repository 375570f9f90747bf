//! Plans: a member in the mode `plan` asks to go to work, and the user decides. A plan is a question like any other,
//! kept and withdrawn with the rest; here is what differs.

use std::path::PathBuf;

use serde_json::json;
use swarm_agent::EXIT_PLAN_MODE;
use swarm_agent::ports::Editor;
use swarm_store::Draft;
use swarm_wire::RequestId;
use swarm_wire::lsp::{
    Event as ClientEvent, MemberMode, PermissionResolveResult, PlanRequest, PlanResolveParams,
    ResolveOutcome, SetModesParams,
};
use swarm_wire::mail::Protocol;
use swarm_wire::permission::{Answer, Mode, Outcome, PermissionRequest, ResolvedBy};
use swarm_wire::settings::PlanReview;

use super::Hub;
use super::members::blocking;
use crate::command::Refusal;

/// Whether a request is for a plan.
pub(crate) fn is_plan(request: &PermissionRequest) -> bool {
    request.tool_name == EXIT_PLAN_MODE
}

/// The plan that a question is about, if it is about one.
pub(crate) fn plan_of(request: &PermissionRequest) -> Option<PlanRequest> {
    if !is_plan(request) {
        return None;
    }
    let text =
        |field: &str| request.input.get(field).and_then(|text| text.as_str()).unwrap_or_default().to_owned();
    Some(PlanRequest {
        id: request.id.clone(),
        member: request.worker_id.clone(),
        name: request.worker_name.clone(),
        team: request.team_name.clone(),
        color: request.worker_color.clone(),
        plan: text("plan"),
        document: text("document"),
        created_at: request.created_at,
        reviewing: request.input.get("reviewing").is_some(),
    })
}

impl Hub {
    /// Writes a plan down, and lets the leader's agent see it first where the user wants that. Gives the question
    /// as it is kept.
    pub(super) async fn plan_presented(
        &mut self,
        mut request: PermissionRequest,
    ) -> Result<PermissionRequest, Refusal> {
        let (Some(plan), Some(team)) = (plan_of(&request), &self.team) else { return Ok(request) };
        let (dir, lead) = (team.led.dir.clone(), team.led.file.lead_agent_id.clone());
        let (name, text) = (plan.name.clone(), plan.plan.clone());
        let document = blocking(move || dir.write_plan(&name, &text)).await?;
        request.input = json!({ "plan": plan.plan, "document": document });
        let reviews = self.settings.plan_review == PlanReview::Leader && !plan.member.is_lead();
        if reviews {
            let review =
                Protocol::PlanReview { request_id: plan.id.clone(), from: plan.member, plan: plan.plan };
            let draft = Draft::protocol(&review).map_err(|error| Refusal::Failed(error.to_string()))?;
            Box::pin(self.wake(&lead)).await;
            self.send_as_user(&lead, draft).await?;
            request.input["reviewing"] = true.into();
        }
        Ok(request)
    }

    /// The leader's model looked at a plan; the text is for the model.
    pub(super) async fn review_plan(
        &mut self,
        name: &str,
        approve: bool,
        feedback: Option<String>,
    ) -> Result<String, Refusal> {
        let Some(team) = &mut self.team else { return Err(Refusal::ShuttingDown) };
        let open: Vec<PlanRequest> = team.queue.plans().into_iter().filter(|plan| plan.reviewing).collect();
        let Some(plan) = open.iter().find(|plan| plan.member.is_called(name)) else {
            let names: Vec<&str> = open.iter().map(|plan| plan.name.as_str()).collect();
            let there = if names.is_empty() { "none".to_owned() } else { names.join(", ") };
            return Err(Refusal::Unknown(format!(
                "no plan of `{name}` waits for you; plans that do: {there}"
            )));
        };
        let plan = plan.clone();
        if approve {
            let Some(shown) = team.queue.reviewed(&plan.id) else { return Err(Refusal::ShuttingDown) };
            self.publish(vec![ClientEvent::PlanRequested { plan: Box::new(shown) }]);
            return Ok(format!("The plan of {} is with the user now, who decides.", plan.name));
        }
        let said = format!("The leader looked at your plan and says: {}", feedback.unwrap_or_default());
        self.decide_plan(&plan, Answer { feedback: Some(said), ..refused() }, None).await?;
        Ok(format!("{} has your feedback and plans again.", plan.name))
    }

    /// The user decides a plan. It counts once.
    pub(super) async fn resolve_plan(
        &mut self,
        params: PlanResolveParams,
    ) -> Result<PermissionResolveResult, Refusal> {
        let PlanResolveParams { id, approve, feedback, mode, team } = params;
        self.check_team(team.as_deref())?;
        let invalid =
            |problem: &str| Err(Refusal::Invalid { field: "mode".into(), problem: problem.to_owned() });
        match mode {
            Some(_) if !approve => return invalid("goes with an approval"),
            Some(Mode::Plan) => return invalid("is `plan`, which an approval ends; name another"),
            _ => {}
        }
        let open = self.team.as_ref().and_then(|team| team.queue.plan(&id));
        let outcome = match open {
            None => self.resolve_one(&id, Answer { feedback, ..refused() }, ResolvedBy::Leader).await?,
            Some(plan) if approve => {
                let updated_input = self.as_the_user_left_it(&plan).await.map(|plan| json!({ "plan": plan }));
                let answer = Answer { allow: true, feedback, updated_input, ..refused() };
                self.decide_plan(&plan, answer, Some(mode.unwrap_or_default())).await?
            }
            Some(plan) => self.decide_plan(&plan, Answer { feedback, ..refused() }, None).await?,
        };
        Ok(PermissionResolveResult { results: vec![ResolveOutcome { id, outcome }] })
    }

    /// The mode holds before the member goes on.
    async fn decide_plan(
        &mut self,
        plan: &PlanRequest,
        answer: Answer,
        mode: Option<Mode>,
    ) -> Result<Outcome, Refusal> {
        let approved = answer.allow;
        let Some(team) = &mut self.team else { return Ok(Outcome::Unknown) };
        let (outcome, release) =
            team.queue.decide(&plan.id, answer, ResolvedBy::Leader).await.map_err(Refusal::Failed)?;
        if outcome != Outcome::Resolved {
            return Ok(outcome);
        }
        let mut failed = None;
        if let Some(mode) = mode {
            let modes = vec![MemberMode { member: plan.member.to_string(), mode }];
            failed = self.set_modes(SetModesParams { team: None, modes }).await.err();
        }
        release.into_iter().for_each(crate::permissions::Release::go);
        let mut happened = self.settle_waiting(&plan.member);
        happened.push(ClientEvent::PlanResolved {
            id: plan.id.clone(),
            member: plan.member.clone(),
            approved: Some(approved),
            mode,
        });
        self.publish(happened);
        // Without its mode it plans on, and says so when it is refused something.
        failed.map_or(Ok(outcome), Err)
    }

    /// The plan's document, when the user changed it.
    async fn as_the_user_left_it(&self, plan: &PlanRequest) -> Option<String> {
        let path = PathBuf::from(&plan.document);
        let text = match self.editor.open_text(&path).await {
            Some(text) => text,
            None => tokio::fs::read_to_string(&path).await.ok()?,
        };
        (text.trim() != plan.plan.trim() && !text.trim().is_empty()).then_some(text)
    }
}

/// A no without a word.
fn refused() -> Answer {
    Answer { allow: false, feedback: None, updated_input: None, permission_updates: Vec::new() }
}

/// What clients are told when a question came or went.
pub(super) fn requested(request: PermissionRequest) -> Option<ClientEvent> {
    match plan_of(&request) {
        // The leader's agent looks first.
        Some(plan) if plan.reviewing => None,
        Some(plan) => Some(ClientEvent::PlanRequested { plan: Box::new(plan) }),
        None => Some(ClientEvent::PermissionRequested { request: Box::new(request) }),
    }
}

/// What clients are told when a question is taken back.
pub(super) fn taken_back(id: &RequestId, request: Option<&PermissionRequest>) -> ClientEvent {
    match request.and_then(plan_of) {
        Some(plan) => {
            ClientEvent::PlanResolved { id: plan.id, member: plan.member, approved: None, mode: None }
        }
        None => ClientEvent::PermissionResolved { id: id.clone(), allowed: None, resolved_by: None },
    }
}
