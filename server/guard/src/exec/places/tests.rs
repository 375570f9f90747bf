use super::*;

#[test]
fn a_worktree_may_write_what_a_commit_needs_and_nothing_that_steers_git() {
    let dir = tempfile::tempdir().unwrap();
    let root = dir.path().canonicalize().unwrap();
    let git_dir = root.join("repo/.git/worktrees/tree");
    fs::create_dir_all(root.join("tree")).unwrap();
    fs::create_dir_all(&git_dir).unwrap();
    fs::write(root.join("tree/.git"), format!("gitdir: {}\n", git_dir.display())).unwrap();
    fs::write(git_dir.join("commondir"), "../..\n").unwrap();
    let paths = git_paths(&root.join("tree")).unwrap();
    let common = root.join("repo/.git");
    assert_eq!(paths.writable, [git_dir.clone(), common.clone()]);
    for readonly in [
        Protected::File(root.join("tree/.git")),
        Protected::File(git_dir.join("commondir")),
        Protected::File(common.join("config")),
        Protected::File(common.join("worktrees")),
        Protected::Directory(common.join("hooks")),
    ] {
        assert!(paths.readonly.contains(&readonly), "{readonly:?}");
    }
}

#[test]
fn a_members_worktree_without_its_link_has_no_walls() {
    let dir = tempfile::tempdir().unwrap();
    let path = dir.path().canonicalize().unwrap();
    let worktree =
        Worktree { checkout: path.join("repo"), branch: "swarm/shop/ada".into(), path: path.clone() };
    let error = Policy::for_worktree(&worktree, &path).unwrap_err();
    assert_eq!(error.to_string(), "it is no git worktree any more");
}

#[test]
fn a_workspace_without_a_repository_needs_no_git_paths() {
    let dir = tempfile::tempdir().unwrap();
    assert_eq!(git_paths(dir.path()).unwrap(), GitPaths::default());
}

#[test]
fn the_usual_walls_hide_keys_and_other_homes_and_open_no_network() {
    let dir = tempfile::tempdir().unwrap();
    let home = dir.path().canonicalize().unwrap();
    fs::create_dir(home.join("work")).unwrap();
    let policy = Policy::for_workspace(&home.join("work"), &home).unwrap();
    for hidden in [home.join(".ssh"), home.join(".aws"), "/run".into(), "/home".into(), "/root".into()] {
        assert!(policy.hidden.contains(&hidden), "{}", hidden.display());
    }
    assert_eq!(policy.network, Network::None);
}
