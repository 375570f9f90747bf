//! A client of the server, as a test drives it: sends, waits for what it names, and keeps the rest.

mod inbox;
mod talk;

use std::ffi::OsString;
use std::io::Write;
use std::path::Path;
use std::process::{Child, ChildStdin, Command};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, Instant};

use serde_json::{Value, json};

use self::inbox::{Inbox, NAMELESS};
use crate::caps::Caps;
use crate::processes;
use crate::terminals::Terminals;
use crate::wire::frame;
use crate::world::uri;

/// How long anything may take before the test fails.
pub const WAIT: Duration = Duration::from_secs(20);
/// How long the server may take to end.
const END: Duration = Duration::from_secs(2);

/// An error that the server answered with.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ErrorAnswer {
    pub code: i64,
    pub message: String,
    pub data: Value,
}

/// A request of the server. One that a test does not claim fails it.
#[derive(Debug, Clone)]
pub struct Question {
    pub id: Value,
    pub method: String,
    pub params: Value,
}

/// A server and the editor that talks to it.
pub struct Editor {
    child: Child,
    stdin: Arc<Mutex<Option<ChildStdin>>>,
    terminals: Arc<Terminals>,
    inbox: Inbox,
    /// Whoever holds it keeps the editor from reading.
    reading: Arc<Mutex<()>>,
    world: String,
    last_id: i64,
    ended: bool,
    /// Kept until the server has ended.
    _root: Arc<tempfile::TempDir>,
}

impl Editor {
    pub(crate) fn start(mut command: Command, world: String, root: Arc<tempfile::TempDir>) -> Self {
        // What an editor's terminals have in their environment is what its server has.
        let set = command.get_envs().filter_map(|(name, value)| Some((name.to_owned(), value?.to_owned())));
        let env: Vec<(OsString, OsString)> = set.collect();
        let mut child = command.spawn().unwrap_or_else(|error| panic!("the server does not start: {error}"));
        let stdin = Arc::new(Mutex::new(child.stdin.take()));
        let stdout = child.stdout.take().unwrap_or_else(|| panic!("no stdout"));
        let terminals = Arc::new(Terminals::new(stdin.clone(), env));
        let reading = Arc::default();
        let inbox = Inbox::new(stdout, terminals.clone(), Arc::clone(&reading));
        Self { child, stdin, terminals, inbox, reading, world, last_id: 0, ended: false, _root: root }
    }

    /// Shakes hands; the result of `initialize`.
    pub fn initialize(&mut self, caps: &Caps, workspace: Option<&Path>) -> Value {
        let folders = workspace.map(|path| json!([{ "uri": uri(path), "name": "workspace" }]));
        let params = json!({
            "processId": std::process::id(),
            "clientInfo": { "name": "swarm-tests" },
            "capabilities": caps.json(),
            "rootUri": workspace.map(uri),
            "workspaceFolders": folders,
        });
        self.initialize_with(params)
    }

    /// Shakes hands with these very params.
    pub fn initialize_with(&mut self, params: Value) -> Value {
        let result = self.request("initialize", params);
        self.notify("initialized", json!({}));
        result
    }

    /// Sends a request and waits for its result; an error fails the test.
    pub fn request(&mut self, method: &str, params: Value) -> Value {
        self.try_request(method, params).unwrap_or_else(|error| panic!("`{method}` failed: {error:?}"))
    }

    /// Sends a request and waits for its answer.
    pub fn try_request(&mut self, method: &str, params: Value) -> Result<Value, ErrorAnswer> {
        let id = self.send_request(method, params);
        self.answer_to(id)
    }

    /// Sends a request without waiting; its id.
    pub fn send_request(&mut self, method: &str, params: Value) -> i64 {
        self.last_id += 1;
        let id = self.last_id;
        self.send(&json!({ "jsonrpc": "2.0", "id": id, "method": method, "params": params }));
        id
    }

    /// Waits for the answer to a request that was sent.
    pub fn answer_to(&mut self, id: i64) -> Result<Value, ErrorAnswer> {
        self.wait(&format!("the answer to request {id}"), |inbox| inbox.answers.remove(&id))
    }

    pub fn notify(&mut self, method: &str, params: Value) {
        self.send(&json!({ "jsonrpc": "2.0", "method": method, "params": params }));
    }

    /// Reads nothing of what the server sends, but for one message, while `meanwhile` runs.
    pub fn without_reading(&mut self, meanwhile: impl FnOnce(&mut Self)) {
        let reading = self.reading.clone();
        let _held = reading.lock().unwrap_or_else(PoisonError::into_inner);
        meanwhile(self);
    }

    /// Takes every notification of this method that has come; their params, in order.
    pub fn take_notifications(&mut self, method: &str) -> Vec<Value> {
        let all = std::mem::take(&mut self.inbox.notifications);
        let (taken, left): (Vec<_>, Vec<_>) = all.into_iter().partition(|(name, _)| name == method);
        self.inbox.notifications = left.into();
        taken.into_iter().map(|(_, params)| params).collect()
    }

    /// Waits for a notification that `is_it` accepts, and takes it; its params.
    pub fn await_notification(&mut self, method: &str, is_it: impl Fn(&Value) -> bool) -> Value {
        self.wait(&format!("a notification `{method}`"), |inbox| {
            let at = inbox.notifications.iter().position(|(name, params)| name == method && is_it(params))?;
            inbox.notifications.remove(at).map(|(_, params)| params)
        })
    }

    /// Waits for a request of the server, and claims it.
    pub fn await_request(&mut self, method: &str) -> Question {
        self.wait(&format!("a request `{method}`"), |inbox| {
            let at = inbox.questions.iter().position(|question| question.method == method)?;
            inbox.questions.remove(at)
        })
    }

    /// Answers a request of the server.
    pub fn reply(&mut self, question: &Question, result: Value) {
        self.send(&json!({ "jsonrpc": "2.0", "id": question.id, "result": result }));
    }

    /// Answers a request of the server with an error.
    pub fn fail(&mut self, question: &Question, code: i64, message: &str) {
        self.send(
            &json!({ "jsonrpc": "2.0", "id": question.id, "error": { "code": code, "message": message } }),
        );
    }

    /// From now on answers each request of this method with `result`.
    pub fn always_reply(&mut self, method: &str, result: Value) {
        self.inbox.automatic.insert(method.into(), result);
    }

    /// Whether a notification of this method has arrived and was not taken.
    pub fn has_seen(&self, method: &str) -> bool {
        self.inbox.notifications.iter().any(|(name, _)| name == method)
    }

    /// The questions that arrived and were not claimed.
    pub fn unclaimed(&self) -> Vec<&Question> {
        self.inbox.questions.iter().collect()
    }

    /// From now on requests for terminals are the test's to answer.
    pub fn answer_terminals_by_hand(&self) {
        self.terminals.leave_to_the_test();
    }

    /// Types into a terminal that the server had opened.
    pub fn type_into(&mut self, terminal: &str, text: &str) {
        self.terminals.type_into(terminal, text);
    }

    /// What is on a terminal's screen.
    pub fn screen(&self, terminal: &str) -> String {
        self.terminals.screen(terminal)
    }

    /// Waits until a terminal's screen is one that `is_it` accepts.
    pub fn await_screen(&self, terminal: &str, is_it: impl Fn(&str) -> bool) -> String {
        let deadline = Instant::now() + WAIT;
        loop {
            let screen = self.screen(terminal);
            if is_it(&screen) {
                return screen;
            }
            assert!(
                Instant::now() < deadline,
                "the screen of {terminal} is not what it should be:\n{screen}"
            );
            std::thread::yield_now();
        }
    }

    /// Gives a terminal another width.
    pub fn narrow(&self, terminal: &str, columns: u16) {
        self.terminals.narrow(terminal, columns);
    }

    /// The process that was started in a terminal.
    pub fn process_in(&self, terminal: &str) -> Option<u32> {
        self.terminals.process(terminal)
    }

    /// The requests to show or hide a terminal that came.
    pub fn shown(&self) -> Vec<String> {
        self.terminals.shown()
    }

    /// Sends a message as it is.
    pub fn send(&mut self, message: &Value) {
        self.send_bytes(&frame(message));
    }

    /// Writes bytes to the server's stdin.
    pub fn send_bytes(&mut self, bytes: &[u8]) {
        let mut stdin = self.stdin.lock().unwrap_or_else(PoisonError::into_inner);
        let Some(stdin) = &mut *stdin else { panic!("stdin is closed") };
        let written = stdin.write_all(bytes).and_then(|()| stdin.flush());
        written.unwrap_or_else(|error| panic!("the server takes no more: {error}"));
    }

    /// Closes the server's stdin.
    pub fn close_stdin(&mut self) {
        *self.stdin.lock().unwrap_or_else(PoisonError::into_inner) = None;
    }

    /// The server's process id.
    pub fn pid(&self) -> u32 {
        self.child.id()
    }

    /// Kills the server as the kernel would, and claims that end: nothing of it may stay, its commands included.
    pub fn kill(&mut self) {
        self.child.kill().unwrap_or_else(|error| panic!("the server cannot be killed: {error}"));
        self.await_end();
    }

    /// Kills the server as the kernel would; teammates in processes of their own live on.
    pub fn crash(&mut self) {
        self.child.kill().unwrap_or_else(|error| panic!("the server cannot be killed: {error}"));
        self.ended = true;
        self.child.wait().unwrap_or_else(|error| panic!("the server cannot be waited for: {error}"));
    }

    /// Ends the server as an editor does whose terminals outlive it.
    pub fn leave(&mut self) {
        self.request("shutdown", Value::Null);
        self.send(&json!({ "jsonrpc": "2.0", "method": "exit" }));
        self.ended = true;
        let ended =
            self.child.wait().unwrap_or_else(|error| panic!("the server cannot be waited for: {error}"));
        assert_eq!(ended.code(), Some(0), "the server's exit code");
    }

    /// Waits until no process whose command line has `words` runs in this world.
    pub fn await_gone(&self, words: &str) {
        if let Err(left) = processes::none_left_with(&self.world, words, END) {
            panic!("processes that should have ended: {left:#?}");
        }
    }

    /// Waits for the answer with a `null` id: the server's word on a message that it could not read.
    pub fn await_nameless_error(&mut self) -> ErrorAnswer {
        match self.answer_to(NAMELESS) {
            Err(error) => error,
            Ok(result) => panic!("a result without an id: {result}"),
        }
    }

    /// Waits for the server to end by itself, and claims that end: its exit code.
    pub fn await_end(&mut self) -> i32 {
        self.ended = true;
        let started = Instant::now();
        // Its stdout ends with it.
        self.inbox.receive_all(started + END);
        loop {
            match self.child.try_wait() {
                Ok(Some(status)) => {
                    self.check_leftovers();
                    return status.code().unwrap_or(-1);
                }
                Ok(None) if started.elapsed() > END => panic!("the server still runs after {END:?}"),
                Ok(None) => std::thread::yield_now(),
                Err(error) => panic!("the server cannot be waited for: {error}"),
            }
        }
    }

    /// Ends the server as an editor does, and fails on whatever was left undone.
    pub fn close(mut self) {
        self.end();
    }

    fn end(&mut self) {
        if self.ended {
            return;
        }
        self.request("shutdown", Value::Null);
        assert!(
            self.inbox.questions.is_empty(),
            "requests of the server that nobody claimed: {:#?}",
            self.inbox.questions
        );
        self.send(&json!({ "jsonrpc": "2.0", "method": "exit" }));
        let code = self.await_end();
        assert_eq!(code, 0, "the server's exit code");
    }

    fn check_leftovers(&self) {
        if let Err(left) = processes::none_left(&self.world, END) {
            panic!("processes that outlived the server: {left:#?}");
        }
    }

    /// Takes in messages until `look` finds what it looks for.
    fn wait<T>(&mut self, what: &str, mut look: impl FnMut(&mut Inbox) -> Option<T>) -> T {
        let deadline = Instant::now() + WAIT;
        loop {
            if let Some(found) = look(&mut self.inbox) {
                return found;
            }
            match self.inbox.receive(deadline) {
                Ok(Some((question, answer))) => self.reply(&question, answer),
                Ok(None) => {}
                Err(why) => panic!("{what} {why}; what did come: {}", self.inbox.untaken()),
            }
        }
    }
}

impl Drop for Editor {
    fn drop(&mut self) {
        if std::thread::panicking() {
            let _ = self.child.kill();
            let _ = self.child.wait();
        } else {
            self.end();
        }
    }
}
