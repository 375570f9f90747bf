//! The one way from a model's call to its result: prepare, decide, ask, admit, run.

use std::sync::Arc;

use serde_json::Value;
use swarm_guard::{Bounds, Permit, Question, Verdict, decide};
use swarm_wire::AgentId;
use swarm_wire::permission::{Answer, PermissionRequest};
use swarm_wire::transcript::CallResult;
use tokio::sync::watch;
use tokio_util::sync::CancellationToken;

use crate::clock::{permission_id, unix_ms};
use crate::ports::{Ask, Withdrawn};
use crate::tools::{Output, PreparedCall, Preview, ToolContext, ToolError, Tools};

/// One call as the model made it.
#[derive(Debug, Clone)]
pub(crate) struct Call {
    pub(crate) id: String,
    pub(crate) name: String,
    pub(crate) input: Value,
}

/// How a question ended.
enum Waited {
    Answered(Answer),
    /// Rules or mode let the call through now.
    Covered(Permit),
}

/// Stands between the model and the tools.
pub(crate) struct Gate {
    pub(crate) tools: Tools,
    /// What holds for the member now; a change holds from the next call.
    pub(crate) bounds: watch::Receiver<Bounds>,
    pub(crate) ask: Arc<dyn Ask>,
    pub(crate) color: Option<String>,
}

impl Gate {
    /// Decides something that happens while a call runs, such as a new host that its command wants to reach.
    /// `needed` ends when nobody waits for it any more.
    pub(crate) async fn may(
        &self,
        call: &Call,
        preview: &Preview,
        agent: &AgentId,
        needed: &CancellationToken,
    ) -> bool {
        match self.verdict(call, preview) {
            Ok(Ok(_)) => true,
            Err(_) => false,
            Ok(Err(question)) => {
                let request = self.request(call, preview, &question, agent);
                match self.wait(request, call, preview, needed).await {
                    Ok(Waited::Answered(answer)) => question.answered(&answer).is_some(),
                    Ok(Waited::Covered(_)) => true,
                    Err(_) => false,
                }
            }
        }
    }

    /// Prepares a call, which changes nothing: what it would do can be shown before it is decided.
    pub(crate) async fn prepare(
        &self,
        call: &Call,
        context: &ToolContext,
    ) -> Result<Box<dyn PreparedCall>, ToolError> {
        self.tools.get(&call.name)?.prepare(call.input.clone(), context).await
    }

    /// Decides a prepared call and runs it when it may. Gives exactly one result, whatever happens.
    pub(crate) async fn finish(
        &self,
        call: &Call,
        prepared: Box<dyn PreparedCall>,
        context: &ToolContext,
    ) -> CallResult {
        match self.decide_and_run(call, prepared, context).await {
            Ok(Output { text: content, pictures }) => {
                CallResult { tool_use_id: call.id.clone(), content, pictures, is_error: false }
            }
            Err(error) => failed(call, &error),
        }
    }

    async fn decide_and_run(
        &self,
        call: &Call,
        prepared: Box<dyn PreparedCall>,
        context: &ToolContext,
    ) -> Result<Output, ToolError> {
        match self.verdict(call, prepared.preview())? {
            Ok(permit) => run(prepared, permit, context).await,
            Err(question) => {
                let request = self.request(call, prepared.preview(), &question, &context.agent);
                match self.wait(request, call, prepared.preview(), &context.turn).await? {
                    Waited::Answered(answer) => {
                        self.answered(call, prepared, question, answer, context).await
                    }
                    Waited::Covered(permit) => run(prepared, permit, context).await,
                }
            }
        }
    }

    /// Waits for the answer, or until a change of rules or mode makes it needless.
    async fn wait(
        &self,
        request: PermissionRequest,
        call: &Call,
        preview: &Preview,
        turn: &CancellationToken,
    ) -> Result<Waited, ToolError> {
        let mut bounds = self.bounds.clone();
        let needed = turn.child_token();
        let mut answer = self.ask.ask(request, self.tools.check(&call.name), &needed);
        loop {
            tokio::select! {
                biased;
                answer = &mut answer => return answer.map(Waited::Answered).map_err(|Withdrawn| ToolError::Aborted),
                Ok(()) = bounds.changed() => match self.verdict(call, preview) {
                    Ok(Err(_)) => continue,
                    decided => {
                        needed.cancel();
                        // An answer that came in this very moment wins over the rules.
                        return match (answer.await, decided) {
                            (Ok(answer), _) => Ok(Waited::Answered(answer)),
                            (Err(Withdrawn), Ok(Ok(permit))) => Ok(Waited::Covered(permit)),
                            (Err(Withdrawn), Ok(Err(_))) => Err(ToolError::Aborted),
                            (Err(Withdrawn), Err(denied)) => Err(denied),
                        };
                    }
                },
            }
        }
    }

    /// A permit, or the question to put; a denial is the error.
    fn verdict(&self, call: &Call, preview: &Preview) -> Result<Result<Permit, Question>, ToolError> {
        match decide(&call.name, &preview.keys, &preview.effect, &self.bounds.borrow()) {
            Verdict::Allow(permit) => Ok(Ok(permit)),
            Verdict::Ask(question) => Ok(Err(question)),
            Verdict::Deny { why, .. } => Err(ToolError::tell(format!("Not allowed: {why}."))),
        }
    }

    async fn answered(
        &self,
        call: &Call,
        prepared: Box<dyn PreparedCall>,
        question: Question,
        answer: Answer,
        context: &ToolContext,
    ) -> Result<Output, ToolError> {
        let Some(permit) = question.answered(&answer) else {
            let why = answer.feedback.map(|text| format!(" They said: {text}")).unwrap_or_default();
            return Err(ToolError::tell(format!("The user rejected this call.{why}")));
        };
        let edited = answer.updated_input.clone().filter(|input| *input != call.input);
        let result = match &edited {
            None => run(prepared, permit, context).await,
            Some(input) => {
                let changed = Call { input: input.clone(), ..call.clone() };
                let prepared = self.prepare(&changed, context).await?;
                // The person's yes was to this very input, but no yes lifts a denial.
                self.verdict(&changed, prepared.preview())?.ok();
                run(prepared, permit, context).await
            }
        };
        let mut notes = String::new();
        if let Some(input) = edited {
            notes.push_str(&format!("[The user changed the input of this call to: {input}]\n"));
        }
        if let Some(feedback) = answer.feedback {
            notes.push_str(&format!("[The user allowed it and said: {feedback}]\n"));
        }
        match result {
            Ok(output) => Ok(Output { text: notes + &output.text, ..output }),
            Err(ToolError::Tell(text)) => Err(ToolError::Tell(notes + &text)),
            Err(ToolError::Aborted) => Err(ToolError::Aborted),
        }
    }

    fn request(
        &self,
        call: &Call,
        preview: &Preview,
        question: &Question,
        agent: &AgentId,
    ) -> PermissionRequest {
        PermissionRequest {
            worker_color: self.color.clone(),
            description: preview.description.clone(),
            level: preview.effect.level(),
            why: question.why.clone(),
            change: preview.change.clone(),
            permission_suggestions: question.suggestions.clone(),
            created_at: unix_ms(),
            ..PermissionRequest::open(permission_id(), agent, &call.name, &call.id, call.input.clone())
        }
    }
}

async fn run(
    prepared: Box<dyn PreparedCall>,
    permit: Permit,
    context: &ToolContext,
) -> Result<Output, ToolError> {
    if context.turn.is_cancelled() {
        return Err(ToolError::Aborted);
    }
    let preview = prepared.preview();
    context.before_change.call(&preview.effect, &preview.description).await;
    prepared.run(permit, context).await
}

/// The result of a call that gave none of its own.
pub(crate) fn failed(call: &Call, error: &ToolError) -> CallResult {
    CallResult {
        tool_use_id: call.id.clone(),
        content: error.to_string(),
        pictures: Vec::new(),
        is_error: true,
    }
}
