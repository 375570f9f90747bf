//! Everything that a command may not do, tried. As the user who runs the tests and, where that is the
//! administrator, as an ordinary user as well.

mod outside;

use std::fs;
use std::os::unix::fs::MetadataExt;
use std::path::Path;
use std::process::Command;

use rustix::event::{PollFd, PollFlags};

use self::outside::{Outside, User, users};
use crate::support::{is_administrator, probe};

/// Waits until somebody has written to a named pipe.
fn signalled(path: &Path) {
    let pipe = fs::File::options().read(true).write(true).open(path).unwrap();
    let minute = rustix::event::Timespec { tv_sec: 60, tv_nsec: 0 };
    let mut ready = [PollFd::new(&pipe, PollFlags::IN)];
    assert_eq!(
        rustix::event::poll(&mut ready, Some(&minute)).unwrap(),
        1,
        "nobody wrote to {}",
        path.display()
    );
}

/// Runs lines that succeed only when they get out, as each user.
fn none_gets_out(lines: &[&str]) {
    for user in users() {
        let outside = Outside::new(user);
        let before = outside.fingerprint();
        for line in lines {
            let line = filled(line, &outside);
            let attempt = format!("if {{ {line}\n}} >/dev/null 2>&1; then echo OUT; else echo held; fi");
            assert_eq!(outside.run(&attempt), "held\nCode(0)\n", "{user:?}: {line}");
        }
        let after = outside.fingerprint();
        for (path, state) in &before {
            assert_eq!(after.get(path), Some(state), "{user:?}: {}", path.display());
        }
        assert_eq!(after.len(), before.len(), "{user:?}: {:?}", after.keys());
    }
}

fn filled(line: &str, outside: &Outside) -> String {
    line.replace("PROBE", &format!("{}/bin/probe attack", outside.home().display()))
        .replace("LEADER", &std::process::id().to_string())
        .replace("ABSTRACT", &outside.name)
        .replace("TCP", &outside.tcp.local_addr().unwrap().to_string())
        .replace("UDP", &outside.udp.local_addr().unwrap().to_string())
        .replace("PORT", &outside.tcp.local_addr().unwrap().port().to_string())
        .replace("DIR", &outside.dir.path().display().to_string())
}

const HOME: &[&str] = &[
    "echo x >~/notes",
    "echo x >>../notes",
    "echo x >sub/link",
    "ln -s ~/notes mine && echo x >mine",
    "ln ~/notes hard && echo x >hard",
    "rm ~/notes",
    "mv ~/notes ~/other",
    "mv ~/notes .",
    "touch ~/new",
    "mkdir ~/new",
    "chmod 777 ~/notes",
    "chmod 777 ~",
    "chown 1 ~/notes",
    "touch -d 2000-01-01 ~/notes",
    "truncate -s 0 ~/notes",
    "echo x >~/bin/tool",
    "echo x >~/.cargo/bin/cargo",
    "echo x >/proc/self/cwd/../notes",
    "exec 3<~/notes && echo x >/proc/self/fd/3",
    "cd ~ && mv work work2",
    "timeout 5 bash -c 'echo x >~/fifo'",
    "timeout 5 bash -c 'echo x 1<>~/fifo'",
];

#[test]
fn the_home_is_not_written() {
    none_gets_out(HOME);
}

/// A line that fails for a reason of its own would prove nothing.
#[test]
fn without_walls_each_of_these_gets_out() {
    // Only an administrator may give a file away, walls or not.
    let is_possible = |line: &&&str| is_administrator() || !line.starts_with("chown ");
    for line in HOME.iter().chain(SELF_RUNNING).filter(is_possible) {
        let outside = Outside::new(User::Tester);
        // Somebody reads the pipe, and the places are there.
        let _reader = fs::File::options().read(true).write(true).open(outside.home().join("fifo")).unwrap();
        for path in [".vscode", ".swarm"] {
            fs::create_dir(outside.home().join("work").join(path)).unwrap();
        }
        let mut bash = Command::new("bash");
        bash.args(["-c", &filled(line, &outside)]).current_dir(outside.home().join("work"));
        let output = bash.env("HOME", outside.home()).env_remove("GIT_DIR").output().unwrap();
        assert!(output.status.success(), "{line}: {output:?}");
    }
}

#[test]
fn nothing_of_the_system_is_written() {
    none_gets_out(&[
        "echo x >/etc/hosts",
        "touch /usr/bin/new",
        "echo core >/proc/sys/kernel/core_pattern",
        "echo 1 >/proc/sys/vm/drop_caches",
        "echo h >/proc/sysrq-trigger",
        "mkdir /sys/fs/cgroup/new",
        "find /sys/kernel -type f -perm -u+w -exec sh -c ': >>\"$1\"' sh {} \\; -print -quit 2>/dev/null | grep -q . && echo 0 >/sys/kernel/profiling",
        "mknod disk b 254 0",
        "ls /dev/vda /dev/sda /dev/kmsg /dev/mem 2>/dev/null | grep .",
        "grep -c . /proc/kcore",
        "touch /run/new",
        "touch /dev/new",
        "rm /dev/null",
    ]);
}

#[test]
fn secrets_are_not_there() {
    none_gets_out(&[
        "cat ~/.ssh/id",
        "ls -A ~/.ssh | grep .",
        "grep . ~/.netrc",
        "cat ~/.config/gh/hosts.yml",
        "ls -A ~/swarm | grep .",
        "flock -n ~/swarm/teams/leader.lock true",
        "chmod 777 ~/swarm",
        "touch ~/swarm/new",
        "ls -A /run | grep -v current-system | grep -v .empty | grep .",
        "cp /bin/true /run/.empty",
        "grep . /etc/shadow",
        "cat /etc/ssh/*",
        // Another's home; the tests have none of their own to show.
        "[ ~ = /root ] || ls -A /root | grep .",
        "ln ~/.ssh/id mine",
        "find DIR -name leader.lock 2>/dev/null | grep .",
        "cat /proc/1/root$HOME/.ssh/id",
        "cat /proc/self/root$HOME/.ssh/id",
    ]);
}

const SELF_RUNNING: &[&str] = &[
    "echo x >.git/config",
    "git config core.fsmonitor 'touch planted'",
    "git config --local alias.status '!touch planted'",
    "rm .git/config",
    "mv .git/config .git/old",
    "ln -sf /tmp/mine .git/config",
    "chmod 777 .git/config",
    "mv .git .git2",
    "rm -rf .git && mkdir .git",
    "echo x >.git/hooks/pre-commit",
    "mv .git/hooks .git/hooks2",
    "rm -r .git/hooks",
    "echo x >.envrc",
    "rm .envrc",
    "mv .envrc other",
    "echo x >.vscode/tasks.json",
    "mkdir mine && touch mine/tasks.json && mv -T mine .vscode",
    "rmdir .vscode",
    "mv .vscode mine",
    "rmdir .vscode && ln -s /tmp .vscode",
    "echo x >.swarm/settings.json",
    "mkdir -p .swarm/agents",
];

#[test]
fn what_runs_by_itself_is_not_planted() {
    none_gets_out(SELF_RUNNING);
}

#[test]
fn processes_of_others_are_not_reached() {
    none_gets_out(&[
        "ls /proc/LEADER",
        "cat /proc/LEADER/environ",
        "kill -0 LEADER",
        "cat /proc/*/environ | grep -z LEADER_WORD | grep -q secret && [ -z \"$LEADER_WORD\" ]",
        "head -c 1 /proc/1/mem",
        "cat /proc/1/environ",
        "readlink /proc/1/fd/0",
        "cat /proc/1/fd/0",
        "ls -l /proc/1/cwd/",
        "PROBE trace-init",
        "kill -9 1; kill -STOP 1; kill -0 1",
        "[ $(ps -e | wc -l) -gt 8 ]",
    ]);
}

#[test]
fn walls_are_not_taken_down_from_within() {
    none_gets_out(&[
        "unshare -Ur true",
        "unshare -Urm true",
        "mount -t tmpfs none /tmp",
        "umount ~/.ssh",
        "umount -l /run",
        "PROBE user-namespace",
        "PROBE mount-namespace",
        "PROBE clone-namespace",
        "PROBE clone3",
        "PROBE unmount /run",
        "PROBE unmount .git/config",
        "PROBE move-tree",
        "PROBE chroot",
        "PROBE io-uring",
        "PROBE keys",
        "PROBE bpf",
        "PROBE x32",
        "PROBE type",
        "PROBE set-id",
        "nsenter -t 1 -m true",
        "setpriv --inh-caps +sys_admin true",
    ]);
}

#[test]
fn sockets_outside_are_not_reached() {
    none_gets_out(&[
        "PROBE unix ~/socket",
        "PROBE unix DIR/socket",
        "PROBE unix ~/work/socket",
        "PROBE unix-datagram ~/datagram",
        "PROBE abstract ABSTRACT",
        "PROBE connect TCP",
        "echo x >/dev/tcp/127.0.0.1/PORT",
        "PROBE connect 192.0.2.1:80",
        "PROBE connect [2001:db8::1]:80",
        "PROBE udp 192.0.2.1:53",
        "PROBE raw",
        "PROBE packet",
        "PROBE mptcp",
        "PROBE vsock",
        "PROBE fast-open",
        "timeout 5 getent hosts example.com",
    ]);
}

#[test]
fn a_datagram_to_the_loopback_stays_in_it() {
    for user in users() {
        let outside = Outside::new(user);
        outside.run(&filled("PROBE udp UDP; PROBE unix-datagram ~/datagram", &outside));
        outside.udp.set_nonblocking(true).unwrap();
        assert!(outside.udp.recv(&mut [0; 8]).is_err(), "{user:?}");
        outside.datagram.0.set_nonblocking(true).unwrap();
        assert!(outside.datagram.0.recv(&mut [0; 8]).is_err(), "{user:?}: {}", outside.datagram.1.display());
        for (listener, path) in &outside.pathname {
            listener.set_nonblocking(true).unwrap();
            assert!(listener.accept().is_err(), "{user:?}: {}", path.display());
        }
    }
}

#[test]
fn a_second_configuration_ends_the_command_that_makes_it() {
    for user in users() {
        for line in [
            "echo /tmp >.git/commondir; sleep 60",
            "mkdir /tmp/x; touch .git/mine; mv .git/mine .git/config.worktree; sleep 60",
            "mkdir .git/commondir; sleep 60",
        ] {
            let outside = Outside::new(user);
            assert_eq!(outside.run(line), "Tampered\n", "{user:?}: {line}");
            for name in ["commondir", "config.worktree"] {
                assert!(outside.home().join("work/.git").join(name).symlink_metadata().is_err(), "{line}");
            }
        }
    }
}

/// Has `line` run, and replaces `file`, beneath the home, as tools do it, once the line has written to `ready`.
fn replaced_meanwhile(user: User, file: &str, line: &str) -> String {
    let outside = Outside::new(user);
    let home = outside.home();
    rustix::fs::mkfifoat(rustix::fs::CWD, home.join("work/ready"), rustix::fs::Mode::RWXU).unwrap();
    outside.give();
    std::thread::scope(|scope| {
        let printed = scope.spawn(|| outside.run(line));
        signalled(&home.join("work/ready"));
        let (file, other) = (home.join(file), home.join(format!("{file}.lock")));
        fs::copy(&file, &other).unwrap();
        std::os::unix::fs::chown(&other, Some(file.metadata().unwrap().uid()), None).unwrap();
        fs::rename(&other, &file).unwrap();
        fs::write(home.join("work/replaced"), "").unwrap();
        printed.join().unwrap()
    })
}

#[test]
fn a_configuration_replaced_from_outside_is_walled_again() {
    for user in users() {
        let line = "echo >ready; until [ -e replaced ]; do :; done; while echo >>.git/config; do :; done 2>/dev/null";
        assert_eq!(replaced_meanwhile(user, "work/.git/config", line), "Code(0)\n", "{user:?}");
    }
}

#[test]
fn a_secret_replaced_from_outside_is_hidden_again() {
    for user in users() {
        let line = "echo >ready; until [ -e replaced ]; do :; done; while grep -q . ~/.netrc; do :; done";
        assert_eq!(replaced_meanwhile(user, ".netrc", line), "Code(0)\n", "{user:?}");
    }
}

#[test]
fn a_repository_cannot_be_made_where_none_is() {
    for user in users() {
        let outside = Outside::new(user);
        let work = outside.home().join("work");
        fs::remove_dir_all(work.join(".git")).unwrap();
        let line = "git init 2>/dev/null || echo no; mkdir mine; mv -T mine .git 2>/dev/null || echo no";
        assert_eq!(outside.run(line), "no\nno\nCode(0)\n", "{user:?}");
        assert!(!work.join(".git").exists(), "the placeholder is gone");
    }
}

#[test]
fn places_made_to_be_protected_are_gone_when_the_last_command_is() {
    let outside = Outside::new(User::Tester);
    let work = outside.home().join("work");
    rustix::fs::mkfifoat(rustix::fs::CWD, work.join("one"), rustix::fs::Mode::RWXU).unwrap();
    rustix::fs::mkfifoat(rustix::fs::CWD, work.join("two"), rustix::fs::Mode::RWXU).unwrap();
    std::thread::scope(|scope| {
        let first = scope.spawn(|| outside.run("echo >two; cat one"));
        signalled(&work.join("two"));
        assert_eq!(outside.run("[ -d .vscode ] && echo there"), "there\nCode(0)\n");
        assert!(work.join(".vscode").is_dir(), "the first command still needs it");
        fs::write(work.join("one"), "").unwrap();
        assert_eq!(first.join().unwrap(), "Code(0)\n");
    });
    assert!(!work.join(".vscode").exists());
    assert!(!work.join(".swarm").exists());
}

#[test]
fn the_environment_names_no_key_and_no_way_out() {
    let outside = Outside::new(User::Tester);
    let mut leader = Command::new(probe());
    leader.arg("lead").arg(serde_json::to_string(&outside.policy()).unwrap()).arg("env | cut -d= -f1 | sort");
    leader.env_clear().env("PATH", "/usr/bin:/bin");
    for name in
        ["TMUX", "NVIM", "VSCODE_IPC_HOOK_CLI", "SSH_AUTH_SOCK", "DBUS_SESSION_BUS_ADDRESS", "DOCKER_HOST"]
    {
        leader.env(name, "x");
    }
    leader.env("ANTHROPIC_API_KEY", "x").env("GITHUB_TOKEN", "x");
    let output = String::from_utf8(leader.output().unwrap().stdout).unwrap();
    assert_eq!(output, "HOME\nPATH\nPWD\nSHLVL\nTMPDIR\n_\nCode(0)\n");
}
