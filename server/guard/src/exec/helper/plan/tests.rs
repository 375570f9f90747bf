use super::*;
use crate::exec::policy::Network;

/// What is planned for the places in `expected`, in a home with a workspace in it.
fn check(change: impl FnOnce(&mut Policy, &Path), expected: &[(&str, Option<What>)]) {
    let dir = tempfile::tempdir().unwrap();
    let home = dir.path().canonicalize().unwrap();
    for path in ["work/.git/hooks", "work/.vscode", ".ssh/agents"] {
        fs::create_dir_all(home.join(path)).unwrap();
    }
    for file in ["HEAD", "config"] {
        fs::write(home.join("work/.git").join(file), "").unwrap();
    }
    let mut policy = Policy {
        workspace: home.join("work"),
        home: home.clone(),
        writable: Vec::new(),
        readonly_within: vec![
            Protected::File(".git/config".into()),
            Protected::File(".envrc".into()),
            Protected::Directory(".vscode".into()),
            Protected::Directory(".swarm".into()),
        ],
        hidden: vec![home.join(".ssh"), home.join(".netrc")],
        caches: None,
        temp: None,
        network: Network::None,
        confinement: Confinement::Full,
    };
    change(&mut policy, &home);
    let mounts = plan(&policy, &[]);
    for (path, what) in expected {
        let found = mounts.iter().find(|mount| mount.at == home.join(path)).map(|mount| mount.what);
        assert_eq!(found, *what, "{path}");
    }
    for (index, mount) in mounts.iter().enumerate() {
        let later = mounts.get(index..).unwrap();
        assert!(later.iter().all(|later| later == mount || !mount.at.starts_with(&later.at)), "{mounts:?}");
    }
}

#[test]
fn the_workspace_is_written_but_for_what_runs_by_itself() {
    check(
        |_, _| {},
        &[
            ("", Some(What::ReadOnly)),
            ("work", Some(What::Writable)),
            ("work/.git", Some(What::Writable)),
            ("work/.git/config", Some(What::ReadOnly)),
            ("work/.vscode", Some(What::ReadOnly)),
            ("work/.envrc", None),
            (".ssh", Some(What::Hidden)),
            (".netrc", None),
        ],
    );
}

#[test]
fn the_home_as_workspace_is_only_read() {
    check(
        |policy, home| policy.workspace = home.to_owned(),
        &[("", Some(What::ReadOnly)), ("work/.git", None), (".ssh", Some(What::Hidden))],
    );
}

#[test]
fn a_writable_root_beneath_a_hidden_place_is_there_and_the_place_is_not() {
    check(
        |policy, home| policy.writable.push(home.join(".ssh/agents")),
        &[(".ssh", Some(What::Hidden)), (".ssh/agents", Some(What::Writable))],
    );
}

#[test]
fn a_hidden_place_is_hidden_even_when_it_is_named_writable() {
    check(|policy, home| policy.writable.push(home.join(".ssh")), &[(".ssh", Some(What::Hidden))]);
}

#[test]
fn a_protected_place_is_read_only_even_when_it_is_named_writable() {
    check(
        |policy, home| policy.writable.push(home.join("work/.vscode")),
        &[("work/.vscode", Some(What::ReadOnly))],
    );
}

#[test]
fn a_link_to_a_secret_hides_what_it_points_to() {
    check(
        |policy, home| {
            fs::create_dir(home.join("dotfiles")).unwrap();
            std::os::unix::fs::symlink("dotfiles", home.join(".aws")).unwrap();
            policy.hidden.push(home.join(".aws"));
        },
        &[("dotfiles", Some(What::Hidden))],
    );
}

#[test]
fn directories_to_protect_need_not_be_there_but_where_they_would_be() {
    let dir = tempfile::tempdir().unwrap();
    let work = dir.path().join("home/work");
    fs::create_dir_all(&work).unwrap();
    let policy = Policy {
        readonly_within: vec![
            Protected::Directory(".vscode".into()),
            Protected::Directory(".git/hooks".into()),
        ],
        ..Policy::for_workspace(&work, &dir.path().join("home")).unwrap()
    };
    let work = work.canonicalize().unwrap();
    assert_eq!(protected_directories(&policy), [work.join(".git"), work.join(".vscode")]);
    fs::create_dir(work.join(".git")).unwrap();
    assert_eq!(
        protected_directories(&policy),
        [work.join(".git"), work.join(".vscode"), work.join(".git/hooks")]
    );
    fs::remove_dir(work.join(".git")).unwrap();
    fs::write(work.join(".git"), "gitdir: elsewhere").unwrap();
    assert_eq!(protected_directories(&policy), [work.join(".vscode")]);
}

#[test]
fn sockets_are_known_by_their_path_and_abstract_names_are_none() {
    let table = "Num       RefCount Protocol Flags    Type St Inode Path\n\
        0000000000000000: 00000002 00000000 00010000 0001 01 11783 /run/a b.sock\n\
        0000000000000000: 00000003 00000000 00000000 0001 03  1784\n\
        0000000000000000: 00000002 00000000 00010000 0001 01 11785 @/home/ada\n\
        0000000000000000: 00000002 00000000 00010000 0001 01     6 relative\n";
    assert_eq!(named(table), [Path::new("/run/a b.sock")]);
}

#[test]
fn a_further_place_that_turned_into_a_link_is_not_opened() {
    check(
        |policy, home| {
            fs::create_dir_all(home.join("elsewhere")).unwrap();
            std::os::unix::fs::symlink(home.join("elsewhere"), home.join("refs")).unwrap();
            policy.writable = vec![home.join("refs"), home.join("work/.git/hooks")];
        },
        &[("elsewhere", None), ("work/.git/hooks", Some(What::Writable))],
    );
}
