//! A client of the server, as a test drives it: sends, waits for what it names, and keeps the rest.

use std::collections::{HashMap, VecDeque};
use std::io::{BufReader, Write};
use std::path::Path;
use std::process::{Child, ChildStdin, Command};
use std::sync::Arc;
use std::sync::mpsc::{Receiver, RecvTimeoutError, channel};
use std::time::{Duration, Instant};

use serde_json::{Value, json};

use crate::caps::Caps;
use crate::processes;
use crate::wire::{frame, read};
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
    stdin: Option<ChildStdin>,
    incoming: Receiver<Value>,
    world: String,
    last_id: i64,
    answers: HashMap<i64, Result<Value, ErrorAnswer>>,
    notifications: VecDeque<(String, Value)>,
    questions: VecDeque<Question>,
    /// Answers given to questions of these methods without the test's doing.
    automatic: HashMap<String, Value>,
    ended: bool,
    /// Kept until the server has ended.
    _root: Arc<tempfile::TempDir>,
}

impl Editor {
    pub(crate) fn start(mut command: Command, world: String, root: Arc<tempfile::TempDir>) -> Self {
        let mut child = command.spawn().unwrap_or_else(|error| panic!("the server does not start: {error}"));
        let stdin = child.stdin.take();
        let stdout = child.stdout.take().unwrap_or_else(|| panic!("no stdout"));
        let (sender, incoming) = channel();
        std::thread::spawn(move || {
            let mut stdout = BufReader::new(stdout);
            while let Some(message) = read(&mut stdout) {
                if sender.send(message).is_err() {
                    return;
                }
            }
        });
        Self {
            child,
            stdin,
            incoming,
            world,
            last_id: 0,
            answers: HashMap::new(),
            notifications: VecDeque::new(),
            questions: VecDeque::new(),
            automatic: HashMap::new(),
            ended: false,
            _root: root,
        }
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
        self.wait(&format!("the answer to request {id}"), |editor| editor.answers.remove(&id))
    }

    pub fn notify(&mut self, method: &str, params: Value) {
        self.send(&json!({ "jsonrpc": "2.0", "method": method, "params": params }));
    }

    /// Waits for a notification that `is_it` accepts, and takes it; its params.
    pub fn await_notification(&mut self, method: &str, is_it: impl Fn(&Value) -> bool) -> Value {
        self.wait(&format!("a notification `{method}`"), |editor| {
            let at =
                editor.notifications.iter().position(|(name, params)| name == method && is_it(params))?;
            editor.notifications.remove(at).map(|(_, params)| params)
        })
    }

    /// Waits for a `swarm/event` of this kind; its params.
    pub fn await_event(&mut self, kind: &str) -> Value {
        self.await_notification("swarm/event", |params| params["event"]["kind"] == kind)
    }

    /// Waits for a `swarm/event` of this kind that `is_it` accepts; the event itself.
    pub fn await_event_where(&mut self, kind: &str, is_it: impl Fn(&Value) -> bool) -> Value {
        let is_it = |params: &Value| params["event"]["kind"] == kind && is_it(&params["event"]);
        self.await_notification("swarm/event", is_it)["event"].take()
    }

    /// Waits until the diagnostics of a document are as `are_they` accepts.
    pub fn await_diagnostics(&mut self, uri: &str, are_they: impl Fn(&[Value]) -> bool) -> Vec<Value> {
        let is_it = |params: &Value| {
            params["uri"] == uri && params["diagnostics"].as_array().is_some_and(|list| are_they(list))
        };
        let mut params = self.await_notification("textDocument/publishDiagnostics", is_it);
        match params["diagnostics"].take() {
            Value::Array(list) => list,
            _ => Vec::new(),
        }
    }

    /// Waits for a request of the server, and claims it.
    pub fn await_request(&mut self, method: &str) -> Question {
        self.wait(&format!("a request `{method}`"), |editor| {
            let at = editor.questions.iter().position(|question| question.method == method)?;
            editor.questions.remove(at)
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
        self.automatic.insert(method.into(), result);
    }

    /// Opens a document.
    pub fn open(&mut self, uri: &str, text: &str) {
        let document = json!({ "uri": uri, "languageId": "plaintext", "version": 1, "text": text });
        self.notify("textDocument/didOpen", json!({ "textDocument": document }));
    }

    /// Replaces a document's text.
    pub fn change(&mut self, uri: &str, version: i32, text: &str) {
        self.change_with(uri, version, json!([{ "text": text }]));
    }

    /// Reports content changes of a document.
    pub fn change_with(&mut self, uri: &str, version: i32, changes: Value) {
        let document = json!({ "uri": uri, "version": version });
        self.notify("textDocument/didChange", json!({ "textDocument": document, "contentChanges": changes }));
    }

    /// Takes in what has arrived: what is sent in answer to `request` is behind everything before it.
    pub fn sync(&mut self) {
        self.request("swarm/state", json!({}));
    }

    /// Asks for the state until it is as `is_it` accepts; each look is behind what happened before it.
    pub fn until_state(&mut self, is_it: impl Fn(&Value) -> bool) -> Value {
        let deadline = Instant::now() + WAIT;
        loop {
            let state = self.request("swarm/state", json!({}));
            if is_it(&state) {
                return state;
            }
            assert!(Instant::now() < deadline, "the state did not come to be; it is {state:#}");
        }
    }

    /// Whether a notification of this method has arrived and was not taken.
    pub fn has_seen(&self, method: &str) -> bool {
        self.notifications.iter().any(|(name, _)| name == method)
    }

    /// The questions that arrived and were not claimed.
    pub fn unclaimed(&self) -> Vec<&Question> {
        self.questions.iter().collect()
    }

    /// Sends a message as it is.
    pub fn send(&mut self, message: &Value) {
        self.send_bytes(&frame(message));
    }

    /// Writes bytes to the server's stdin.
    pub fn send_bytes(&mut self, bytes: &[u8]) {
        let Some(stdin) = &mut self.stdin else { panic!("stdin is closed") };
        let written = stdin.write_all(bytes).and_then(|()| stdin.flush());
        written.unwrap_or_else(|error| panic!("the server takes no more: {error}"));
    }

    /// Closes the server's stdin.
    pub fn close_stdin(&mut self) {
        self.stdin = None;
    }

    /// The server's process id.
    pub fn pid(&self) -> u32 {
        self.child.id()
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
            self.questions.is_empty(),
            "requests of the server that nobody claimed: {:#?}",
            self.questions
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
    fn wait<T>(&mut self, what: &str, mut look: impl FnMut(&mut Self) -> Option<T>) -> T {
        let deadline = Instant::now() + WAIT;
        loop {
            if let Some(found) = look(self) {
                return found;
            }
            let left = deadline.saturating_duration_since(Instant::now());
            match self.incoming.recv_timeout(left) {
                Ok(message) => self.take_in(message),
                Err(error) => {
                    let why = match error {
                        RecvTimeoutError::Timeout => "did not come in time",
                        RecvTimeoutError::Disconnected => "did not come before the server's end",
                    };
                    panic!("{what} {why}; what did come: {}", self.unseen());
                }
            }
        }
    }

    fn take_in(&mut self, mut message: Value) {
        let method = message["method"].as_str().map(str::to_owned);
        match (method, message["id"].take()) {
            (Some(method), Value::Null) => self.notifications.push_back((method, message["params"].take())),
            (Some(method), id) => {
                let question = Question { id, params: message["params"].take(), method };
                match self.automatic.get(&question.method).cloned() {
                    Some(result) => self.reply(&question, result),
                    None => self.questions.push_back(question),
                }
            }
            (None, id) => {
                let answer = match message.get_mut("error") {
                    Some(error) => Err(ErrorAnswer {
                        code: error["code"].as_i64().unwrap_or_default(),
                        message: error["message"].as_str().unwrap_or_default().to_owned(),
                        data: error["data"].take(),
                    }),
                    None => Ok(message["result"].take()),
                };
                self.answers.insert(id.as_i64().unwrap_or(NAMELESS), answer);
            }
        }
    }

    fn unseen(&self) -> String {
        let notifications = self.notifications.iter().map(|(method, params)| format!("{method} {params}"));
        let questions =
            self.questions.iter().map(|question| format!("{} {}", question.method, question.params));
        let answers = self.answers.iter().map(|(id, answer)| format!("answer {id}: {answer:?}"));
        let mut all: Vec<String> = notifications.chain(questions).chain(answers).collect();
        for line in &mut all {
            if let Some((cut, _)) = line.char_indices().nth(400) {
                line.truncate(cut);
            }
        }
        format!("{all:#?}")
    }
}

/// The key of an answer whose id is null.
const NAMELESS: i64 = i64::MIN;

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
