//! `leader.sock`: where the servers of other editors reach the one that leads a team.
//!
//! Only this user's processes reach the socket, and what an agent runs is one of them: so whoever comes must know
//! a token, which lies with the keys, where no command of an agent can read.

use std::fs::{self, File};
use std::io;
use std::os::fd::AsRawFd;
use std::os::unix::fs::PermissionsExt;
use std::os::unix::net::{UnixListener, UnixStream};
use std::path::{Path, PathBuf};

use serde::{Deserialize, Serialize};

use crate::atomic::{self, Durability};
use crate::error::{Error, Result};
use crate::lease::Lease;
use crate::seal::{hex, keys_dir, random};
use crate::team_dir::TeamDir;

/// The socket of the team's leader, open until it is dropped.
#[derive(Debug)]
pub struct Door {
    path: PathBuf,
    token_path: PathBuf,
    token: String,
}

/// What is written for those who come.
#[derive(Serialize, Deserialize)]
struct Token {
    token: String,
}

impl Door {
    /// Opens it with a new token, in place of what an earlier leader left.
    pub fn open(team: &TeamDir, _lease: &Lease) -> Result<(Self, UnixListener)> {
        let door = Self {
            path: socket_path(team),
            token_path: token_path(team),
            token: hex::encode(&random::<32>()?),
        };
        atomic::create_dir(&keys_dir(team.root()))?;
        atomic::remove(&door.path)?;
        let token = Token { token: door.token.clone() };
        atomic::replace_json(&door.token_path, &token, Durability::Buffered)?;
        let listener = by_short_path(&door.path, |path| UnixListener::bind(path));
        let listener = listener.map_err(Error::io("listen at", &door.path))?;
        let owner_only = fs::Permissions::from_mode(0o600);
        fs::set_permissions(&door.path, owner_only).map_err(Error::io("close to others", &door.path))?;
        Ok((door, listener))
    }

    /// Whether this is what [`Door::knock`] gave.
    pub fn takes(&self, token: &str) -> bool {
        self.token == token
    }

    /// Connects to the leader of a team; gives the token to show it.
    pub fn knock(team: &TeamDir) -> Result<(UnixStream, String)> {
        let Token { token } = atomic::read_json(&token_path(team))?;
        let path = socket_path(team);
        let stream = by_short_path(&path, |path| UnixStream::connect(path));
        Ok((stream.map_err(Error::io("reach the leader at", &path))?, token))
    }
}

impl Drop for Door {
    fn drop(&mut self) {
        // What stays is replaced by the next leader.
        let _ = atomic::remove(&self.path);
        let _ = atomic::remove(&self.token_path);
    }
}

fn socket_path(team: &TeamDir) -> PathBuf {
    team.path().join("leader.sock")
}

fn token_path(team: &TeamDir) -> PathBuf {
    let folder = team.path().file_name().unwrap_or_default().to_string_lossy();
    keys_dir(team.root()).join(format!("{folder}.door"))
}

/// Does `work` with a path that fits into a socket's address, which takes about 100 bytes.
fn by_short_path<T>(path: &Path, work: impl Fn(&Path) -> io::Result<T>) -> io::Result<T> {
    if cfg!(not(target_os = "linux")) {
        return work(path);
    }
    let folder = File::open(path.parent().unwrap_or(Path::new("/")))?;
    let short = Path::new("/proc/self/fd").join(folder.as_raw_fd().to_string());
    // Where there is no /proc, the path itself may still fit.
    if !fs::exists(&short).unwrap_or(false) {
        return work(path);
    }
    work(&short.join(path.file_name().unwrap_or_default()))
}
