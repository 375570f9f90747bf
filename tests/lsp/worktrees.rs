//! Teammates with a git worktree of their own: what they commit is on their branch, the user's checkout is out of their
//! reach, and no work of theirs is lost when they end.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use serde_json::{Value, json};
use swarm_tests::script::{Script, Step, call, reply};
use swarm_tests::{Caps, Editor, FakeModel, World};

use crate::backends::{ada, bash, done, kept_by_all};
use crate::{execute, of, played, prompt};

fn git_in(folder: &Path, arguments: &[&str]) -> String {
    let run = Command::new("git").args(arguments).current_dir(folder).output().unwrap();
    assert!(run.status.success(), "{arguments:?}: {}", String::from_utf8_lossy(&run.stderr));
    String::from_utf8(run.stdout).unwrap()
}

fn git(world: &World, arguments: &[&str]) -> String {
    git_in(world.workspace(), arguments)
}

/// Makes the workspace a repository with one commit.
fn repository(world: &World) {
    git(world, &["init", "-q", "-b", "main"]);
    git(world, &["config", "user.name", "ada"]);
    git(world, &["config", "user.email", "ada@localhost"]);
    world.write("a.txt", "a\n");
    world.write("web/b.txt", "b\n");
    git(world, &["add", "."]);
    git(world, &["commit", "-q", "-m", "begin"]);
}

/// A repository in which ada is played by these steps.
fn repository_of(steps: impl IntoIterator<Item = Step>) -> (FakeModel, World) {
    let (model, world) = ada(steps);
    repository(&world);
    (model, world)
}

/// An editor whose user lets everything through that destroys nothing.
fn trusting(world: &World) -> Editor {
    let mut editor = world.editor(Caps::with_terminals());
    editor
        .notify("workspace/didChangeConfiguration", json!({ "settings": { "swarm": { "trust": "full" } } }));
    editor
}

fn spawn(editor: &mut Editor, name: &str, backend: &str) -> Value {
    let params = json!({ "name": name, "prompt": "Go.", "backend": backend, "worktree": true });
    editor.request("swarm/teammate/spawn", params)
}

fn folder(member: &Value) -> PathBuf {
    member["worktree"]["path"].as_str().unwrap().into()
}

/// Waits for the end of ada's turn.
fn completed(editor: &mut Editor) {
    let end = editor.await_event_where("turnEnded", |event| of(event, "ada"));
    assert_eq!(end["reason"], "completed", "{end}");
}

fn stop(editor: &mut Editor, name: &str) -> Value {
    editor.request("swarm/teammate/stop", json!({ "member": name, "force": true }));
    editor.await_event_where("memberEnded", |event| of(event, name))
}

fn branches(world: &World) -> String {
    git(world, &["branch", "--list", "--format=%(refname:short)", "swarm/*"])
}

/// The folders of worktrees that there are.
fn left(world: &World) -> Vec<String> {
    let teams = world.swarm_home().join("teams");
    let folders = fs::read_dir(teams).unwrap().map(|team| team.unwrap().path().join("worktrees"));
    let entries = folders.filter_map(|folder| fs::read_dir(folder).ok()).flatten();
    entries.map(|entry| entry.unwrap().file_name().into_string().unwrap()).collect()
}

const COMMIT: &str =
    "echo mine > made.txt && git add made.txt && git commit -qm made && git branch --show-current";

kept_by_all! {
    a_commit_is_on_its_branch_and_the_checkout_stays_as_it_is
    the_checkout_is_refused_with_the_path_to_take
}

fn a_commit_is_on_its_branch_and_the_checkout_stays_as_it_is(backend: &str) {
    let write = call("Write", json!({ "path": "b.txt", "content": "b" }));
    let (model, world) = repository_of([
        reply([bash(COMMIT)]),
        reply([write]).expect("swarm/workspace/ada"),
        done().expect("Created b.txt"),
    ]);
    world.write("a.txt", "not committed\n");
    let before = git(&world, &["status", "--porcelain", "--branch"]);
    let mut editor = trusting(&world);
    let member = spawn(&mut editor, "ada", backend);
    assert_eq!(member["worktree"]["branch"], "swarm/workspace/ada", "{member}");
    completed(&mut editor);

    let path = folder(&member);
    assert!(path.ends_with("teams/workspace/worktrees/ada"), "{}", path.display());
    assert_eq!(fs::read_to_string(path.join("b.txt")).unwrap(), "b");
    assert_eq!(fs::read_to_string(path.join("a.txt")).unwrap(), "a\n");
    assert_eq!(git(&world, &["log", "--format=%s", "swarm/workspace/ada"]), "made\nbegin\n");
    assert_eq!(git(&world, &["status", "--porcelain", "--branch"]), before);
    let file = fs::read(world.swarm_home().join("teams/workspace.json")).unwrap();
    let entry = serde_json::from_slice::<Value>(&file).unwrap()["members"][1].take();
    assert_eq!(
        (&entry["worktreePath"], &entry["cwd"]),
        (&member["worktree"]["path"], &member["worktree"]["path"])
    );
    let told = model.wait_for(1)[0].body["system"].to_string();
    for words in [path.to_str().unwrap(), "swarm/workspace/ada", world.workspace().to_str().unwrap()] {
        assert!(told.contains(words), "{words}: {told}");
    }
    // Its branch is the way back.
    let kept = editor.request("swarm/checkpoint/list", json!({}));
    assert_eq!(kept["checkpoints"], json!([]));
}

fn the_checkout_is_refused_with_the_path_to_take(backend: &str) {
    let refused = "worktrees/ada/a.txt`";
    // The way there is only known when the command runs, so that the walls have to hold.
    let by_shell = "there=$(git rev-parse --git-common-dir)/..; ls $there/a.txt; echo x > $there/a.txt; \
                    echo x > $there/new.txt; git config user.name eve; echo x > $there/.git/hooks/pre-commit; \
                    git branch -f main HEAD~0; git branch other; true";
    let script = |users: &str| {
        let write = call("Write", json!({ "path": users, "content": "x" }));
        Script::new().agent(
            "ada",
            [
                reply([call("Read", json!({ "path": users }))]),
                reply([write]).expect(refused),
                reply([bash(&format!("echo x > {users}"))]).expect(refused),
                reply([bash(by_shell)]).expect(refused),
                done().expect("Device or resource busy"),
            ],
        )
    };
    let mut world = crate::world();
    let model = FakeModel::start(script(world.path("a.txt").to_str().unwrap()));
    world.model(&model);
    repository(&world);
    let mut editor = trusting(&world);
    // What is open there is the checkout's, not the worktree's.
    editor.open(&world.uri("a.txt"), "unsaved\n");
    spawn(&mut editor, "ada", backend);
    completed(&mut editor);
    assert_eq!(world.read("a.txt"), "a\n");
    assert_eq!(git(&world, &["status", "--porcelain"]), "");
    assert_eq!(git(&world, &["config", "user.name"]), "ada\n");
    assert_eq!(git(&world, &["branch", "--format=%(refname:short)"]), "main\nswarm/workspace/ada\n");
    assert!(!world.path(".git/hooks/pre-commit").exists());
}

#[test]
fn a_worktree_without_work_goes_with_its_branch() {
    let (_model, world) = repository_of([done(), done()]);
    let mut editor = trusting(&world);
    let member = spawn(&mut editor, "ada", "in-process");
    completed(&mut editor);
    assert!(folder(&member).join("a.txt").exists());
    let end = stop(&mut editor, "ada");
    assert!(end["summary"].as_str().unwrap().contains("removed"), "{end}");
    assert!(!folder(&member).exists());
    assert_eq!(branches(&world), "");
    assert_eq!(git(&world, &["worktree", "list", "--porcelain"]).matches("worktree ").count(), 1);
}

#[test]
fn the_page_of_the_team_names_the_branch() {
    let (_model, world) = repository_of([done()]);
    let mut editor = world.editor(Caps::bare());
    spawn(&mut editor, "ada", "in-process");
    let page = execute(&mut editor, "swarm.status", Value::Null);
    assert!(page["text"].as_str().unwrap().contains("| ada on `swarm/workspace/ada` |"), "{page}");
}

#[test]
fn work_that_is_in_another_branch_keeps_no_worktree() {
    let (_model, world) = repository_of([reply([bash(COMMIT)]), done()]);
    let mut editor = trusting(&world);
    let member = spawn(&mut editor, "ada", "in-process");
    completed(&mut editor);
    git(&world, &["merge", "-q", "swarm/workspace/ada"]);
    stop(&mut editor, "ada");
    assert!(!folder(&member).exists());
    assert_eq!(branches(&world), "");
    assert_eq!(world.read("made.txt"), "mine\n");
}

#[test]
fn a_worktree_with_work_is_kept_and_named_to_the_user_and_the_leader() {
    let work = format!("{COMMIT}; echo more >> a.txt; echo new > untracked.txt");
    let script = Script::new()
        .agent("ada", [reply([bash(&work)]), done()])
        .agent("team-lead", [done(), done().expect("worktrees/ada, branch `swarm/workspace/ada`")]);
    let (_model, world) = played(script);
    repository(&world);
    let mut editor = trusting(&world);
    let member = spawn(&mut editor, "ada", "hidden");
    completed(&mut editor);
    editor.await_event_where("turnEnded", |event| of(event, "team-lead"));
    let end = stop(&mut editor, "ada");
    let path = folder(&member);
    let summary = end["summary"].as_str().unwrap();
    for words in [
        path.to_str().unwrap(),
        "branch `swarm/workspace/ada`",
        "1 commit, 2 files changed, 2 insertions(+), 1 untracked file",
    ] {
        assert!(summary.contains(words), "{words}: {summary}");
    }
    editor.await_notification("window/showMessage", |params| {
        params["message"].as_str().is_some_and(|message| message.ends_with(summary))
    });
    assert_eq!(fs::read_to_string(path.join("untracked.txt")).unwrap(), "new\n");
    prompt(&mut editor, "What is left?");
    let told = editor.await_event_where("turnEnded", |event| of(event, "team-lead"));
    assert_eq!(told["reason"], "completed", "{told}");

    // A team is not deleted with work in it.
    let refused = editor.try_request("swarm/team/delete", json!({ "name": "workspace" })).unwrap_err();
    assert!(refused.message.contains("git worktree remove"), "{}", refused.message);
    // A later team's ada gets a place of her own.
    assert_eq!(spawn(&mut editor, "ada", "in-process")["worktree"]["branch"], "swarm/workspace/ada-2");
}

#[test]
fn one_that_agrees_to_end_leaves_its_untracked_file_and_the_leader_hears_at_once() {
    let agree = json!({ "request_id": "${id}", "approve": true });
    let script = Script::new()
        .agent(
            "ada",
            [
                reply([bash("echo new > untracked.txt")]),
                done(),
                reply([call("ShutdownReply", agree)]).capture("id", "request_id `", "`"),
            ],
        )
        .agent("team-lead", [done(), done().expect("(1 untracked file)")]);
    let (_model, world) = played(script);
    repository(&world);
    let mut editor = trusting(&world);
    let member = spawn(&mut editor, "ada", "in-process");
    completed(&mut editor);
    editor.await_event_where("turnEnded", |event| of(event, "team-lead"));
    editor.request("swarm/teammate/stop", json!({ "member": "ada" }));
    let end = editor.await_event("memberEnded");
    assert_eq!(end["event"]["outcome"], "completed", "{end}");
    let told = editor.await_event_where("turnEnded", |event| of(event, "team-lead"));
    assert_eq!(told["reason"], "completed", "{told}");
    assert_eq!(fs::read_to_string(folder(&member).join("untracked.txt")).unwrap(), "new\n");
}

#[test]
fn a_worktree_that_cannot_be_had_is_an_error_and_nothing_is_left() {
    type Prepare = fn(&World);
    let cases: [(Prepare, &str); 4] = [
        (|_| {}, "`git init`"),
        (|world| drop(git(world, &["init", "-q"])), "has no commit"),
        (|world| drop(git(world, &["init", "-q", "--bare"])), "without a checkout"),
        (
            |world| {
                repository(world);
                git(world, &["branch", "swarm"]);
            },
            "git worktree",
        ),
    ];
    for (prepare, words) in cases {
        let (_model, world) = ada([]);
        prepare(&world);
        let mut editor = trusting(&world);
        let params = json!({ "name": "ada", "prompt": "Go.", "worktree": true });
        let error = editor.try_request("swarm/teammate/spawn", params).unwrap_err();
        assert!(
            error.message.contains(words) && error.message.contains("without `worktree`"),
            "{}",
            error.message
        );
        let members = editor.request("swarm/state", json!({}))["members"].take();
        assert!(!members.to_string().contains("ada@"), "{members}");
        assert_eq!(left(&world), Vec::<String>::new(), "{words}");
    }
}

#[test]
fn two_of_a_name_at_once_get_a_worktree_each_and_one_call_makes_one() {
    let work = |name: &str| {
        [
            reply([bash(&format!("echo {name} >> a.txt && git commit -qam {name} && cat a.txt"))]),
            done().expect(name),
        ]
    };
    let script = Script::new().agent("ada", work("first")).agent("ada-2", work("second"));
    let (_model, world) = played(script);
    repository(&world);
    let mut editor = trusting(&world);
    let params = |call: &str| json!({ "name": "ada", "prompt": "Go.", "worktree": true, "callId": call });
    let (one, two) = (
        editor.send_request("swarm/teammate/spawn", params("1")),
        editor.send_request("swarm/teammate/spawn", params("2")),
    );
    let (one, two) = (editor.answer_to(one).unwrap(), editor.answer_to(two).unwrap());
    assert_ne!(one["worktree"], two["worktree"]);
    let again = editor.request("swarm/teammate/spawn", params("1"));
    assert_eq!(again["agentId"], one["agentId"]);
    editor.await_event_where("turnEnded", |event| of(event, "ada"));
    editor.await_event_where("turnEnded", |event| of(event, "ada-2"));
    assert_eq!(fs::read_to_string(folder(&one).join("a.txt")).unwrap(), "a\nfirst\n");
    assert_eq!(fs::read_to_string(folder(&two).join("a.txt")).unwrap(), "a\nsecond\n");
    assert_eq!(world.read("a.txt"), "a\n");
}

#[test]
fn it_works_on_in_its_worktree_under_the_next_server() {
    let (_model, world) = repository_of([
        reply([bash("echo one > made.txt")]),
        done(),
        reply([bash("cat made.txt && git add made.txt && git commit -qm made")]),
        done().expect("one"),
    ]);
    let mut first = trusting(&world);
    let member = spawn(&mut first, "ada", "hidden");
    completed(&mut first);
    first.await_event_where("turnEnded", |event| of(event, "team-lead"));
    first.close();
    // Git keeps branches in one file after this, and their folders are gone.
    git(&world, &["pack-refs", "--all"]);
    let mut editor = trusting(&world);
    let state = editor.request("swarm/state", json!({}));
    assert_eq!(state["members"][1]["worktree"], member["worktree"], "{state}");
    editor.request("swarm/prompt", json!({ "text": "Go on.", "member": "ada" }));
    completed(&mut editor);
    assert_eq!(git(&world, &["log", "--format=%s", "swarm/workspace/ada"]), "made\nbegin\n");
}

#[test]
fn one_whose_worktree_is_gone_does_not_start_elsewhere() {
    let (_model, world) = repository_of([done()]);
    let mut first = trusting(&world);
    let member = spawn(&mut first, "ada", "in-process");
    completed(&mut first);
    first.await_event_where("turnEnded", |event| of(event, "team-lead"));
    first.close();
    fs::remove_dir_all(folder(&member)).unwrap();
    let mut editor = trusting(&world);
    let error = editor.try_request("swarm/teammate/restart", json!({ "member": "ada" })).unwrap_err();
    assert!(error.message.contains("git worktree add -f"), "{}", error.message);
    stop(&mut editor, "ada");
}

#[test]
fn a_workspace_that_is_a_part_of_a_repository_has_its_part_of_the_worktree() {
    let (_model, world) =
        ada([reply([bash("pwd; cat b.txt; echo x > ../web/c.txt; git add -A .")]), done().expect("b")]);
    git(&world, &["init", "-q", ".."]);
    for setting in [["user.name", "ada"], ["user.email", "ada@localhost"]] {
        git(&world, &["config", setting[0], setting[1]]);
    }
    world.write("b.txt", "b\n");
    git(&world, &["add", "."]);
    git(&world, &["commit", "-q", "-m", "begin"]);
    let mut editor = trusting(&world);
    let member = spawn(&mut editor, "ada", "in-process");
    completed(&mut editor);
    assert_eq!(git_in(&folder(&member).join("workspace"), &["ls-files"]), "b.txt\n");
}

#[test]
fn the_leaders_agent_gives_a_teammate_a_worktree() {
    let start = call("SpawnTeammate", json!({ "name": "ada", "prompt": "Go.", "worktree": true }));
    let script = Script::new()
        .agent("team-lead", [reply([start]), done().expect("ada@workspace")])
        .agent("ada", [reply([bash("git branch --show-current")]), done().expect("swarm/workspace/ada")]);
    let (_model, world) = played(script);
    repository(&world);
    let mut editor = trusting(&world);
    prompt(&mut editor, "Get ada.");
    completed(&mut editor);
}
