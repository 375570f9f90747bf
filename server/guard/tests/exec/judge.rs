//! bash as the judge: whatever is taken for plain reading is run in a folder, and nothing in it changes.

use std::collections::BTreeMap;
use std::fs;
use std::os::unix::fs::MetadataExt;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::Duration;

use swarm_guard::exec::{Exit, spawn};
use swarm_wire::permission::Level;

use crate::fixture::commands;
use crate::support::{World, finish, place};

/// How long a command runs that would wait for ever, as `tail -f` does.
const PATIENCE: Duration = Duration::from_millis(400);

/// A small repository, so that what reads one has something to read.
fn furnish(folder: &Path) {
    for (path, text) in [
        ("a", "one\ntwo\n"),
        ("b", "two\none\n"),
        ("c", "x[$(touch judged)]\n"),
        ("a.txt", "a\n"),
        ("log.txt", "line\n"),
        ("README.md", "# x\n"),
        ("Cargo.toml", "[package]\nname = \"x\"\n"),
        ("src/lib.rs", "fn x() {}\n"),
        ("a b", "blank\n"),
    ] {
        let path = folder.join(path);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(path, text).unwrap();
    }
    let script =
        "git init -q && git add -A && git -c user.name=x -c user.email=x@x commit -qm x && git tag v1";
    assert!(Command::new("sh").args(["-c", script]).current_dir(folder).status().unwrap().success());
}

/// Every file with its text, mode and time of change. Git renews its index whenever it reads, which is its own cache.
fn seen(folder: &Path) -> BTreeMap<PathBuf, (Vec<u8>, u32, i64)> {
    let (mut all, mut folders) = (BTreeMap::new(), vec![folder.to_owned()]);
    while let Some(folder) = folders.pop() {
        for entry in fs::read_dir(folder).unwrap().flatten() {
            let (path, meta) = (entry.path(), entry.metadata().unwrap());
            if meta.is_dir() {
                all.insert(path.clone(), (Vec::new(), meta.mode(), 0));
                folders.push(path);
            } else if !path.ends_with(".git/index") {
                let text = fs::read(&path).unwrap_or_default();
                all.insert(path, (text, meta.mode(), meta.mtime()));
            }
        }
    }
    all
}

#[tokio::test]
async fn what_is_taken_for_reading_changes_nothing() {
    let (mut guilty, mut ran) = (Vec::new(), 0);
    let world = World::within(place());
    let temp = world.home().join("temp");
    fs::create_dir(&temp).unwrap();
    furnish(&world.workspace());
    let folders = [world.workspace(), temp.clone()];
    let look = || folders.clone().map(|folder| seen(&folder));
    let mut before = look();
    for (_, line) in commands().into_iter().filter(|(level, _)| *level == Level::ReadOnly) {
        let mut order = world.bash(&line);
        order.policy.temp = Some(temp.clone());
        order.timeout = Some(PATIENCE);
        let finished = finish(spawn(order).await.unwrap()).await;
        ran += usize::from(!matches!(finished.exit, Exit::Code(126 | 127)));
        let after = look();
        if after != before {
            let changed: Vec<_> = after
                .iter()
                .zip(&before)
                .flat_map(|(after, before)| {
                    let new = after.iter().filter(|(path, seen)| before.get(*path) != Some(seen));
                    new.map(|(path, _)| path.clone())
                        .chain(before.keys().filter(|path| !after.contains_key(*path)).cloned())
                })
                .collect();
            guilty.push(format!("{line:?} changed {changed:?}"));
            before = after;
        }
    }
    assert!(guilty.is_empty(), "{guilty:#?}");
    assert!(ran > 200, "only {ran} commands ran");
}
