//! A teammate in a pane of tmux: beside the leader's own pane where the leader is in one, else in a session of the team.
//! A pane is touched only while the process in it is the one that was started there.

mod room;
mod server;

use std::collections::HashMap;
use std::path::PathBuf;
use std::sync::{Arc, Mutex as Table, PoisonError};
use std::time::Duration;

use async_trait::async_trait;
use swarm_wire::team::BackendType;
use tokio::process::Command;
use tokio::sync::{Mutex, OnceCell};

use super::making::{Closes, made};
use super::{Backend, Handle, KEYS, Launch};
use room::{Pane, Room};
use server::{Server, command, session_of};

/// The oldest that splits by percent, keeps a zoomed pane zoomed and gives panes options of their own.
const OLDEST: (u32, u32) = (3, 2);
/// How often a pane's process is looked for.
const LOOK_EVERY: Duration = Duration::from_millis(250);
/// What windows for teammates are called.
const WINDOW: &str = "swarm-view";
/// The option of a pane that holds its member's color, and that of a window which borders are drawn by.
const COLOR: &str = "@swarm_color";
const STYLE: &str = "pane-border-style";
/// The size of a session that nobody looks at yet, in columns and lines.
const UNSEEN_SIZE: [&str; 2] = ["200", "50"];

/// The pane that this process was started in.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct TmuxPane {
    socket: PathBuf,
    id: String,
}

impl TmuxPane {
    /// By what tmux puts into the environment: `TMUX`, which is `socket,process,session`, and `TMUX_PANE`. `None` where
    /// they name none.
    pub fn of(tmux: &str, pane: String) -> Option<Self> {
        let mut parts = tmux.rsplitn(3, ',');
        let socket = parts.nth(2).filter(|socket| !socket.is_empty())?;
        Some(Self { socket: socket.into(), id: pane })
    }
}

/// The backend, with the panes that it opened.
pub(super) struct Tmux {
    inside: Option<TmuxPane>,
    found: OnceCell<()>,
    panes: Arc<Panes>,
}

/// The panes that were opened here.
#[derive(Default)]
struct Panes {
    open: Table<HashMap<Handle, Opened>>,
    /// One is made, shown or hidden after the other, since each takes room of others.
    moving: Mutex<()>,
}

#[derive(Clone)]
struct Opened {
    server: Server,
    title: String,
    leader: Option<TmuxPane>,
    share: u8,
    is_hidden: bool,
}

impl Tmux {
    pub(super) fn new(inside: Option<TmuxPane>) -> Self {
        Self { inside, found: OnceCell::new(), panes: Arc::default() }
    }

    /// The leader's own pane, where it is still there.
    async fn leader(&self) -> Option<TmuxPane> {
        let pane = self.inside.as_ref()?;
        let listed = Server::Users(pane.socket.clone()).panes().await.ok()?;
        listed.iter().any(|listed| listed.id == pane.id).then(|| pane.clone())
    }
}

#[async_trait]
impl Backend for Tmux {
    fn kind(&self) -> BackendType {
        BackendType::Tmux
    }

    async fn check(&self) -> Result<(), String> {
        self.found.get_or_try_init(find_tmux).await.copied()
    }

    async fn is_at_hand(&self) -> bool {
        self.leader().await.is_some()
    }

    async fn open(&self, launch: &Launch) -> Result<Handle, String> {
        let leader = self.leader().await;
        let server = match &leader {
            Some(pane) => Server::Users(pane.socket.clone()),
            None => Server::of(&launch.team),
        };
        let opened =
            Opened { server, title: launch.title.clone(), leader, share: launch.share, is_hidden: false };
        let (panes, launch) = (self.panes.clone(), launch.clone());
        made(self.panes.clone(), async move { panes.make(&launch, opened).await }).await
    }

    async fn closed(&self, handle: &Handle) -> String {
        while handle.process.is_some_and(is_alive) {
            tokio::time::sleep(LOOK_EVERY).await;
        }
        "its pane of tmux is closed".to_owned()
    }

    async fn close(&self, handle: &Handle) {
        self.panes.close(handle).await;
    }

    async fn show(&self, handle: &Handle) -> Result<(), String> {
        self.panes.show(handle).await
    }

    async fn hide(&self, handle: &Handle) -> Result<(), String> {
        self.panes.hide(handle).await
    }
}

impl Server {
    async fn panes(&self) -> Result<Vec<Pane>, String> {
        let listed = self.run(&[command(["list-panes", "-a", "-F", room::FORMAT])]).await?;
        Ok(listed.lines().filter_map(Pane::read).collect())
    }
}

impl Panes {
    fn known(&self, handle: &Handle) -> Option<Opened> {
        self.open.lock().unwrap_or_else(PoisonError::into_inner).get(handle).cloned()
    }

    /// Starts a process in a pane of its own.
    async fn make(&self, launch: &Launch, opened: Opened) -> Result<Handle, String> {
        let process = process_of(launch)?;
        let _moving = self.moving.lock().await;
        // A server that does not run has none.
        let there = opened.server.panes().await.unwrap_or_default();
        let made = match self.room(&there, &opened) {
            Room::Window => None,
            room => split(&opened.server, launch, &room, &process, &there).await,
        };
        let (made, is_own_window) = match made {
            Some(made) => (made, false),
            None => (own_window(&opened, launch, &there, &process).await?, true),
        };
        let (id, process) =
            made.trim().split_once(' ').ok_or_else(|| format!("tmux told no pane: {made}"))?;
        let handle = Handle { id: id.to_owned(), process: process.parse().ok() };
        let mut dress = dress(&handle.id, launch);
        if is_own_window {
            dress.push(names_panes(&handle.id));
        }
        let mut dressed = opened.server.run(&dress).await.map(drop);
        if dressed.is_ok() {
            dressed = color_borders(&opened.server, &handle.id).await;
        }
        self.open.lock().unwrap_or_else(PoisonError::into_inner).insert(handle.clone(), opened);
        if let Err(error) = dressed {
            // It may have ended at once, which is seen soon enough.
            tracing::warn!(error, pane = handle.id, "a teammate's pane has no title and no color");
        }
        Ok(handle)
    }

    /// Where one more goes on the server of `opened`.
    fn room(&self, there: &[Pane], opened: &Opened) -> Room {
        let known = self.open.lock().unwrap_or_else(PoisonError::into_inner);
        let is_ours = |pane: &&Pane| {
            let handle = Handle { id: pane.id.clone(), process: pane.process };
            known.get(&handle).is_some_and(|known| known.server == opened.server && !known.is_hidden)
        };
        let ours: Vec<&Pane> = there.iter().filter(is_ours).collect();
        room::find(&ours, leader_among(there, opened), u32::from(opened.share))
    }

    /// The pane of a handle, while its process is the one that was started in it.
    async fn pane(&self, handle: &Handle) -> Result<(Opened, Pane, Vec<Pane>), String> {
        let gone = || format!("the pane {} of tmux is gone", handle.id);
        let opened = self.known(handle).ok_or_else(gone)?;
        let there = opened.server.panes().await?;
        let pane = there.iter().find(|pane| pane.id == handle.id && pane.process == handle.process);
        let pane = pane.cloned().ok_or_else(gone)?;
        Ok((opened, pane, there))
    }

    /// Gives it a window of its own, behind all others.
    async fn hide(&self, handle: &Handle) -> Result<(), String> {
        let _moving = self.moving.lock().await;
        let (opened, pane, _) = self.pane(handle).await?;
        if opened.is_hidden {
            return Ok(());
        }
        let session = format!("{}:", pane.session);
        let hide = ["break-pane", "-d", "-s", &pane.id, "-n", &opened.title, "-t", &session];
        opened.server.run(&[command(hide)]).await?;
        self.is_hidden(handle, true);
        Ok(())
    }

    /// Puts it where there is room.
    async fn show(&self, handle: &Handle) -> Result<(), String> {
        let _moving = self.moving.lock().await;
        let (opened, pane, there) = self.pane(handle).await?;
        if opened.is_hidden {
            let commands = match self.room(&there, &opened) {
                Room::Split { pane: beside, beside: is_beside, percent } => {
                    let (way, percent) = (way(is_beside), format!("{percent}%"));
                    vec![command(["join-pane", "-d", way, "-l", &percent, "-s", &pane.id, "-t", &beside])]
                }
                Room::Tiled { pane: beside, window } => vec![
                    command(["join-pane", "-d", "-s", &pane.id, "-t", &beside]),
                    command(["select-layout", "-t", &window, "tiled"]),
                ],
                Room::Window => {
                    vec![command(["rename-window", "-t", &pane.window, WINDOW]), names_panes(&pane.id)]
                }
            };
            opened.server.run(&commands).await?;
            self.is_hidden(handle, false);
            color_borders(&opened.server, &pane.id).await?;
        }
        if let Server::Own(name) = &opened.server {
            let clients = opened.server.run(&[command(["list-clients", "-F", "#{client_pid}"])]).await?;
            if clients.trim().is_empty() {
                return Err(format!(
                    "nobody looks at the team's tmux; to do so, run `tmux -L {name} attach`"
                ));
            }
        }
        Ok(())
    }

    fn is_hidden(&self, handle: &Handle, is_hidden: bool) {
        if let Some(opened) = self.open.lock().unwrap_or_else(PoisonError::into_inner).get_mut(handle) {
            opened.is_hidden = is_hidden;
        }
    }
}

#[async_trait]
impl Closes for Panes {
    /// Closes a pane that runs what was started in it.
    async fn close(&self, handle: &Handle) {
        let known = self.open.lock().unwrap_or_else(PoisonError::into_inner).remove(handle);
        let (Some(opened), Some(process)) = (known, handle.process) else { return };
        let is_it = format!("#{{==:#{{pane_pid}},{process}}}");
        let kill = format!("kill-pane -t {}", handle.id);
        let closed = opened.server.run(&[command(["if-shell", "-F", "-t", &handle.id, &is_it, &kill])]).await;
        if let Err(error) = closed {
            tracing::debug!(error, pane = handle.id, "a pane could not be closed; it may be gone");
        }
    }
}

fn leader_among<'a>(there: &'a [Pane], opened: &Opened) -> Option<&'a Pane> {
    let leader = opened.leader.as_ref()?;
    there.iter().find(|pane| pane.id == leader.id)
}

/// The words that say what runs in a new pane, and that its id and process are told. tmux runs it by no shell, since it
/// is more than one word.
fn process_of(launch: &Launch) -> Result<Vec<String>, String> {
    let program = launch.command().map_err(|error| format!("the path of swarm-ls is not known: {error}"))?;
    let mut words = command(["-d", "-P", "-F", "#{pane_id} #{pane_pid}"]);
    // The user's server may have been started with keys in its environment.
    let kept = KEYS.iter().map(|name| format!("{name}="));
    let set = launch.env.iter().map(|(name, value)| format!("{name}={value}"));
    words.extend(kept.chain(set).flat_map(|variable| ["-e".to_owned(), variable]));
    words.extend(["--".to_owned(), program.display().to_string()]);
    words.extend(launch.args.iter().cloned());
    Ok(words)
}

/// A pane in a window that is there; `None` where tmux finds that there is no room.
async fn split(
    server: &Server,
    launch: &Launch,
    room: &Room,
    process: &[String],
    there: &[Pane],
) -> Option<String> {
    let (pane, mut words, tiled) = match room {
        Room::Split { pane, beside, percent } => {
            (pane, command([way(*beside), "-l", &format!("{percent}%")]), None)
        }
        Room::Tiled { pane, window } => {
            (pane, Vec::new(), Some(command(["select-layout", "-t", window, "tiled"])))
        }
        Room::Window => return None,
    };
    if there.iter().any(|other| other.id == *pane && other.is_zoomed) {
        words.push("-Z".to_owned());
    }
    let mut split = command(["split-window", "-t", pane]);
    split.append(&mut words);
    split.extend_from_slice(process);
    let commands: Vec<Vec<String>> = std::iter::once(split).chain(tiled).collect();
    match server.run_from(Some(launch), &commands).await {
        Ok(made) => Some(made),
        Err(error) => {
            tracing::debug!(error, "no room beside a pane");
            None
        }
    }
}

fn way(beside: bool) -> &'static str {
    if beside { "-h" } else { "-v" }
}

/// A pane in a further window; on a server that does not run yet, in its first.
async fn own_window(
    opened: &Opened,
    launch: &Launch,
    there: &[Pane],
    process: &[String],
) -> Result<String, String> {
    let session = match (leader_among(there, opened), &opened.server) {
        (Some(leader), _) => Some(leader.session.clone()),
        (None, Server::Own(_)) => there.first().map(|pane| pane.session.clone()),
        (None, Server::Users(_)) => return Err("the pane of tmux that the server runs in is gone".to_owned()),
    };
    let mut make = match session {
        Some(session) => command(["new-window", "-n", WINDOW, "-t", &format!("{session}:")]),
        None => {
            let [columns, lines] = UNSEEN_SIZE;
            let name = session_of(&launch.team);
            command(["new-session", "-s", &name, "-n", WINDOW, "-x", columns, "-y", lines])
        }
    };
    make.extend_from_slice(process);
    opened.server.run_from(Some(launch), &[make]).await
}

/// What shows whose pane it is, and takes it away with its process whatever the user has set for others.
fn dress(pane: &str, launch: &Launch) -> Vec<Vec<String>> {
    let color = color(launch.color.as_deref());
    let option = |name, value: &str| command(["set-option", "-p", "-t", pane, name, value]);
    vec![
        option("remain-on-exit", "off"),
        command(["select-pane", "-t", pane, "-T", &launch.title]),
        option(COLOR, color),
        option("pane-border-format", &format!(" #[fg={color}]#{{pane_title}}#[default] ")),
    ]
}

/// Lets the borders in a pane's window be of the color of whose pane they are around; those of the user's panes stay as
/// the user has them.
async fn color_borders(server: &Server, pane: &str) -> Result<(), String> {
    let style = server.run(&[command(["show-options", "-A", "-w", "-v", "-t", pane, STYLE])]).await?;
    // One that is computed is the user's own art, or ours.
    if style.contains('#') {
        return Ok(());
    }
    let style = style.trim().replace(',', "#,").replace('}', "#}");
    let style = format!("#{{?{COLOR},fg=#{{{COLOR}}},{style}}}");
    server.run(&[command(["set-option", "-w", "-t", pane, STYLE, &style])]).await.map(drop)
}

/// Shows whose pane is whose in the window of `pane`, which is one for teammates. In the user's own windows that is as
/// the user has it.
fn names_panes(pane: &str) -> Vec<String> {
    command(["set-option", "-w", "-t", pane, "pane-border-status", "top"])
}

/// A member's color, as tmux calls it.
fn color(name: Option<&str>) -> &'static str {
    match name {
        Some("red") => "red",
        Some("green") => "green",
        Some("yellow") => "yellow",
        Some("orange") => "colour208",
        Some("blue") => "blue",
        Some("purple") => "colour141",
        Some("magenta" | "pink") => "magenta",
        Some("cyan") => "cyan",
        _ => "default",
    }
}

fn is_alive(process: u32) -> bool {
    let id = i32::try_from(process).ok().and_then(rustix::process::Pid::from_raw);
    // One that may not be signalled is not ours.
    id.is_some_and(|id| rustix::process::test_kill_process(id).is_ok())
}

/// Whether there is a tmux that can be used.
async fn find_tmux() -> Result<(), String> {
    let ran = Command::new("tmux").arg("-V").stdin(std::process::Stdio::null()).output().await;
    let told = match ran {
        Ok(output) => String::from_utf8_lossy(&output.stdout).trim().to_owned(),
        Err(error) => return Err(format!("tmux cannot be run ({error}); install it and put it on the PATH")),
    };
    match version(&told) {
        Some(version) if version < OLDEST => {
            Err(format!("this is {told}, which is too old; install tmux {}.{} or newer", OLDEST.0, OLDEST.1))
        }
        // One from its makers' own tree has no number.
        _ => Ok(()),
    }
}

/// The number in what `tmux -V` says, such as `tmux 3.3a` or `tmux next-3.5`.
fn version(told: &str) -> Option<(u32, u32)> {
    let (major, rest) = told.trim_start_matches(|c: char| !c.is_ascii_digit()).split_once('.')?;
    let minor: String = rest.chars().take_while(char::is_ascii_digit).collect();
    Some((major.parse().ok()?, minor.parse().ok()?))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_leaders_pane_is_told_by_its_environment() {
        let pane = |socket: &str| Some(TmuxPane { socket: socket.into(), id: "%3".to_owned() });
        assert_eq!(TmuxPane::of("/tmp/tmux-0/default,12,0", "%3".to_owned()), pane("/tmp/tmux-0/default"));
        assert_eq!(TmuxPane::of("/a,b/tmux,12,0", "%3".to_owned()), pane("/a,b/tmux"));
        assert_eq!(TmuxPane::of("nonsense", "%3".to_owned()), None);
    }

    #[test]
    fn a_version_is_read_however_it_is_spelled() {
        for (told, read) in [
            ("tmux 3.3a", Some((3, 3))),
            ("tmux next-3.5", Some((3, 5))),
            ("tmux 2.9", Some((2, 9))),
            ("tmux master", None),
        ] {
            assert_eq!(version(told), read, "{told}");
        }
    }
}
