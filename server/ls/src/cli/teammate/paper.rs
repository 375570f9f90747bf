//! A terminal as paper with a few lines at its end that change: what is above them stays. Without such lines, where the
//! terminal cannot move its cursor, it is paper alone.

use std::io::Write as _;
use std::sync::mpsc::{SyncSender, TrySendError, sync_channel};
use std::thread::JoinHandle;

use unicode_width::UnicodeWidthChar as _;

/// The width of a terminal that does not say how wide it is, in columns.
const USUAL_WIDTH: usize = 80;
/// How many pieces may wait for a terminal that is held, as by Ctrl-S.
const WAITING_MAX: usize = 256;

pub(super) struct Paper {
    colored: bool,
    /// Whether its cursor moves.
    moves: bool,
    /// How many of the changing lines are on the screen.
    drawn: usize,
    pen: Option<SyncSender<String>>,
    writer: Option<JoinHandle<()>>,
    /// Pieces that nobody will see.
    skipped: usize,
}

impl Paper {
    pub(super) fn new(colored: bool, moves: bool) -> Self {
        let (pen, pieces) = sync_channel::<String>(WAITING_MAX);
        // A terminal that is held holds up this thread and nothing else.
        let writer = std::thread::spawn(move || {
            while let Ok(piece) = pieces.recv() {
                if write(&piece).is_err() {
                    return;
                }
            }
        });
        Self { colored, moves, drawn: 0, pen: Some(pen), writer: Some(writer), skipped: 0 }
    }

    pub(super) fn moves(&self) -> bool {
        self.moves
    }

    pub(super) fn colored(&self, text: &str, color: &str) -> String {
        if self.colored && !text.is_empty() { format!("\x1b[{color}m{text}\x1b[0m") } else { text.to_owned() }
    }

    /// Puts whole lines on the paper, and the changing lines below them. Each of those is cut to the width.
    pub(super) fn print(&mut self, text: &str, changing: &[(String, &str)]) {
        let mut all = self.erasure();
        if self.skipped > 0 {
            all.push_str(&format!("… {} pieces of output are missing here\n", self.skipped));
        }
        all.push_str(text);
        if self.moves {
            // One less than there is: a full line would break where the terminal wraps at its edge.
            let width = width().saturating_sub(1);
            let lines: Vec<String> =
                changing.iter().map(|(line, color)| self.colored(cut(line, width), color)).collect();
            self.drawn = lines.len();
            all.push_str(&lines.join("\n"));
        }
        // A terminal in raw mode goes to the next line and no further.
        let all = if self.moves { all.replace('\n', "\r\n") } else { all };
        match self.pen.as_ref().map(|pen| pen.try_send(all)) {
            Some(Err(TrySendError::Full(_))) => self.skipped += 1,
            _ => self.skipped = 0,
        }
    }

    /// What takes the changing lines off the screen and leaves the cursor where they began.
    fn erasure(&mut self) -> String {
        match std::mem::take(&mut self.drawn) {
            0 => String::new(),
            1 => "\r\x1b[J".to_owned(),
            lines => format!("\x1b[{}A\r\x1b[J", lines - 1),
        }
    }

    /// Takes the changing lines off for good, and waits until all is written.
    pub(super) fn close(mut self) {
        self.print("", &[]);
        self.pen = None;
        if let Some(writer) = self.writer.take() {
            // It ends once it has written, or with the process.
            let _ = writer.join();
        }
    }
}

/// The end of a text, as far as it fits into so many columns.
pub(super) fn tail(text: &str, width: usize) -> &str {
    let mut columns = 0;
    let mut from = text.len();
    for (at, c) in text.char_indices().rev() {
        columns += c.width().unwrap_or(0);
        if columns > width {
            break;
        }
        from = at;
    }
    text.get(from..).unwrap_or_default()
}

/// The beginning of a text, as far as it fits into so many columns.
fn cut(text: &str, width: usize) -> &str {
    let mut columns = 0;
    for (at, c) in text.char_indices() {
        columns += c.width().unwrap_or(0);
        if columns > width {
            return text.get(..at).unwrap_or_default();
        }
    }
    text
}

/// How wide the terminal is now, in columns.
pub(super) fn width() -> usize {
    match crossterm::terminal::size() {
        Ok((columns @ 1.., _)) => columns.into(),
        _ => USUAL_WIDTH,
    }
}

#[expect(clippy::disallowed_methods, reason = "a teammate's terminal is for its person")]
fn write(text: &str) -> std::io::Result<()> {
    let mut out = std::io::stdout();
    out.write_all(text.as_bytes()).and_then(|()| out.flush())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn texts_are_cut_by_columns_and_not_by_characters() {
        assert_eq!(cut("日本語", 4), "日本");
        assert_eq!(cut("日本語", 5), "日本");
        assert_eq!(tail("日本語", 4), "本語");
        assert_eq!(tail("abc", 2), "bc");
        assert_eq!(cut("abc", 8), "abc");
    }
}
