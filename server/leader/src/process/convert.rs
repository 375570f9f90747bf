//! What leader and teammate's process say to each other, as inner types and back.

use std::path::PathBuf;

use swarm_agent::Report;
use swarm_agent::ports::{EditError, Edited};
use swarm_guard::{Bounds, Confinement, Rules, Secrets, Worktree};
use swarm_model::Usage;
use swarm_wire::AgentId;
use swarm_wire::mail::AskMail;
use swarm_wire::permission::PermissionRequest;
use swarm_wire::process::{HeldTo, LeaderAnswer, MemberBounds, Progress, Walls};

/// What holds for a member's calls, on its way to the member.
pub(crate) fn bounds_for(bounds: &Bounds) -> MemberBounds {
    MemberBounds {
        mode: bounds.mode,
        trust: bounds.trust,
        rules: bounds.rules.held(),
        secrets: bounds.secrets.further().to_vec(),
        walls: match bounds.confinement {
            Confinement::Full => Walls::Full,
            Confinement::FilesOnly => Walls::FilesOnly,
            Confinement::None => Walls::None,
        },
        worktree: bounds.worktree.clone().map(|Worktree { path, branch, checkout }| HeldTo {
            path,
            branch,
            checkout,
        }),
    }
}

/// The same, as the member holds it.
pub(crate) fn bounds_of(told: &MemberBounds, cwd: PathBuf, off_limits: PathBuf) -> Bounds {
    let mut bounds = Bounds::new(told.mode, Rules::of_held(&told.rules), cwd);
    bounds.trust = told.trust;
    // The leader refused what is no pattern.
    bounds.secrets = Secrets::with(&told.secrets).unwrap_or_default();
    bounds.off_limits = vec![off_limits];
    bounds.worktree =
        told.worktree.clone().map(|HeldTo { path, branch, checkout }| Worktree { path, branch, checkout });
    bounds.confinement = match told.walls {
        Walls::Full => Confinement::Full,
        Walls::FilesOnly => Confinement::FilesOnly,
        Walls::None => Confinement::None,
    };
    bounds
}

/// The question of a call, on its way to the leader.
pub(crate) fn ask_of(request: PermissionRequest) -> AskMail {
    AskMail {
        request_id: request.id,
        agent_id: request.worker_id,
        tool_name: request.tool_name,
        tool_use_id: request.tool_use_id,
        description: request.description,
        level: request.level,
        why: request.why,
        input: request.input,
        change: request.change,
        permission_suggestions: request.permission_suggestions,
        created_at: request.created_at,
    }
}

/// The question as the leader keeps it; who asks is who signed.
pub(crate) fn request_of(agent: &AgentId, color: Option<String>, ask: AskMail) -> PermissionRequest {
    PermissionRequest {
        worker_color: color,
        description: ask.description,
        level: ask.level,
        why: ask.why,
        change: ask.change,
        permission_suggestions: ask.permission_suggestions,
        created_at: ask.created_at,
        ..PermissionRequest::open(ask.request_id, agent, &ask.tool_name, &ask.tool_use_id, ask.input)
    }
}

/// A report on its way to the leader.
pub(crate) fn progress_of(report: Report) -> Progress {
    match report {
        Report::TurnStarted { turn } => Progress::TurnStarted { turn },
        Report::Text { turn, text } => Progress::Text { turn, text },
        Report::Restarted { turn, attempt, discarded_text } => {
            Progress::Restarted { turn, attempt, discarded_text }
        }
        Report::Waiting { turn, seconds, reason } => Progress::Waiting { turn, seconds, reason },
        Report::Resumed => Progress::Resumed,
        Report::Used { model, usage: Usage { input, written, output, cached } } => {
            Progress::Used { model: model.to_string(), input, written, output, cached }
        }
        Report::ToolStarted { turn, tool_use_id, name, description } => {
            Progress::ToolStarted { turn, tool_use_id, name, description }
        }
        Report::ToolFinished { turn, tool_use_id, is_error, content } => {
            Progress::ToolFinished { turn, tool_use_id, is_error, content }
        }
        Report::TurnEnded { turn, end, detail } => Progress::TurnEnded { turn, end, detail },
        Report::Warned { text } => Progress::Warned { text },
        Report::Sent { to, id, summary, text } => Progress::Sent { to, id, summary, text },
        Report::Compacted { before, after } => Progress::Compacted { before, after },
        Report::ConversationChanged { id, title } => Progress::ConversationChanged { id, title },
        Report::TasksChanged => Progress::TasksChanged,
        Report::Alive => Progress::Alive,
        Report::Idle => Progress::Idle,
    }
}

/// A report as the leader takes it.
pub(crate) fn report_of(progress: Progress) -> Report {
    match progress {
        Progress::TurnStarted { turn } => Report::TurnStarted { turn },
        Progress::Text { turn, text } => Report::Text { turn, text },
        Progress::Restarted { turn, attempt, discarded_text } => {
            Report::Restarted { turn, attempt, discarded_text }
        }
        Progress::Waiting { turn, seconds, reason } => Report::Waiting { turn, seconds, reason },
        Progress::Resumed => Report::Resumed,
        Progress::Used { model, input, written, output, cached } => {
            Report::Used { model: model.into(), usage: Usage { input, written, output, cached } }
        }
        Progress::ToolStarted { turn, tool_use_id, name, description } => {
            Report::ToolStarted { turn, tool_use_id, name, description }
        }
        Progress::ToolFinished { turn, tool_use_id, is_error, content } => {
            Report::ToolFinished { turn, tool_use_id, is_error, content }
        }
        Progress::TurnEnded { turn, end, detail } => Report::TurnEnded { turn, end, detail },
        Progress::Warned { text } => Report::Warned { text },
        Progress::Sent { to, id, summary, text } => Report::Sent { to, id, summary, text },
        Progress::Compacted { before, after } => Report::Compacted { before, after },
        Progress::ConversationChanged { id, title } => Report::ConversationChanged { id, title },
        Progress::TasksChanged => Report::TasksChanged,
        Progress::Alive => Report::Alive,
        Progress::Idle => Report::Idle,
    }
}

/// What came of an edit of an open document, on its way to who wanted it.
pub(crate) fn answer_of(edited: Result<Edited, EditError>) -> LeaderAnswer {
    match edited {
        Ok(edited) => LeaderAnswer::Edited { saved: edited == Edited::Saved },
        Err(EditError::NotOpen) => LeaderAnswer::NotOpen,
        Err(EditError::Changed) => LeaderAnswer::Changed,
        Err(EditError::Unconfirmed) => LeaderAnswer::Unconfirmed,
        Err(EditError::Refused(why)) => LeaderAnswer::Refused { why },
    }
}

/// The same, where it was wanted.
pub(crate) fn edit_of(answer: LeaderAnswer) -> Result<Edited, EditError> {
    match answer {
        LeaderAnswer::Edited { saved: true } => Ok(Edited::Saved),
        LeaderAnswer::Edited { saved: false } => Ok(Edited::Unsaved),
        LeaderAnswer::NotOpen => Err(EditError::NotOpen),
        LeaderAnswer::Changed => Err(EditError::Changed),
        LeaderAnswer::Refused { why } => Err(EditError::Refused(why)),
        _ => Err(EditError::Unconfirmed),
    }
}
