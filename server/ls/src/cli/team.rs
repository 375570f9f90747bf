//! `swarm-ls team`: the teams on this machine's disk, as a script or a person without an editor sees them.
//!
//! Reads the store and writes free text into mailboxes; whoever leads a team stays its only leader.

use std::io::Write as _;
use std::time::{SystemTime, UNIX_EPOCH};

use anyhow::{Context as _, anyhow, bail};
use serde_json::{Value, json};
use swarm_store::{Draft, Durability, Error, Holder, Lease, LiveLock, Origin, Root, TeamDir};
use swarm_wire::team::TeamFile;
use swarm_wire::{AgentId, MemberName, TeamName};

use crate::{environment, words};

/// Who the mail of this command is from.
const SENDER: &str = "external:cli";

/// Shows the teams on this machine, writes to their members, and deletes them.
#[derive(Debug, clap::Subcommand)]
pub(crate) enum Arguments {
    /// Lists the teams: where each works, and who leads it now.
    List {
        /// Print one JSON array.
        #[arg(long)]
        json: bool,
    },
    /// Shows a team: its members, its open questions, and who leads it now.
    Show {
        /// The team; without one, that of the current folder.
        team: Option<TeamName>,
        /// Print one JSON object.
        #[arg(long)]
        json: bool,
    },
    /// Sends a text to a member. It is marked as from outside: a member takes it as news, not as the user's word.
    Send {
        /// A member's name, `name@team`, or `*` for each member.
        to: String,
        text: String,
        /// The team; without one, that of the current folder.
        #[arg(long)]
        team: Option<TeamName>,
    },
    /// Deletes a team with its histories, mail and questions. Refused while it is led or members run.
    Delete { team: TeamName },
}

pub(crate) fn run(arguments: Arguments) -> anyhow::Result<()> {
    let root = Root::from_env()?;
    match arguments {
        Arguments::List { json } => list(&root, json),
        Arguments::Show { team, json } => show(&chosen(&root, team)?, json),
        Arguments::Send { to, text, team } => send(&root, &to, &text, team),
        Arguments::Delete { team } => delete(&root, &team),
    }
}

fn list(root: &Root, as_json: bool) -> anyhow::Result<()> {
    let mut teams = Vec::new();
    for name in root.teams()? {
        let dir = root.team(&name);
        match dir.read() {
            Ok(file) => teams.push((file, Lease::holder(&dir)?)),
            Err(error) => eprintln!("swarm-ls: passed over: {error}"),
        }
    }
    if as_json {
        let all = teams.iter().map(|(file, leader)| {
            json!({
                "name": file.name, "workspace": file.workspace, "createdAt": file.created_at,
                "members": file.members.len(), "leader": leader_json(*leader),
            })
        });
        return print(&format!("{}\n", Value::from_iter(all)));
    }
    if teams.is_empty() {
        return print("There is no team yet; the first prompt in a folder makes one.\n");
    }
    let width = teams.iter().map(|(file, _)| file.name.as_str().len()).max().unwrap_or_default();
    for (file, leader) in &teams {
        let (name, members) = (file.name.as_str(), members(file.members.len()));
        print(&format!("{name:width$}  {members}, {}  {}\n", leader_words(*leader), file.workspace))?;
    }
    Ok(())
}

fn show(dir: &TeamDir, as_json: bool) -> anyhow::Result<()> {
    let file = dir.read()?;
    let (leader, live) = (Lease::holder(dir)?, LiveLock::all(dir)?);
    let pending = dir.permissions().pending()?;
    if as_json {
        let shown =
            json!({"team": file, "leader": leader_json(leader), "live": live, "permissions": pending});
        return print(&format!("{shown}\n"));
    }
    let TeamFile { name, workspace, members: all, .. } = &file;
    print(&format!("{name}, in {workspace}: {}, {}\n", members(all.len()), leader_words(leader)))?;
    let width = all.iter().map(|member| member.name.as_str().len()).max().unwrap_or_default();
    for member in all {
        let mode = serde_json::to_value(member.mode.unwrap_or_default())?;
        let process = if live.contains(&member.agent_id) { ", in a process of its own" } else { "" };
        let model = member.model.as_ref().map(|model| format!(", {model}")).unwrap_or_default();
        let spent = member.spent.map(|spent| format!(", {}", words::spent(&spent))).unwrap_or_default();
        let name = member.name.as_str();
        print(&format!(
            "  {name:width$}  mode {}{model}{process}{spent}\n",
            mode.as_str().unwrap_or_default()
        ))?;
    }
    if let Some(spent) = &file.spent {
        print(&format!("  in all: {}\n", words::spent(spent)))?;
    }
    for request in &pending {
        print(&format!("  open: {}\n", words::wish(request)))?;
    }
    Ok(())
}

fn send(root: &Root, to: &str, text: &str, team: Option<TeamName>) -> anyhow::Result<()> {
    if text.trim().is_empty() {
        bail!("the text is empty");
    }
    let (name, team) = match to.split_once('@') {
        Some((name, named)) => {
            let named: TeamName = named.parse()?;
            if team.is_some_and(|team| team != named) {
                bail!("`{to}` and --team name two teams");
            }
            (name, Some(named))
        }
        None => (to, team),
    };
    let dir = chosen(root, team)?;
    let file = dir.read()?;
    let members: Vec<AgentId> = file.members.iter().map(|member| member.agent_id.clone()).collect();
    let receivers: Vec<AgentId> = if name == "*" {
        members
    } else {
        let wanted: MemberName = name.parse()?;
        let exist: Vec<String> = members.iter().map(|member| member.name.to_string()).collect();
        let found = members.into_iter().find(|member| member.name == wanted);
        vec![found.ok_or_else(|| {
            anyhow!("the team `{}` has no member `{wanted}`; it has {}", file.name, exist.join(", "))
        })?]
    };
    let from: Origin = SENDER.parse()?;
    // No leader numbers what comes from outside, so the clock does: later mail is named later.
    let now = SystemTime::now().duration_since(UNIX_EPOCH).context("the clock is before 1970")?;
    let sender = dir.sender(from, u64::try_from(now.as_nanos()).context("the clock is beyond 2500")?);
    for receiver in &receivers {
        let id = sender.send(&dir.mailbox(receiver), Draft::text(text), Durability::Synced)?;
        print(&format!("sent to {receiver}: {id}\n"))?;
    }
    if !Lease::holder(&dir)?.is_alive() {
        eprintln!("swarm-ls: nobody leads `{}` now; its members read it when someone does", file.name);
    }
    Ok(())
}

fn delete(root: &Root, name: &TeamName) -> anyhow::Result<()> {
    match swarm_leader::delete_team(root, name) {
        Err(Error::Held { pid, .. }) => {
            let who = pid.map_or("another process".to_owned(), |pid| format!("process {pid}"));
            bail!("the team `{name}` is not deleted while {who} leads it; close its editor first");
        }
        deleted => deleted?,
    }
    print(&format!("deleted {name}\n"))
}

/// The named team, or that of the current folder.
fn chosen(root: &Root, team: Option<TeamName>) -> anyhow::Result<TeamDir> {
    if let Some(name) = team {
        return Ok(root.team(&name));
    }
    let here = environment::directory().context("the current folder")?;
    match root.team_of_workspace(&here)? {
        Some(name) => Ok(root.team(&name)),
        None => bail!("no team works in {}; name one of `swarm-ls team list`", here.display()),
    }
}

fn leader_json(leader: Holder) -> Value {
    match leader {
        Holder::Nobody => Value::Null,
        Holder::Process(pid) => json!({ "pid": pid }),
    }
}

fn leader_words(leader: Holder) -> String {
    match leader {
        Holder::Nobody => "nobody leads it now".to_owned(),
        Holder::Process(Some(pid)) => format!("led by process {pid}"),
        Holder::Process(None) => "led by a process".to_owned(),
    }
}

fn members(count: usize) -> String {
    if count == 1 { "1 member".to_owned() } else { format!("{count} members") }
}

#[expect(clippy::disallowed_methods, reason = "the command's result")]
fn print(text: &str) -> anyhow::Result<()> {
    let mut out = std::io::stdout();
    out.write_all(text.as_bytes()).and_then(|()| out.flush()).context("stdout")
}
