//! Where the team's state is kept, and which teams there are.

use std::fs;
use std::io;
use std::os::unix::fs::MetadataExt;
use std::path::{Path, PathBuf};

use swarm_wire::TeamName;
use swarm_wire::team::TeamFile;

use crate::atomic;
use crate::error::{Error, Result};
use crate::team_dir::TeamDir;

/// The swarm root: `$SWARM_HOME`, else `swarm` in the user's local data directory.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Root {
    path: PathBuf,
}

impl Root {
    /// The root that the environment names; nothing is created yet.
    #[expect(clippy::disallowed_methods, reason = "the root's one place in the environment is read here")]
    pub fn from_env() -> Result<Self> {
        match std::env::var_os("SWARM_HOME").filter(|home| !home.is_empty()) {
            Some(home) => {
                let path = PathBuf::from(home);
                if path.is_relative() {
                    // It would lie in whatever folder the editor was started in, a project's own perhaps.
                    let why = "SWARM_HOME must be an absolute path".to_owned();
                    return Err(Error::NotPrivate { path, why });
                }
                Ok(Self::at(path))
            }
            None => Ok(Self::at(dirs::data_local_dir().ok_or(Error::NoDataDir)?.join("swarm"))),
        }
    }

    /// A root at an absolute path.
    pub fn at(path: impl Into<PathBuf>) -> Self {
        Self { path: path.into() }
    }

    pub fn path(&self) -> &Path {
        &self.path
    }

    /// Creates the root for its owner only, and proves that it can be written.
    ///
    /// A folder that exists must be the user's own, and closed to the writing of others.
    pub fn prepare(&self) -> Result<()> {
        atomic::create_dir(&self.path)?;
        let metadata = fs::metadata(&self.path).map_err(Error::io("look at", &self.path))?;
        let refuse = |why: String| Err(Error::NotPrivate { path: self.path.clone(), why });
        if !metadata.is_dir() {
            return refuse("it is not a folder".to_owned());
        }
        if metadata.uid() != nix::unistd::geteuid().as_raw() {
            return refuse(format!("it belongs to user {}", metadata.uid()));
        }
        if metadata.mode() & 0o022 != 0 {
            return refuse(format!("others may write to it (mode {:o})", metadata.mode() & 0o7777));
        }
        for folder in ["teams", "keys", "log"] {
            atomic::create_dir(&self.path.join(folder))?;
        }
        self.prove_writable()
    }

    /// Where the server's own log files go.
    pub fn log_dir(&self) -> PathBuf {
        self.path.join("log")
    }

    /// The state of one team, which need not exist yet.
    pub fn team(&self, name: &TeamName) -> TeamDir {
        TeamDir::new(self.clone(), name.clone())
    }

    /// Every team that has a team file, by name.
    pub fn teams(&self) -> Result<Vec<TeamName>> {
        let dir = self.path.join("teams");
        let listing = match fs::read_dir(&dir) {
            Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(Vec::new()),
            listing => listing.map_err(Error::io("list", &dir))?,
        };
        let mut teams = Vec::new();
        for item in listing {
            let name = item.map_err(Error::io("list", &dir))?.file_name();
            let team = name.to_str().and_then(|name| name.strip_suffix(".json"));
            teams.extend(team.and_then(|team| team.parse::<TeamName>().ok()));
        }
        teams.sort();
        Ok(teams)
    }

    /// The team whose file names this workspace, the newest where there are several.
    ///
    /// An unreadable team file is logged and passed over.
    pub fn team_of_workspace(&self, workspace: &Path) -> Result<Option<TeamName>> {
        Ok(self.look_for_team(workspace)?.0)
    }

    /// As [`Root::team_of_workspace`], with the errors of the team files that were passed over.
    pub fn look_for_team(&self, workspace: &Path) -> Result<(Option<TeamName>, Vec<Error>)> {
        let mut unreadable = Vec::new();
        let wanted = real(workspace);
        let mut newest: Option<TeamFile> = None;
        for name in self.teams()? {
            match self.team(&name).read() {
                Ok(team) => {
                    let later = newest.as_ref().is_none_or(|best| best.created_at < team.created_at);
                    if later && real(Path::new(&team.workspace)) == wanted {
                        newest = Some(team);
                    }
                }
                Err(error) => {
                    tracing::warn!(%error, "a team file was passed over");
                    unreadable.push(error);
                }
            }
        }
        Ok((newest.map(|team| team.name), unreadable))
    }

    pub(crate) fn teams_dir(&self) -> PathBuf {
        self.path.join("teams")
    }

    fn prove_writable(&self) -> Result<()> {
        let probe = self.path.join(format!(".probe-{}", std::process::id()));
        let written = atomic::write_whole(
            &probe,
            fs::OpenOptions::new().create(true).truncate(true),
            b"proof",
            atomic::Durability::Buffered,
        );
        let removed = atomic::remove(&probe);
        written.and(removed)
    }
}

/// Links resolved where the path exists, so that two spellings of one folder are equal.
fn real(path: &Path) -> PathBuf {
    fs::canonicalize(path).unwrap_or_else(|_| path.to_owned())
}
