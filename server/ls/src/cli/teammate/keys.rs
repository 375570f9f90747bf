//! What the person at a teammate's terminal types: keys where the terminal gives them one by one, else lines.

use std::io::IsTerminal as _;
use std::time::{Duration, Instant};

use crossterm::event::{Event, EventStream, KeyCode, KeyEvent, KeyEventKind, KeyModifiers};
use futures::StreamExt as _;
use tokio::sync::mpsc;

/// What may still be on its way from a keyboard when something is shown.
const ON_ITS_WAY: Duration = Duration::from_millis(150);

/// One thing that was typed.
#[derive(Debug, PartialEq, Eq)]
pub(super) enum Key {
    Text(String),
    Backspace,
    EraseWord,
    EraseLine,
    Enter,
    /// End the running turn.
    Interrupt,
    /// End of input at a keyboard.
    End,
    /// The window has another size.
    Resized,
    /// A line of a pipe. A pipe is no person, so it answers nothing.
    Piped(String),
    /// A line of a terminal that gives lines only.
    Line(String),
}

/// Where keys come from.
pub(super) enum Keyboard {
    Keys(EventStream),
    Lines(mpsc::Receiver<Key>),
}

impl Keyboard {
    /// Takes single keys when `single`, which the terminal must be set up for; else lines.
    pub(super) fn open(single: bool) -> Self {
        if single {
            return Self::Keys(EventStream::new());
        }
        let (sender, lines) = mpsc::channel(64);
        interrupts(sender.clone());
        let is_terminal = std::io::stdin().is_terminal();
        // A read of stdin cannot be given up, so it has a thread that the process does not wait for.
        std::thread::spawn(move || read_lines(&sender, is_terminal));
        Self::Lines(lines)
    }

    /// The next key; never again one after the end of a pipe.
    pub(super) async fn next(&mut self) -> Key {
        match self {
            Self::Keys(events) => loop {
                match events.next().await {
                    Some(Ok(event)) => {
                        if let Some(key) = key_of(event) {
                            return key;
                        }
                    }
                    Some(Err(error)) => {
                        tracing::warn!(%error, "the keyboard cannot be read");
                        std::future::pending::<()>().await;
                    }
                    None => std::future::pending().await,
                }
            },
            Self::Lines(lines) => match lines.recv().await {
                Some(key) => key,
                None => std::future::pending().await,
            },
        }
    }
}

fn read_lines(sender: &mpsc::Sender<Key>, is_terminal: bool) {
    loop {
        let mut line = String::new();
        let key = match std::io::stdin().read_line(&mut line) {
            Ok(0) if is_terminal => Key::End,
            Ok(0) | Err(_) => return,
            Ok(_) if is_terminal => Key::Line(line.trim_end_matches(['\n', '\r']).to_owned()),
            Ok(_) => Key::Piped(line.trim_end_matches(['\n', '\r']).to_owned()),
        };
        if sender.blocking_send(key).is_err() {
            return;
        }
    }
}

/// Where keys do not come one by one, Ctrl-C is a signal.
fn interrupts(sender: mpsc::Sender<Key>) {
    tokio::spawn(async move {
        while tokio::signal::ctrl_c().await.is_ok() {
            if sender.send(Key::Interrupt).await.is_err() {
                return;
            }
        }
    });
}

fn key_of(event: Event) -> Option<Key> {
    match event {
        Event::Paste(text) => Some(Key::Text(text)),
        Event::Resize(..) => Some(Key::Resized),
        Event::Key(KeyEvent {
            code, modifiers, kind: KeyEventKind::Press | KeyEventKind::Repeat, ..
        }) => {
            let control = modifiers.contains(KeyModifiers::CONTROL);
            match code {
                KeyCode::Char('c') if control => Some(Key::Interrupt),
                KeyCode::Char('d') if control => Some(Key::End),
                KeyCode::Char('u') if control => Some(Key::EraseLine),
                KeyCode::Char('w') if control => Some(Key::EraseWord),
                KeyCode::Char(_) if control => None,
                KeyCode::Char(c) => Some(Key::Text(c.to_string())),
                KeyCode::Esc => Some(Key::Interrupt),
                KeyCode::Enter => Some(Key::Enter),
                KeyCode::Backspace => Some(Key::Backspace),
                _ => None,
            }
        }
        _ => None,
    }
}

/// The line that is being typed.
#[derive(Debug, Default)]
pub(super) struct Line {
    text: String,
    /// When its first character was typed.
    begun: Option<Instant>,
}

impl Line {
    pub(super) fn text(&self) -> &str {
        &self.text
    }

    pub(super) fn push(&mut self, text: &str) {
        self.begun.get_or_insert_with(Instant::now);
        self.text.push_str(text);
    }

    pub(super) fn backspace(&mut self) {
        self.text.pop();
        self.settle();
    }

    pub(super) fn erase_word(&mut self) {
        let kept = self.text.trim_end().rfind(char::is_whitespace).map_or(0, |at| at + 1);
        self.text.truncate(kept);
        self.settle();
    }

    pub(super) fn erase(&mut self) {
        self.text.clear();
        self.settle();
    }

    fn settle(&mut self) {
        if self.text.is_empty() {
            self.begun = None;
        }
    }

    /// Ends the line: its text, and whether it was begun after that moment, by someone who saw what was shown then.
    pub(super) fn take(&mut self, shown: Option<Instant>) -> (String, bool) {
        let begun = self.begun.take();
        let saw = matches!((begun, shown), (Some(begun), Some(shown)) if begun >= shown + ON_ITS_WAY);
        (std::mem::take(&mut self.text), saw)
    }
}

/// What a line says to a question; `None` when it is no answer.
pub(super) fn answer(line: &str) -> Option<(bool, Option<String>)> {
    let (word, why) = line.trim().split_once(char::is_whitespace).unwrap_or((line.trim(), ""));
    let why = (!why.trim().is_empty()).then(|| why.trim().to_owned());
    match (word.to_ascii_lowercase().as_str(), &why) {
        ("y" | "yes", None) => Some((true, None)),
        ("n" | "no", _) => Some((false, why)),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_answer_is_a_plain_yes_or_a_no_with_its_reason() {
        assert_eq!(answer("y"), Some((true, None)));
        assert_eq!(answer(" YES "), Some((true, None)));
        assert_eq!(answer("no"), Some((false, None)));
        assert_eq!(answer("n not this one"), Some((false, Some("not this one".into()))));
        for message in ["", "yes please do it", "nobody", "allow", "yn"] {
            assert_eq!(answer(message), None, "{message}");
        }
    }

    #[test]
    fn what_was_typed_before_a_question_was_shown_is_no_answer() {
        let mut line = Line::default();
        line.push("y");
        assert_eq!(line.take(Some(Instant::now())), ("y".to_owned(), false), "begun before");
        let shown = Instant::now();
        line.push("y");
        assert!(!line.take(Some(shown)).1, "it was on its way");
        line.push("y");
        assert!(line.take(shown.checked_sub(2 * ON_ITS_WAY)).1, "the question was there");
        line.push("x");
        line.backspace();
        assert_eq!(line.take(None), (String::new(), false));
    }

    #[test]
    fn a_word_is_erased_with_what_follows_it() {
        let mut line = Line::default();
        line.push("one two  ");
        line.erase_word();
        assert_eq!(line.text(), "one ");
        line.erase_word();
        assert_eq!(line.text(), "");
    }
}
