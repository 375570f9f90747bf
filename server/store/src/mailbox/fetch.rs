//! One file of a mailbox, read and checked.

use std::fs::OpenOptions;
use std::io;
use std::os::unix::fs::MetadataExt;

use crate::atomic;
use crate::error::Error;
use crate::mailbox::envelope::{Content, Envelope};
use crate::mailbox::name::{FileName, Origin};
use crate::mailbox::read::{Delivered, Handle};
use crate::mailbox::{MESSAGE_LIMIT, Mailbox};
use crate::seal::{Refusal, Standing, Verifier};

pub(super) struct Fetched {
    pub(super) delivered: Delivered,
    /// Nanoseconds; only good for showing mail in a natural order.
    pub(super) arrived: i128,
}

/// Why one file gave no message.
pub(super) enum Miss {
    /// Acknowledged meanwhile.
    Gone,
    /// It will not become a message as it is.
    Foreign(String),
    /// The system failed us now; the file may be well.
    Unreadable(String),
    /// A message that nobody may read.
    Refused(Refusal),
}

pub(super) fn fetch(
    mailbox: &Mailbox,
    verifier: Option<&mut Verifier>,
    name: &FileName,
) -> Result<Fetched, Miss> {
    let file_name = name.to_string();
    let path = mailbox.new_dir().join(&file_name);
    if atomic::exists(&mailbox.cur_dir().join(&file_name)).map_err(unreadable)? {
        // Handled already: what is left of an acknowledgement cut short.
        atomic::remove(&path).map_err(unreadable)?;
        return Err(Miss::Gone);
    }
    let (file, metadata) =
        atomic::open_regular(&path, &mut OpenOptions::new()).map_err(|error| match &error {
            error if error.is_not_found() => Miss::Gone,
            Error::Io { source, .. } if is_foreign(source) => Miss::Foreign(error.to_string()),
            error => unreadable(error),
        })?;
    if metadata.len() > MESSAGE_LIMIT {
        return Err(Miss::Foreign(format!(
            "it is {} bytes long; the limit is {MESSAGE_LIMIT}",
            metadata.len()
        )));
    }
    let bytes = atomic::read_open(&file, metadata.len()).map_err(unreadable)?;
    let envelope = Envelope::parse(name, &bytes).map_err(Miss::Foreign)?;
    let arrived = i128::from(metadata.mtime()) * 1_000_000_000 + i128::from(metadata.mtime_nsec());
    Ok(Fetched { delivered: deliver(mailbox, verifier, name, envelope)?, arrived })
}

fn deliver(
    mailbox: &Mailbox,
    verifier: Option<&mut Verifier>,
    name: &FileName,
    envelope: Envelope,
) -> Result<Delivered, Miss> {
    let content = envelope.content();
    let Envelope { mut message, seal } = envelope;
    let origin: Origin = message.from.parse().map_err(|error| Miss::Foreign(format!("{error}")))?;
    let protocol = match &content {
        Content::Protocol(protocol) => Some(protocol.as_ref()),
        Content::Text | Content::Opaque { .. } => None,
    };
    let incarnation = name.place.incarnation;
    let standing = verifier.map_or(Ok(Standing::Unchecked), |verifier| {
        verifier.check(mailbox.owner(), incarnation, &message, seal.as_ref(), protocol)
    });
    let standing = standing.map_err(Miss::Refused)?;
    let origin = if standing == Standing::External { origin.outside() } else { origin };
    message.from = origin.to_string();
    // Where the file lies says so, not what a reader killed in between had marked.
    message.read = false;
    Ok(Delivered { message, origin, standing, content, handle: Handle(name.clone()) })
}

fn unreadable(error: impl ToString) -> Miss {
    Miss::Unreadable(error.to_string())
}

/// Errors that lie in what the file is: a link, a pipe, a folder.
fn is_foreign(error: &io::Error) -> bool {
    error.kind() == io::ErrorKind::InvalidInput
        || matches!(error.raw_os_error(), Some(nix::libc::ELOOP | nix::libc::ENXIO))
}
