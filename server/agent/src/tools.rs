//! The tools of a member. Adding one is a file here and a line in the list below.

mod bash;
mod bash_jobs;
mod context;
mod diagnostics;
mod edit;
mod exit_plan_mode;
mod glob;
mod grep;
mod long;
mod look_up;
mod mode_name;
mod read;
mod request_shutdown;
mod review_plan;
mod send_message;
mod set_modes;
mod shutdown_reply;
mod spawn_teammate;
mod task_claim;
mod task_create;
mod task_list;
mod task_update;
mod tasks;
mod tool;
mod walk;
mod web_fetch;
mod write;

use std::sync::{Arc, OnceLock};

use swarm_model::ToolSpec;

use crate::ports::InputCheck;

pub(crate) use context::ToolContext;
pub use exit_plan_mode::EXIT_PLAN_MODE;
pub(crate) use tasks::{Completed, shown as task_shown};
pub(crate) use tool::{AnyTool, Output, PreparedCall, Preview, ToolError};

/// The tools that one member has for its whole life. Members of a kind share them, since their descriptions are long.
#[derive(Clone)]
pub(crate) struct Tools {
    list: Arc<[Arc<dyn AnyTool>]>,
    specs: Arc<[ToolSpec]>,
}

impl Tools {
    /// What every teammate has.
    pub(crate) fn of_teammate(editor_knows: bool) -> Self {
        static PLAIN: OnceLock<Tools> = OnceLock::new();
        static KNOWING: OnceLock<Tools> = OnceLock::new();
        let shared = if editor_knows { &KNOWING } else { &PLAIN };
        let made = shared.get_or_init(|| {
            let mut tools = Self::of_everybody(editor_knows);
            tools.push(tool::erase(shutdown_reply::ShutdownReply));
            Self::new(tools)
        });
        made.clone()
    }

    /// What the leader's agent has, to make a team and end its members.
    pub(crate) fn of_leader(editor_knows: bool) -> Self {
        let mut tools = Self::of_everybody(editor_knows);
        tools.push(tool::erase(spawn_teammate::SpawnTeammate));
        tools.push(tool::erase(set_modes::SetModes));
        tools.push(tool::erase(review_plan::ReviewPlan));
        tools.push(tool::erase(request_shutdown::RequestShutdown));
        Self::new(tools)
    }

    /// The names of all tools there are.
    pub(crate) fn names() -> Vec<String> {
        let lists = [Self::of_leader(true), Self::of_teammate(true)];
        let mut names: Vec<String> =
            lists.iter().flat_map(|tools| tools.specs.iter().map(|spec| spec.name.clone())).collect();
        names.sort();
        names.dedup();
        names
    }

    /// Without the tools that are neither named nor the team's own.
    pub(crate) fn only(self, named: &[String]) -> Self {
        const OF_THE_TEAM: [&str; 7] = [
            "SendMessage",
            "ShutdownReply",
            EXIT_PLAN_MODE,
            "TaskCreate",
            "TaskList",
            "TaskUpdate",
            "TaskClaim",
        ];
        let kept = |tool: &Arc<dyn AnyTool>| {
            let name = tool.spec().name;
            OF_THE_TEAM.contains(&name.as_str()) || named.contains(&name)
        };
        Self::new(self.list.iter().filter(|tool| kept(tool)).cloned().collect())
    }

    fn of_everybody(editor_knows: bool) -> Vec<Arc<dyn AnyTool>> {
        let mut tools = vec![
            tool::erase(read::Read),
            tool::erase(glob::Glob),
            tool::erase(grep::Grep),
            tool::erase(write::Write),
            tool::erase(edit::Edit),
            tool::erase(bash::Bash),
            tool::erase(bash_jobs::BashJobs),
            tool::erase(web_fetch::WebFetch),
            tool::erase(task_create::TaskCreate),
            tool::erase(task_list::TaskList),
            tool::erase(task_update::TaskUpdate),
            tool::erase(task_claim::TaskClaim),
            tool::erase(exit_plan_mode::ExitPlanMode),
            tool::erase(send_message::SendMessage),
        ];
        if editor_knows {
            tools.extend(of_the_editor());
        }
        tools
    }

    fn new(list: Vec<Arc<dyn AnyTool>>) -> Self {
        let specs = list.iter().map(|tool| tool.spec()).collect();
        Self { list: list.into(), specs }
    }

    pub(crate) fn specs(&self) -> Arc<[ToolSpec]> {
        self.specs.clone()
    }

    /// What is wrong with an input for the tool of this name; anything is right for what is no tool.
    pub(crate) fn check(&self, name: &str) -> InputCheck {
        let at = self.specs.iter().position(|spec| spec.name == name);
        match at.and_then(|at| self.list.get(at)).cloned() {
            Some(tool) => Arc::new(move |input| tool.check(input)),
            None => Arc::new(|_| Ok(())),
        }
    }

    /// The tool of this name, or what to tell the model.
    pub(crate) fn get(&self, name: &str) -> Result<&dyn AnyTool, ToolError> {
        let at = self.specs.iter().position(|spec| spec.name == name);
        let found = at.and_then(|at| self.list.get(at));
        found.map(|tool| tool.as_ref()).ok_or_else(|| {
            let names: Vec<&str> = self.specs.iter().map(|spec| spec.name.as_str()).collect();
            ToolError::tell(format!("There is no tool `{name}`. There are: {}.", names.join(", ")))
        })
    }
}

/// What the user's editor knows of the code, where it answers that.
fn of_the_editor() -> [Arc<dyn AnyTool>; 3] {
    [
        tool::erase(diagnostics::Diagnostics),
        tool::erase(look_up::Definition),
        tool::erase(look_up::References),
    ]
}
