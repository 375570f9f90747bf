//! What lies around a workspace, for commands that try to get at it: files, sockets, and the leader itself.

use std::collections::BTreeMap;
use std::fs;
use std::net::{TcpListener, UdpSocket};
use std::os::linux::net::SocketAddrExt;
use std::os::unix::fs::{MetadataExt, symlink};
use std::os::unix::net::{SocketAddr as UnixAddr, UnixDatagram, UnixListener};
use std::path::{Path, PathBuf};
use std::process::Command;

use swarm_guard::exec::{Network, Policy};
use tempfile::TempDir;

use crate::support::{is_administrator, place, probe};

/// `nobody`, as most systems have it.
const ORDINARY: u32 = 65534;

/// Who runs the leader.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum User {
    Tester,
    Ordinary,
}

/// What lies around a workspace, and who listens there.
pub(super) struct Outside {
    pub(super) dir: TempDir,
    pub(super) user: User,
    pub(super) pathname: Vec<(UnixListener, PathBuf)>,
    pub(super) datagram: (UnixDatagram, PathBuf),
    _named: UnixListener,
    pub(super) name: String,
    pub(super) tcp: TcpListener,
    pub(super) udp: UdpSocket,
}

impl Outside {
    pub(super) fn new(user: User) -> Self {
        let dir = tempfile::Builder::new()
            .prefix("swarm-outside")
            .permissions(readable())
            .tempdir_in(place())
            .unwrap();
        let home = dir.path().join("home");
        for path in [".ssh", ".config/gh", "work/.git/hooks", "work/sub", "swarm/teams", "bin", ".cargo/bin"]
        {
            fs::create_dir_all(home.join(path)).unwrap();
        }
        for file in
            ["notes", ".ssh/id", ".netrc", ".config/gh/hosts.yml", "swarm/teams/leader.lock", "bin/tool"]
        {
            fs::write(home.join(file), "secret\n").unwrap();
        }
        fs::write(home.join("work/.envrc"), "true\n").unwrap();
        symlink("../../notes", home.join("work/sub/link")).unwrap();
        rustix::fs::mkfifoat(rustix::fs::CWD, home.join("fifo"), rustix::fs::Mode::RWXU).unwrap();
        git(&home.join("work"), &["init", "-q"]);
        let places = [home.join("socket"), dir.path().join("socket"), home.join("work/socket")];
        let pathname = places.map(|path| (UnixListener::bind(&path).unwrap(), path)).into();
        let datagram = home.join("datagram");
        let name = dir.path().display().to_string();
        fs::copy(probe(), home.join("bin/probe")).unwrap();
        let outside = Self {
            user,
            pathname,
            datagram: (UnixDatagram::bind(&datagram).unwrap(), datagram),
            _named: UnixListener::bind_addr(&UnixAddr::from_abstract_name(&name).unwrap()).unwrap(),
            name,
            tcp: TcpListener::bind("127.0.0.1:0").unwrap(),
            udp: UdpSocket::bind("127.0.0.1:0").unwrap(),
            dir,
        };
        outside.give();
        outside
    }

    /// Makes everything the user's own.
    pub(super) fn give(&self) {
        if self.user == User::Ordinary {
            let owner = format!("{ORDINARY}:{ORDINARY}");
            assert!(
                Command::new("chown").args(["-hR", &owner]).arg(self.dir.path()).status().unwrap().success()
            );
        }
    }

    pub(super) fn home(&self) -> PathBuf {
        self.dir.path().join("home")
    }

    pub(super) fn policy(&self) -> Policy {
        let mut policy = Policy::for_workspace(&self.home().join("work"), &self.home()).unwrap();
        policy.hidden.push(self.home().join("swarm"));
        assert_eq!(policy.network, Network::None);
        policy
    }

    /// What a line prints, and how it ends, when a leader of this user runs it.
    pub(super) fn run(&self, line: &str) -> String {
        let mut leader = match self.user {
            User::Tester => Command::new(probe()),
            User::Ordinary => {
                let mut leader = Command::new("setpriv");
                let id = ORDINARY.to_string();
                leader
                    .args(["--reuid", &id, "--regid", &id, "--clear-groups"])
                    .arg(self.home().join("bin/probe"));
                leader
            }
        };
        leader.arg("lead").arg(serde_json::to_string(&self.policy()).unwrap()).arg(line);
        leader
            .env_clear()
            .env("PATH", "/usr/local/bin:/usr/bin:/bin:/usr/sbin:/sbin")
            .env("LEADER_WORD", "secret");
        let output = leader.output().unwrap();
        assert!(output.status.success(), "{line}: {output:?}");
        String::from_utf8(output.stdout).unwrap()
    }

    /// Everything outside of what may be written: content, mode and owner.
    pub(super) fn fingerprint(&self) -> BTreeMap<PathBuf, (u32, u32, Vec<u8>)> {
        let mut found = BTreeMap::new();
        let mut open = vec![self.dir.path().to_owned()];
        while let Some(path) = open.pop() {
            let metadata = path.symlink_metadata().unwrap();
            let protected = [".git/config", ".git/hooks", ".vscode", ".swarm", ".envrc"]
                .iter()
                .any(|path_within| path.starts_with(self.home().join("work").join(path_within)));
            if metadata.is_dir() {
                open.extend(fs::read_dir(&path).unwrap().map(|entry| entry.unwrap().path()));
            }
            if protected || !path.starts_with(self.home().join("work")) {
                let content = if metadata.is_file() { fs::read(&path).unwrap() } else { Vec::new() };
                found.insert(path, (metadata.mode(), metadata.uid(), content));
            }
        }
        found
    }
}

pub(super) fn git(dir: &Path, args: &[&str]) {
    let status =
        Command::new("git").args(args).current_dir(dir).env("GIT_CONFIG_GLOBAL", "/dev/null").status();
    assert!(status.unwrap().success());
}

fn readable() -> fs::Permissions {
    std::os::unix::fs::PermissionsExt::from_mode(0o755)
}

pub(super) fn users() -> Vec<User> {
    if is_administrator() { vec![User::Tester, User::Ordinary] } else { vec![User::Tester] }
}
