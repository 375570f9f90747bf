use super::*;
use crate::ports::NoEditor;

fn files(folder: &Path) -> Files {
    Files::new(folder.canonicalize().unwrap(), Arc::new(NoEditor))
}

#[tokio::test]
async fn a_path_is_resolved_through_links_to_the_file_itself() {
    let folder = tempfile::tempdir().unwrap();
    let files = files(folder.path());
    std::fs::create_dir(folder.path().join("real")).unwrap();
    std::os::unix::fs::symlink("real", folder.path().join("link")).unwrap();
    std::os::unix::fs::symlink("/nowhere/at/all", folder.path().join("dangling")).unwrap();
    let root = folder.path().canonicalize().unwrap();
    assert_eq!(files.resolve("link/new/file").await.unwrap(), root.join("real/new/file"));
    assert_eq!(files.resolve("real/../x").await.unwrap(), root.join("x"));
    assert!(files.resolve("dangling").await.unwrap_err().contains("link"));
    assert!(files.resolve("none/../x").await.is_err());
    assert!(files.resolve("").await.is_err());
}

#[tokio::test]
async fn a_file_that_changed_since_it_was_read_is_not_written() {
    let folder = tempfile::tempdir().unwrap();
    let files = files(folder.path());
    let path = files.resolve("a").await.unwrap();
    std::fs::write(&path, "one").unwrap();
    let unread = files.read_for_change(&path).await.unwrap();
    assert!(files.require_read(&path, &unread).unwrap_err().contains("before"));

    let seen = files.read(&path).await.unwrap();
    assert!(files.require_read(&path, &seen).is_ok());
    std::fs::write(&path, "two").unwrap();
    let now = files.read_for_change(&path).await.unwrap();
    assert!(files.require_read(&path, &now).unwrap_err().contains("changed"));
    let refused = files.write(&path, Some(seen), b"three".to_vec()).await;
    assert!(matches!(refused, Err(FileError::Changed(_))));
    assert_eq!(std::fs::read(&path).unwrap(), b"two");
}

#[tokio::test]
async fn a_written_file_keeps_its_mode_and_leaves_nothing_beside_it() {
    use std::os::unix::fs::PermissionsExt as _;
    let folder = tempfile::tempdir().unwrap();
    let files = files(folder.path());
    let path = files.resolve("run.sh").await.unwrap();
    std::fs::write(&path, "old").unwrap();
    std::fs::set_permissions(&path, std::fs::Permissions::from_mode(0o754)).unwrap();
    let before = files.read(&path).await.unwrap();
    assert_eq!(files.write(&path, Some(before), b"new".to_vec()).await.unwrap(), Written::Disk);
    assert_eq!(std::fs::metadata(&path).unwrap().permissions().mode() & 0o777, 0o754);
    assert_eq!(std::fs::read_dir(folder.path()).unwrap().count(), 1);
    // The member's own change counts as seen.
    let now = files.read_for_change(&path).await.unwrap();
    assert!(files.require_read(&path, &now).is_ok());
}

#[tokio::test]
async fn a_new_file_gets_its_folders_and_an_unexpected_one_is_kept() {
    let folder = tempfile::tempdir().unwrap();
    let files = files(folder.path());
    let path = files.resolve("deep/er/new.txt").await.unwrap();
    files.write(&path, None, b"x".to_vec()).await.unwrap();
    assert_eq!(std::fs::read(&path).unwrap(), b"x");
    assert!(matches!(files.write(&path, None, b"y".to_vec()).await, Err(FileError::Changed(_))));
}

#[tokio::test]
async fn a_link_put_in_the_way_after_the_decision_leads_nowhere() {
    let (folder, outside) = (tempfile::tempdir().unwrap(), tempfile::tempdir().unwrap());
    let files = files(folder.path());
    std::fs::create_dir(folder.path().join("sub")).unwrap();
    let path = files.resolve("sub/new.txt").await.unwrap();
    // Between the answer and the write the folder becomes a way out.
    std::fs::remove_dir(folder.path().join("sub")).unwrap();
    std::os::unix::fs::symlink(outside.path(), folder.path().join("sub")).unwrap();
    assert!(files.write(&path, None, b"x".to_vec()).await.is_err());
    assert_eq!(std::fs::read_dir(outside.path()).unwrap().count(), 0);
    std::fs::write(outside.path().join("new.txt"), "secret").unwrap();
    assert!(files.read(&path).await.is_err());
}
