//! Terminals of a client, as an extension opens them: each a real one, with the process that the server named in it.

use std::collections::HashMap;
use std::ffi::{OsStr, OsString};
use std::fs::{File, OpenOptions};
use std::io::{self, Read, Write};
use std::os::fd::OwnedFd;
use std::os::unix::ffi::OsStrExt;
use std::process::{Child, ChildStdin, Command};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use rustix::pty::{OpenptFlags, grantpt, openpt, ptsname, unlockpt};
use rustix::termios::{Winsize, tcsetwinsize};
use serde_json::{Value, json};
use swarm_wire::lsp::TerminalOpenParams;

use vt100::Parser;

use crate::wire::frame;

const ROWS: u16 = 40;
const COLUMNS: u16 = 80;
/// How their requests begin.
const TERMINAL: &str = "swarm/terminal/";

/// The terminals of one client.
pub(crate) struct Terminals {
    /// Where the client's messages to the server go.
    wire: Arc<Mutex<Option<ChildStdin>>>,
    env: Vec<(OsString, OsString)>,
    state: Mutex<State>,
    /// The test answers itself.
    by_hand: AtomicBool,
}

#[derive(Default)]
struct State {
    open: HashMap<String, Terminal>,
    shown: Vec<String>,
}

struct Terminal {
    process: u32,
    screen: Arc<Mutex<Parser>>,
    keyboard: File,
}

impl Terminals {
    pub(crate) fn new(wire: Arc<Mutex<Option<ChildStdin>>>, env: Vec<(OsString, OsString)>) -> Self {
        Self { wire, env, state: Mutex::default(), by_hand: AtomicBool::new(false) }
    }

    /// Does what a request for terminals wants, and answers it; false for any other message.
    pub(crate) fn answer(&self, message: &Value) -> bool {
        let method = message["method"].as_str().unwrap_or_default();
        if !method.starts_with(TERMINAL) || self.by_hand.load(Ordering::SeqCst) {
            return false;
        }
        let params = &message["params"];
        let id = params["terminalId"].as_str().unwrap_or_default().to_owned();
        let mut result = Value::Null;
        match method {
            "swarm/terminal/open" => result = json!({ "terminalId": self.open(params) }),
            "swarm/terminal/close" => {
                if let Some(process) = self.process(&id) {
                    // As an editor does: the terminal hangs up.
                    let _ = Command::new("kill").args(["-HUP", &process.to_string()]).status();
                }
            }
            _ => self.state().shown.push(format!("{method} {id}")),
        }
        say(&self.wire, &json!({ "jsonrpc": "2.0", "id": message["id"], "result": result }));
        true
    }

    pub(crate) fn leave_to_the_test(&self) {
        self.by_hand.store(true, Ordering::SeqCst);
    }

    fn state(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn open(&self, params: &Value) -> String {
        let id = format!("terminal-{}", self.state().open.len() + 1);
        let params: TerminalOpenParams = serde_json::from_value(params.clone())
            .unwrap_or_else(|error| panic!("these open no terminal: {error}: {params}"));
        let (keyboard, reading, mut process) = start(&params, &self.env)
            .unwrap_or_else(|error| panic!("`{}` does not start in a terminal: {error}", params.command));
        let screen = Arc::new(Mutex::new(Parser::new(ROWS, COLUMNS, 0)));
        let (shown, mut output) = (screen.clone(), reading);
        std::thread::spawn(move || {
            let mut piece = [0; 4096];
            // An error is how a terminal says that nothing runs in it any more.
            while let Ok(length @ 1..) = output.read(&mut piece) {
                let piece = piece.get(..length).unwrap_or_default();
                shown.lock().unwrap_or_else(PoisonError::into_inner).process(piece);
            }
        });
        let terminal = Terminal { process: process.id(), screen, keyboard };
        self.state().open.insert(id.clone(), terminal);
        let (gone, wire) = (id.clone(), self.wire.clone());
        std::thread::spawn(move || {
            let code = process.wait().ok().and_then(|status| status.code());
            let params = json!({ "terminalId": gone, "exitCode": code });
            say(&wire, &json!({ "jsonrpc": "2.0", "method": "swarm/terminal/closed", "params": params }));
        });
        id
    }

    /// Types into a terminal.
    pub(crate) fn type_into(&self, id: &str, text: &str) {
        let mut state = self.state();
        let Some(terminal) = state.open.get_mut(id) else { panic!("there is no terminal {id}") };
        let typed = terminal.keyboard.write_all(text.as_bytes());
        typed.unwrap_or_else(|error| panic!("nothing can be typed into {id}: {error}"));
    }

    /// What is on a terminal's screen.
    pub(crate) fn screen(&self, id: &str) -> String {
        let state = self.state();
        let Some(terminal) = state.open.get(id) else { return String::new() };
        terminal.screen.lock().unwrap_or_else(PoisonError::into_inner).screen().contents()
    }

    /// Gives a terminal another width.
    pub(crate) fn narrow(&self, id: &str, columns: u16) {
        let state = self.state();
        let Some(terminal) = state.open.get(id) else { panic!("there is no terminal {id}") };
        terminal.screen.lock().unwrap_or_else(PoisonError::into_inner).screen_mut().set_size(ROWS, columns);
        let size = tcsetwinsize(&terminal.keyboard, size(columns));
        size.unwrap_or_else(|error| panic!("{id} stays as wide as it is: {error}"));
    }

    /// The process in a terminal.
    pub(crate) fn process(&self, id: &str) -> Option<u32> {
        self.state().open.get(id).map(|terminal| terminal.process)
    }

    /// The requests to show and to hide that came.
    pub(crate) fn shown(&self) -> Vec<String> {
        self.state().shown.clone()
    }
}

/// Sends a message, unless the server has ended.
fn say(wire: &Mutex<Option<ChildStdin>>, message: &Value) {
    if let Some(stdin) = &mut *wire.lock().unwrap_or_else(PoisonError::into_inner) {
        let _ = stdin.write_all(&frame(message)).and_then(|()| stdin.flush());
    }
}

fn size(columns: u16) -> Winsize {
    Winsize { ws_row: ROWS, ws_col: columns, ws_xpixel: 0, ws_ypixel: 0 }
}

/// Starts a process in a terminal of its own; the keyboard of that, and its screen.
fn start(params: &TerminalOpenParams, env: &[(OsString, OsString)]) -> io::Result<(File, File, Child)> {
    let master: OwnedFd = openpt(OpenptFlags::RDWR | OpenptFlags::NOCTTY | OpenptFlags::CLOEXEC)?;
    grantpt(&master)?;
    unlockpt(&master)?;
    let name = ptsname(&master, Vec::new())?;
    tcsetwinsize(&master, size(COLUMNS))?;
    let keyboard = File::from(master);
    let end = OpenOptions::new().read(true).write(true).open(OsStr::from_bytes(name.as_bytes()))?;
    // The terminal of its session, as in every editor.
    let mut command = Command::new("setsid");
    command.arg("--ctty").arg(&params.command).args(&params.args).current_dir(&params.cwd);
    command.env_clear().envs(env.iter().cloned()).env("TERM", "xterm-256color").envs(&params.env);
    command.stdin(end.try_clone()?).stdout(end.try_clone()?).stderr(end);
    let process = command.spawn()?;
    let screen = keyboard.try_clone()?;
    Ok((keyboard, screen, process))
}
