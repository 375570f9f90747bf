//! A member that plans reads and nothing else, until the user approves its plan.

use serde_json::{Value, json};
use swarm_tests::script::{Script, call, reply, say};
use swarm_tests::{Caps, Editor};

use crate::{actions, choose, execute, of, played, prompt};

const PLAN: &str = "# Plan\n\nWrite `a.txt`.\n";

fn present() -> swarm_tests::script::ReplyPart {
    call("ExitPlanMode", json!({ "plan": PLAN }))
}

fn bash(command: &str) -> swarm_tests::script::ReplyPart {
    call("Bash", json!({ "command": command }))
}

/// Starts a teammate that has to plan first.
fn spawn(editor: &mut Editor) -> Value {
    let params = json!({ "name": "ada", "prompt": "Write a.txt.", "planModeRequired": true });
    let member = editor.request("swarm/teammate/spawn", params);
    assert_eq!(member["mode"], "plan", "{member}");
    member
}

fn presented(editor: &mut Editor) -> Value {
    editor.await_event("planRequested")["event"]["plan"].take()
}

fn decide(editor: &mut Editor, params: Value) -> String {
    let decided = editor.request("swarm/plan/resolve", params);
    decided["results"][0]["outcome"].as_str().unwrap().to_owned()
}

fn end_of_turn(editor: &mut Editor, name: &str) -> Value {
    let is_it = |params: &Value| params["event"]["kind"] == "turnEnded" && of(&params["event"], name);
    let ended = editor.await_notification("swarm/event", is_it);
    assert_ne!(ended["event"]["reason"], "failed", "{ended}");
    ended["event"]["reason"].clone()
}

#[test]
fn only_what_reads_runs_until_the_plan_is_approved_which_sets_the_mode_once() {
    let script = Script::new().agent(
        "ada",
        [
            reply([bash("touch a.txt")]).expect("present your plan with ExitPlanMode"),
            reply([bash("ls")]).expect("only reading is allowed until the plan is approved"),
            reply([call("Write", json!({ "path": "a.txt", "content": "x" }))]).expect("[exit code 0]"),
            reply([present()]).expect("only reading is allowed until the plan is approved"),
            reply([present()]).expect("The user rejected this call. They said: Shorter."),
            reply([call("Write", json!({ "path": "a.txt", "content": "x" }))])
                .expect("your mode is `acceptEdits`"),
            reply([say("Done.")]).expect("a.txt"),
        ],
    );
    let (_model, world) = played(script);
    let mut editor = world.editor(Caps::rich());
    spawn(&mut editor);
    let first = presented(&mut editor);
    assert_eq!(first["plan"], PLAN);
    let state = editor.request("swarm/state", json!({}));
    assert_eq!(state["plans"][0]["id"], first["id"]);
    assert_eq!(state["permissions"], json!([]));
    let document = first["document"].as_str().unwrap();
    assert_eq!(std::fs::read_to_string(document).unwrap(), PLAN);
    assert_eq!(
        decide(&mut editor, json!({ "id": first["id"], "approve": false, "feedback": "Shorter." })),
        "resolved"
    );

    let second = presented(&mut editor);
    assert_ne!(second["document"], first["document"]);
    // The first is decided: what comes late changes nothing.
    assert_eq!(
        decide(&mut editor, json!({ "id": first["id"], "approve": true, "mode": "bypassPermissions" })),
        "alreadyResolved"
    );
    assert_eq!(decide(&mut editor, json!({ "id": "perm-1", "approve": true })), "unknown");
    let as_call = json!({ "ids": [second["id"]], "decision": "allow" });
    let refused = editor.try_request("swarm/permission/resolve", as_call).unwrap_err();
    assert!(refused.message.contains("swarm/plan/resolve"), "{}", refused.message);
    let planning = editor.request("swarm/state", json!({}));
    let ada = planning["members"].as_array().unwrap().iter().find(|member| member["name"] == "ada").unwrap();
    assert_eq!((&ada["mode"], &ada["state"]), (&json!("plan"), &json!("waiting")));
    assert!(!world.path("a.txt").exists());

    let yes = json!({ "id": second["id"], "approve": true, "mode": "acceptEdits" });
    assert_eq!(decide(&mut editor, yes.clone()), "resolved");
    assert_eq!(end_of_turn(&mut editor, "ada"), "completed");
    assert_eq!(world.read("a.txt"), "x");
    assert_eq!(decide(&mut editor, yes), "alreadyResolved");
    let state = editor.request("swarm/state", json!({}));
    assert_eq!(state["plans"], json!([]));
}

#[test]
fn what_the_user_changes_in_the_document_is_what_is_approved() {
    let script = Script::new().agent(
        "ada",
        [
            reply([present()]),
            reply([say("Done.")])
                .expect("The user changed the input of this call to: {\"plan\":\"# Less\\n\"}"),
        ],
    );
    let (_model, world) = played(script);
    let mut editor = world.editor(Caps::rich());
    spawn(&mut editor);
    let plan = presented(&mut editor);
    std::fs::write(plan["document"].as_str().unwrap(), "# Less\n").unwrap();
    decide(&mut editor, json!({ "id": plan["id"], "approve": true }));
    assert_eq!(end_of_turn(&mut editor, "ada"), "completed");
}

#[test]
fn the_leaders_agent_may_look_first_and_the_user_decides() {
    let review = |approve: bool| {
        call("ReviewPlan", json!({ "name": "ada", "approve": approve, "feedback": "Name the test." }))
    };
    let script = Script::new()
        .agent(
            "ada",
            [
                reply([present()]),
                reply([present()]).expect("The leader looked at your plan and says: Name the test."),
                reply([bash("touch a.txt")]).expect("your mode is `default`"),
                reply([say("Done.")]),
            ],
        )
        .agent(
            "team-lead",
            [
                reply([review(false)]).expect("wants to work by this plan"),
                reply([say("Sent back.")]).expect("plans again"),
                reply([review(true)]).expect("wants to work by this plan"),
                reply([say("Sent on.")]).expect("the user now, who decides"),
                reply([say("Fine.")]),
            ],
        );
    let (_model, world) = played(script);
    let mut editor = world.editor(Caps::rich());
    let settings = json!({ "settings": { "swarm": { "planReview": "leader", "trust": "workspace" } } });
    editor.notify("workspace/didChangeConfiguration", settings);
    spawn(&mut editor);
    let plan = presented(&mut editor);
    // Its own model's yes changed nothing yet.
    assert!(!world.path("a.txt").exists());
    decide(&mut editor, json!({ "id": plan["id"], "approve": true }));
    assert_eq!(end_of_turn(&mut editor, "ada"), "completed");
    assert!(world.path("a.txt").exists());
}

#[test]
fn a_plan_is_taken_back_with_its_turn_and_with_its_server_and_the_mode_stays() {
    let script = Script::new().agent(
        "ada",
        [
            reply([present()]),
            reply([bash("touch a.txt")]),
            reply([say("Refused.")]).expect("only reading is allowed until the plan is approved"),
            reply([present()]),
        ],
    );
    let (_model, world) = played(script);
    let mut editor = world.editor(Caps::rich());
    spawn(&mut editor);
    let plan = presented(&mut editor);
    editor.request("swarm/interrupt", json!({ "member": "ada" }));
    let gone = editor.await_event("planResolved");
    assert_eq!(gone["event"]["approved"], Value::Null, "{gone}");
    assert_ne!(decide(&mut editor, json!({ "id": plan["id"], "approve": true })), "resolved");
    assert_eq!(end_of_turn(&mut editor, "ada"), "interrupted");
    editor.request("swarm/prompt", json!({ "text": "Go on.", "member": "ada" }));
    assert_eq!(end_of_turn(&mut editor, "ada"), "completed");
    editor.request("swarm/prompt", json!({ "text": "And again.", "member": "ada" }));
    let last = presented(&mut editor);
    editor.kill();

    let mut editor = world.editor(Caps::rich());
    let state = editor.request("swarm/state", json!({}));
    assert_eq!(state["plans"], json!([]));
    let ada = state["members"].as_array().unwrap().iter().find(|member| member["name"] == "ada").unwrap();
    assert_eq!(ada["mode"], "plan");
    assert_ne!(decide(&mut editor, json!({ "id": last["id"], "approve": true })), "resolved");
}

#[test]
fn a_plain_editor_is_asked_and_has_code_actions_and_lenses() {
    let script = Script::new()
        .agent(
            "team-lead",
            [
                reply([call("SpawnTeammate", json!({ "name": "ada", "prompt": "Write.", "mode": "plan" }))]),
                reply([say("Started.")]),
                reply([say("Fine.")]),
                reply([say("Fine.")]),
            ],
        )
        .agent(
            "ada",
            [
                reply([present()]),
                reply([present()]),
                reply([say("Done.")]).expect("your mode is `acceptEdits`"),
            ],
        );
    let (_model, world) = played(script);
    let uri = world.uri("notes.md");
    let mut editor = world.editor(Caps::plain());
    prompt(&mut editor, "Begin.");
    let question = editor.await_request("window/showMessageRequest");
    let text = question.params["message"].as_str().unwrap();
    assert!(text.starts_with("ada has a plan") && text.contains("Write `a.txt`."), "{text}");
    editor.reply(&question, json!({ "title": "ada: reject the plan" }));

    let question = editor.await_request("window/showMessageRequest");
    editor.reply(&question, Value::Null);
    let plan = editor.request("swarm/plan/list", json!({}))["plans"][0].take();
    editor.always_reply("window/showDocument", json!({ "success": true }));
    let pending = execute(&mut editor, "swarm.pending", json!({}));
    assert!(pending["text"].as_str().is_none_or(|text| text.contains("Write `a.txt`")), "{pending}");
    let document = format!("file://{}", plan["document"].as_str().unwrap());
    let lenses = editor.request("textDocument/codeLens", json!({ "textDocument": { "uri": document } }));
    assert_eq!(lenses[0]["command"]["title"], "ada: approve the plan", "{lenses}");
    let offered = actions(&mut editor, &uri, 0);
    choose(&mut editor, &offered, "ada: approve the plan, and its edits");
    let until = |state: &Value| {
        state["members"].as_array().unwrap().iter().any(|member| member["mode"] == "acceptEdits")
    };
    assert!(until(&editor.request("swarm/state", json!({}))));
}
