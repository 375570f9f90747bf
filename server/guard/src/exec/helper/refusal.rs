//! A step that the machine refused, with what it was about.

use std::io;
use std::path::{Path, PathBuf};

use crate::exec::order::{Failed, Step};

/// The error of the whole helper: every step that fails ends it.
#[derive(Debug)]
pub(super) struct Refusal {
    step: Step,
    source: io::Error,
    path: PathBuf,
}

impl From<Refusal> for Failed {
    fn from(refusal: Refusal) -> Self {
        // What is not from the system is about the order itself.
        let errno = refusal.source.raw_os_error().unwrap_or(libc::EINVAL);
        Failed { step: refusal.step, errno, path: refusal.path }
    }
}

/// Says at which step a result failed.
pub(super) trait At<T> {
    fn at(self, step: Step) -> Result<T, Refusal>;
    fn at_path(self, step: Step, path: &Path) -> Result<T, Refusal>;
}

impl<T, E: Into<io::Error>> At<T> for Result<T, E> {
    fn at(self, step: Step) -> Result<T, Refusal> {
        self.at_path(step, Path::new(""))
    }

    fn at_path(self, step: Step, path: &Path) -> Result<T, Refusal> {
        self.map_err(|error| Refusal { step, source: error.into(), path: path.to_owned() })
    }
}
