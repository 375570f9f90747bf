//! Founding a team, taking one up again, and what each member has on disk. All of it blocks.

use std::collections::HashSet;
use std::path::{Path, PathBuf};

use swarm_agent::{Letterbox, Post, unix_ms};
use swarm_guard::{Rules, Standing};
use swarm_store::{
    Conversations, Error, Lease, MemberKey, Root, Signer, TeamDir, TeamKey, Transcript, Verifier, Watch,
};
use swarm_wire::permission::{Mode, RuleUpdate};
use swarm_wire::team::{BackendType, MemberEntry, TeamFile};
use swarm_wire::transcript::Entry;
use swarm_wire::{AgentId, MemberName, TeamName};

use crate::settings::{add_rule, settings_rules};

/// The longest head of a prompt in the team file, in characters.
const PROMPT_HEAD: usize = 500;

/// The place of a member in its leader's process, in the team file.
pub(crate) const IN_PROCESS: &str = "in-process";

/// A team that this process leads.
pub(crate) struct Led {
    pub(crate) dir: TeamDir,
    pub(crate) file: TeamFile,
    pub(crate) lease: Lease,
    pub(crate) key: TeamKey,
}

/// The team of this workspace, when it has one. [`Error::is_held`] when another process leads it.
///
/// Team files that cannot be read go to `unreadable`, in words for the user: their teams are not taken up.
pub(crate) fn resume(
    root: &Root,
    workspace: &Path,
    unreadable: &mut Vec<String>,
) -> Result<Option<Led>, Error> {
    let (name, failed) = root.look_for_team(workspace)?;
    let told = |error| format!("a team is not taken up, since its file cannot be read: {error}");
    unreadable.extend(failed.into_iter().map(told));
    let Some(name) = name else { return Ok(None) };
    let dir = root.team(&name);
    let lease = Lease::take(&dir)?;
    Ok(Some(Led { file: dir.read()?, key: TeamKey::of(&lease, &dir)?, dir, lease }))
}

/// The team of this workspace, where somebody leads it. What cannot be asked for is found out where the team is taken up.
pub(crate) fn led(root: &Root, workspace: &Path) -> Option<TeamDir> {
    let team = root.team(&root.team_of_workspace(workspace).ok()??);
    Lease::holder(&team).is_ok_and(|holder| holder.is_alive()).then_some(team)
}

/// Why a team could not be taken up, in words for the user.
pub(crate) fn refusal(error: &Error) -> String {
    if error.is_held() {
        return format!("another editor leads this project's team; work there, or close it ({error})");
    }
    error.to_string()
}

/// A new team for this workspace. Without a name it is named after its folder, with a number where that is taken.
pub(crate) fn found(
    root: &Root,
    workspace: &Path,
    name: Option<TeamName>,
    description: Option<String>,
) -> Result<Led, Error> {
    if let Some(name) = name {
        return found_as(root, workspace, &name, description);
    }
    let folder = workspace.file_name().unwrap_or_default().to_string_lossy();
    let plain = TeamName::from_folder(&folder);
    let numbered = (2_usize..).map(|number| TeamName::from_folder(&format!("{plain}-{number}")));
    for name in std::iter::once(plain.clone()).chain(numbered) {
        match found_as(root, workspace, &name, description.clone()) {
            Err(Error::TeamExists(_)) => {}
            founded => return founded,
        }
    }
    Err(Error::TeamExists(plain))
}

/// A new team of this name for this workspace. [`Error::TeamExists`] when the name is taken.
fn found_as(
    root: &Root,
    workspace: &Path,
    name: &TeamName,
    description: Option<String>,
) -> Result<Led, Error> {
    let dir = root.team(name);
    if dir.exists()? {
        return Err(Error::TeamExists(name.clone()));
    }
    let lease = Lease::take(&dir)?;
    let lead = AgentId::lead_of(name.clone());
    let file = TeamFile {
        name: name.clone(),
        description,
        created_at: unix_ms(),
        workspace: workspace.display().to_string(),
        lead_agent_id: lead.clone(),
        lead_session_id: None,
        hidden_pane_ids: Vec::new(),
        team_allowed_paths: Vec::new(),
        team_rules: Vec::new(),
        spent: None,
        members: vec![entry(&lead, workspace, None, None, None)],
        unknown: Default::default(),
    };
    // Somebody else may found it in this moment.
    dir.create(&file)?;
    Ok(Led { key: TeamKey::of(&lease, &dir)?, dir, file, lease })
}

/// Deletes a team that nobody leads. [`Error::is_held`] where somebody does.
pub fn delete(root: &Root, name: &TeamName) -> Result<(), Error> {
    let dir = root.team(name);
    // Before the lease, which would make a folder. One whose file is damaged can be deleted, too.
    if !dir.exists()? {
        dir.read()?;
    }
    dir.delete(Lease::take(&dir)?)
}

/// The rules that hold for every member: the user's and the project's settings, what the team remembers, and the
/// `session`'s. What is wrong with any of them is told, and the rest holds.
pub(crate) fn standing_rules(
    root: &Root,
    workspace: &Path,
    file: &TeamFile,
    session: &[RuleUpdate],
) -> (Rules, Vec<String>) {
    let (mut rules, mut problems) = settings_rules(root, workspace);
    for update in file.team_rules.iter().chain(session) {
        add_rule(&mut rules, &mut problems, update, Standing::Trusted);
    }
    (rules, problems)
}

/// A member's line in the team file.
pub(crate) fn entry(
    agent: &AgentId,
    cwd: &Path,
    color: Option<String>,
    model: Option<String>,
    prompt: Option<&str>,
) -> MemberEntry {
    MemberEntry {
        agent_id: agent.clone(),
        name: agent.name.clone(),
        agent_type: None,
        model,
        effort: None,
        prompt: prompt.map(|prompt| prompt.chars().take(PROMPT_HEAD).collect()),
        color,
        plan_mode_required: None,
        joined_at: unix_ms(),
        tmux_pane_id: IN_PROCESS.to_owned(),
        cwd: cwd.display().to_string(),
        worktree_path: None,
        worktree_branch: None,
        session_id: None,
        subscriptions: Vec::new(),
        backend_type: Some(BackendType::InProcess),
        is_active: None,
        mode: Some(Mode::Default),
        spent: None,
        unknown: Default::default(),
    }
}

/// `wanted`, or with a number behind it when the team has or had a member of that name, or is about to have one.
pub(crate) fn free_name(
    dir: &TeamDir,
    file: &TeamFile,
    wanted: &MemberName,
    coming: &HashSet<AgentId>,
) -> Result<MemberName, Error> {
    let numbered = (2_usize..).map(|number| wanted.numbered(number));
    for name in std::iter::once(wanted.clone()).chain(numbered) {
        let is_member = file.members.iter().any(|member| member.name == name);
        let agent = AgentId::new(name, file.name.clone());
        if !is_member && !coming.contains(&agent) && !dir.was_member(&agent)? {
            return Ok(agent.name);
        }
    }
    Ok(wanted.clone())
}

/// What a member needs of the disk to live.
pub(crate) struct Opened {
    pub(crate) transcript: Transcript,
    pub(crate) entries: Vec<Entry>,
    pub(crate) conversations: Conversations,
    pub(crate) letterbox: Letterbox,
    pub(crate) post: Post,
    /// Where results go that are too long for a model; absolute, with links resolved.
    pub(crate) outputs: PathBuf,
    /// What the project tells its agents.
    pub(crate) instructions: String,
}

/// What one start of a member signs and checks its mail with.
pub(crate) struct Keys {
    agent: AgentId,
    incarnation: u64,
    signer: Signer,
    verifier: Verifier,
}

impl Keys {
    /// Of a member that runs in the leader's process; numbers this start of it.
    pub(crate) fn of_here(dir: &TeamDir, key: &TeamKey, agent: &AgentId) -> Result<Self, Error> {
        if !agent.is_lead() {
            return Ok(Self::of_own(&new_key(dir, key, agent)?));
        }
        let incarnation = dir.next_incarnation(agent)?;
        Ok(Self { agent: agent.clone(), incarnation, signer: key.signer(), verifier: key.verifier() })
    }

    /// Of a member that was given its key.
    pub(crate) fn of_own(own: &MemberKey) -> Self {
        Self {
            agent: own.agent().clone(),
            incarnation: own.incarnation(),
            signer: own.signer(),
            verifier: own.verifier(),
        }
    }
}

/// Makes the key of one more start of a teammate.
pub(crate) fn new_key(dir: &TeamDir, key: &TeamKey, agent: &AgentId) -> Result<MemberKey, Error> {
    dir.mailbox(agent).create()?;
    key.member(agent, dir.next_incarnation(agent)?)
}

/// Opens a member's transcript and mailbox.
pub(crate) fn open_member(
    dir: &TeamDir,
    keys: Keys,
    color: Option<String>,
    watch: &Watch,
    workspace: &Path,
) -> Result<Opened, Error> {
    let Keys { agent, incarnation, signer, verifier } = keys;
    let agent = &agent;
    let mailbox = dir.mailbox(agent);
    mailbox.create()?;
    let (transcript, replay) = Transcript::open(dir, agent)?;
    for torn in &replay.problems {
        tracing::warn!(path = %torn.path.display(), offset = torn.offset, why = %torn.why, "not an entry; passed over");
    }
    let sender = dir.sender(agent.clone().into(), incarnation).sealed(signer);
    let outputs = dir.prepare_outputs(agent)?;
    let outputs = outputs.canonicalize().unwrap_or(outputs);
    Ok(Opened {
        outputs,
        instructions: swarm_agent::instructions(workspace, workspace),
        transcript,
        entries: replay.entries,
        conversations: Conversations::new(dir, agent),
        letterbox: Letterbox::new(mailbox.sealed_reader(verifier), watch),
        post: Post::new(dir.clone(), agent.clone(), color, sender),
    })
}
