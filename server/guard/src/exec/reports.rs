//! The leader's end of the link: the helper's reports as they come, and the words it is told.

use std::io;
use std::os::fd::OwnedFd;

use tokio::io::Interest;
use tokio::net::UnixStream;

use super::link;
use super::order::Report;

/// Reads the helper's reports from the link.
pub(super) struct ReportReader {
    link: UnixStream,
    unread: Vec<u8>,
    descriptors: Vec<OwnedFd>,
}

impl ReportReader {
    pub(super) fn new(link: UnixStream) -> Self {
        Self { link, unread: Vec::new(), descriptors: Vec::new() }
    }

    /// The next report; none once the helper has closed the link. Nothing is lost when this is cancelled.
    pub(super) async fn next(&mut self) -> io::Result<Option<Report>> {
        loop {
            if let Some(end) = self.unread.iter().position(|byte| *byte == b'\n') {
                let line: Vec<u8> = self.unread.drain(..=end).collect();
                return serde_json::from_slice(&line).map(Some).map_err(io::Error::from);
            }
            let mut buffer = [0; 1024];
            let received =
                self.link.async_io(Interest::READABLE, || link::receive(&self.link, &mut buffer)).await;
            match received {
                Ok((0, _)) => return Ok(None),
                Ok((count, descriptors)) => {
                    self.unread.extend_from_slice(buffer.get(..count).unwrap_or_default());
                    self.descriptors.extend(descriptors);
                }
                Err(error) if error.kind() == io::ErrorKind::ConnectionReset => return Ok(None),
                Err(error) => return Err(error),
            }
        }
    }

    /// A descriptor that came with the reports so far.
    pub(super) fn take_descriptor(&mut self) -> Option<OwnedFd> {
        self.descriptors.pop()
    }

    pub(super) async fn tell(&self, word: u8) -> io::Result<()> {
        self.link.async_io(Interest::WRITABLE, || link::send(&self.link, &[word], &[])).await
    }
}
