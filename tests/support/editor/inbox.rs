//! What came from the server and was not taken yet.

use std::collections::{HashMap, VecDeque};
use std::io::{BufReader, Read};
use std::sync::mpsc::{Receiver, RecvTimeoutError, channel};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Instant;

use serde_json::Value;

use super::{ErrorAnswer, Question};
use crate::terminals::Terminals;
use crate::wire::read;

/// The key of an answer whose id is null.
pub(super) const NAMELESS: i64 = i64::MIN;

pub(super) struct Inbox {
    incoming: Receiver<Value>,
    pub(super) answers: HashMap<i64, Result<Value, ErrorAnswer>>,
    pub(super) notifications: VecDeque<(String, Value)>,
    pub(super) questions: VecDeque<Question>,
    /// Answers to questions of these methods, given without the test's doing.
    pub(super) automatic: HashMap<String, Value>,
}

/// A question and the answer that it gets by itself.
pub(super) type Automatic = (Question, Value);

impl Inbox {
    /// Reads messages off `stdout` until its end, while nobody holds `reading`. Requests for terminals are answered
    /// as they come.
    pub(super) fn new(
        stdout: impl Read + Send + 'static,
        terminals: Arc<Terminals>,
        reading: Arc<Mutex<()>>,
    ) -> Self {
        let (sender, incoming) = channel();
        std::thread::spawn(move || {
            let mut stdout = BufReader::new(stdout);
            while let Some(message) = read(&mut stdout) {
                drop(reading.lock().unwrap_or_else(PoisonError::into_inner));
                if terminals.answer(&message) {
                    continue;
                }
                if sender.send(message).is_err() {
                    return;
                }
            }
        });
        Self {
            incoming,
            answers: HashMap::new(),
            notifications: VecDeque::new(),
            questions: VecDeque::new(),
            automatic: HashMap::new(),
        }
    }

    /// Takes in the next message; an error says why there is none by the deadline.
    pub(super) fn receive(&mut self, deadline: Instant) -> Result<Option<Automatic>, &'static str> {
        let left = deadline.saturating_duration_since(Instant::now());
        match self.incoming.recv_timeout(left) {
            Ok(message) => Ok(self.sort(message)),
            Err(RecvTimeoutError::Timeout) => Err("did not come in time"),
            Err(RecvTimeoutError::Disconnected) => Err("did not come before the server's end"),
        }
    }

    /// Takes in messages until there will be no more, or the deadline.
    pub(super) fn receive_all(&mut self, deadline: Instant) {
        while self.receive(deadline).is_ok() {}
    }

    /// All that was not taken, each in a line.
    pub(super) fn untaken(&self) -> String {
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

    fn sort(&mut self, mut message: Value) -> Option<Automatic> {
        let method = message["method"].as_str().map(str::to_owned);
        match (method, message["id"].take()) {
            (Some(method), Value::Null) => {
                self.notifications.push_back((method, message["params"].take()));
                None
            }
            (Some(method), id) => {
                let question = Question { id, params: message["params"].take(), method };
                match self.automatic.get(&question.method) {
                    Some(answer) => Some((question, answer.clone())),
                    None => {
                        self.questions.push_back(question);
                        None
                    }
                }
            }
            (None, id) => {
                self.answers.insert(id.as_i64().unwrap_or(NAMELESS), answer(&mut message));
                None
            }
        }
    }
}

fn answer(message: &mut Value) -> Result<Value, ErrorAnswer> {
    match message.get_mut("error") {
        Some(error) => Err(ErrorAnswer {
            code: error["code"].as_i64().unwrap_or_default(),
            message: error["message"].as_str().unwrap_or_default().to_owned(),
            data: error["data"].take(),
        }),
        None => Ok(message["result"].take()),
    }
}
