//! Server-sent events out of bytes that may be split anywhere. Knows no provider.
//!
//! After the WHATWG HTML standard, section "Server-sent events": lines end with LF, CR or CRLF, a byte order
//! mark may come first, several `data` lines make one text, and an event without its blank line is none.

/// The longest event that is read, in bytes; no provider sends a hundredth of it in one.
const LONGEST_EVENT: usize = 16 * 1024 * 1024;

#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Event {
    /// Empty when the stream names none.
    pub name: String,
    pub data: String,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
pub(crate) enum SseError {
    #[error("an event is longer than 16 MiB")]
    TooLong,
    #[error("a line is not UTF-8")]
    NotUtf8,
}

#[derive(Debug, Default)]
pub(crate) struct Parser {
    line: Vec<u8>,
    name: String,
    data: String,
    /// `data` may be one empty line, which is an event all the same.
    has_data: bool,
    /// The last byte was a CR that ended a line, so that an LF now belongs to it.
    after_cr: bool,
    past_first_line: bool,
}

impl Parser {
    /// Takes more bytes and adds the events that they complete to `events`.
    ///
    /// # Errors
    /// The stream is unusable from then on.
    pub(crate) fn push(&mut self, bytes: &[u8], events: &mut Vec<Event>) -> Result<(), SseError> {
        let mut rest = bytes;
        if self.after_cr && !rest.is_empty() {
            self.after_cr = false;
            rest = rest.strip_prefix(b"\n").unwrap_or(rest);
        }
        while let Some(end) = rest.iter().position(|byte| matches!(byte, b'\n' | b'\r')) {
            let (head, tail) = rest.split_at(end);
            self.line.extend_from_slice(head);
            rest = if tail.starts_with(b"\r\n") {
                &tail[2..]
            } else {
                self.after_cr = tail == b"\r";
                &tail[1..]
            };
            self.end_line(events)?;
        }
        self.line.extend_from_slice(rest);
        if self.line.len() + self.data.len() > LONGEST_EVENT { Err(SseError::TooLong) } else { Ok(()) }
    }

    fn end_line(&mut self, events: &mut Vec<Event>) -> Result<(), SseError> {
        let bytes = std::mem::take(&mut self.line);
        let mut line = std::str::from_utf8(&bytes).map_err(|_| SseError::NotUtf8)?;
        if !self.past_first_line {
            self.past_first_line = true;
            line = line.strip_prefix('\u{feff}').unwrap_or(line);
        }
        if line.is_empty() {
            self.end_event(events);
            return Ok(());
        }
        let (field, value) = line.split_once(':').unwrap_or((line, ""));
        let value = value.strip_prefix(' ').unwrap_or(value);
        match field {
            "event" => value.clone_into(&mut self.name),
            "data" => {
                if self.has_data {
                    self.data.push('\n');
                }
                self.data.push_str(value);
                self.has_data = true;
            }
            // A comment, `id` or `retry`: nothing that an answer is made of.
            _ => {}
        }
        Ok(())
    }

    fn end_event(&mut self, events: &mut Vec<Event>) {
        let name = std::mem::take(&mut self.name);
        let data = std::mem::take(&mut self.data);
        if std::mem::take(&mut self.has_data) {
            events.push(Event { name, data });
        }
    }
}

#[cfg(test)]
mod tests;
