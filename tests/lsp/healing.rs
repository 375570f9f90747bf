//! What a client shows is the last `swarm/state` and each event since: true whenever it asks, after events that it missed,
//! and with the next server.

use serde_json::{Value, json};
use swarm_tests::script::{ReplyPart, Script, call, reply, say, wait};
use swarm_tests::{Caps, Editor};

use crate::{played, prompt};

/// The lists of a state, and what names an entry of each.
const LISTS: [(&str, &str); 4] =
    [("members", "agentId"), ("permissions", "id"), ("plans", "id"), ("tasks", "id")];

/// A client's picture of the team.
struct View {
    seq: u64,
    state: Value,
}

impl View {
    fn of(mut state: Value) -> Self {
        Self { seq: seq(&state), state: state.take() }
    }

    /// Takes an event; one that the state includes already is passed over.
    fn take(&mut self, params: &Value) {
        if seq(params) <= self.seq {
            return;
        }
        assert_eq!(seq(params), self.seq + 1, "an event is missing before {params}");
        self.seq += 1;
        let event = &params["event"];
        match event["kind"].as_str().unwrap() {
            "memberChanged" => self.put("members", &event["member"]),
            "permissionRequested" => self.put("permissions", &event["request"]),
            "permissionResolved" => self.list("permissions").retain(|request| request["id"] != event["id"]),
            "planRequested" => self.put("plans", &event["plan"]),
            "planResolved" => self.list("plans").retain(|plan| plan["id"] != event["id"]),
            "taskChanged" => self.put("tasks", &event["task"]),
            _ => {}
        }
    }

    fn put(&mut self, name: &str, value: &Value) {
        let (_, key) = LISTS.into_iter().find(|(list, _)| *list == name).unwrap();
        let list = self.list(name);
        match list.iter_mut().find(|there| there[key] == value[key]) {
            Some(there) => there.clone_from(value),
            None => list.push(value.clone()),
        }
    }

    fn list(&mut self, name: &str) -> &mut Vec<Value> {
        self.state[name].as_array_mut().unwrap()
    }

    /// What of it a person sees, in an order of its own.
    fn shown(&self) -> Value {
        let lists = LISTS.into_iter().map(|(name, key)| {
            let mut list = self.state[name].as_array().unwrap().clone();
            // When somebody was last heard of is no event.
            list.iter_mut().for_each(|entry| _ = entry.as_object_mut().unwrap().remove("lastActivity"));
            list.sort_by_key(|entry| entry[key].to_string());
            (name.to_owned(), Value::Array(list))
        });
        Value::Object(lists.collect())
    }
}

fn seq(value: &Value) -> u64 {
    value["seq"].as_u64().unwrap()
}

/// Asks for the state so many times, and waits for no answer; the requests.
fn ask(editor: &mut Editor, times: usize) -> Vec<i64> {
    (0..times).map(|_| editor.send_request("swarm/state", json!({}))).collect()
}

/// Checks that each of these states becomes the present one by the events behind it, and that no event is missing there;
/// all events that came.
fn assert_they_lead_to_now(editor: &mut Editor, asks: Vec<i64>) -> Vec<Value> {
    let now = View::of(editor.request("swarm/state", json!({}))).shown();
    let states: Vec<Value> = asks.into_iter().map(|id| editor.answer_to(id).unwrap()).collect();
    let events = editor.take_notifications("swarm/event");
    for state in states {
        let since = seq(&state);
        let mut view = View::of(state);
        events.iter().for_each(|event| view.take(event));
        assert_eq!(view.shown(), now, "from the state at {since} on");
    }
    events
}

fn member<'a>(state: &'a Value, name: &str) -> &'a Value {
    let members = state["members"].as_array().unwrap();
    members.iter().find(|member| member["name"] == name).unwrap()
}

fn are_at_rest(state: &Value) -> bool {
    let members = state["members"].as_array().unwrap();
    members.len() == 4 && members.iter().all(|member| member["state"] == "idle")
}

#[test]
fn a_client_that_attaches_in_the_middle_misses_nothing_and_neither_does_one_of_the_next_server() {
    let does = |deed: ReplyPart| [reply([say("I begin."), deed]), reply([wait("on"), say("Done.")])];
    let script = Script::new()
        .agent("team-lead", [reply([say("I see.")]).times(20)])
        .agent("ada", does(call("Bash", json!({ "command": "touch ada.txt" }))))
        .agent(
            "bob",
            does(call("Read", json!({ "path": "greeting.txt" }))).into_iter().chain([reply([say("Again.")])]),
        )
        .agent("eve", does(call("ExitPlanMode", json!({ "plan": "I look at it." }))));
    let (model, world) = played(script);
    world.write("greeting.txt", "hello\n");
    let mut editor = world.editor(Caps::rich());
    prompt(&mut editor, "Begin.");
    let mut asks = ask(&mut editor, 10);
    // Nobody is free to take one of these.
    editor.request("swarm/task/create", json!({ "subject": "Lead." }));
    editor.request("swarm/task/update", json!({ "id": "1", "owner": "team-lead", "status": "in_progress" }));
    for subject in ["Look.", "Read.", "Tell."] {
        editor.request("swarm/task/create", json!({ "subject": subject, "blockedBy": ["1"] }));
    }
    for (name, mode) in [("ada", "default"), ("bob", "default"), ("eve", "plan")] {
        let spawn = json!({ "name": name, "prompt": "Go.", "callId": name, "mode": mode });
        editor.request("swarm/teammate/spawn", spawn);
        asks.extend(ask(&mut editor, 10));
    }
    let waiting =
        editor.until_state(|state| state["permissions"][0].is_object() && state["plans"][0].is_object());
    editor.request("swarm/plan/resolve", json!({ "id": waiting["plans"][0]["id"], "approve": true }));
    let allow = json!({ "ids": [waiting["permissions"][0]["id"]], "decision": "allow" });
    editor.request("swarm/permission/resolve", allow);
    asks.extend(ask(&mut editor, 10));
    model.open("on");
    asks.extend(ask(&mut editor, 10));
    let state = editor.until_state(are_at_rest);
    assert_eq!(state["tasks"].as_array().map(Vec::len), Some(4), "{state:#}");
    assert_they_lead_to_now(&mut editor, asks);
    let of_bob = || model.requests().iter().filter(|request| request.agent.starts_with("bob")).count();
    let before = of_bob();
    editor.kill();

    let mut editor = world.editor(Caps::rich());
    let mut asks = ask(&mut editor, 10);
    editor.request("swarm/prompt", json!({ "text": "Once more.", "member": "bob" }));
    asks.extend(ask(&mut editor, 10));
    editor.until_state(|state| of_bob() > before && member(state, "bob")["state"] == "idle");
    assert_they_lead_to_now(&mut editor, asks);
}

#[test]
fn a_client_that_reads_too_slowly_sees_a_gap_and_the_state_heals_it() {
    const REPLIES: usize = 45;
    let reads = || (0..20).map(|_| call("Read", json!({ "path": "greeting.txt" })));
    let steps = (0..REPLIES).map(|_| reply(reads())).chain([reply([say("All read.")])]);
    let (model, world) = played(Script::new().agent("team-lead", steps));
    world.write("greeting.txt", "hello\n");
    let mut editor = world.editor(Caps::rich());
    editor.without_reading(|editor| {
        editor.send_request("swarm/prompt", json!({ "text": "Read it many times." }));
        model.wait_for(REPLIES + 1);
    });
    // What an extension does that sees the gap.
    let asks = ask(&mut editor, 1);
    editor.until_state(|state| state["members"][0]["state"] == "idle");
    let events = assert_they_lead_to_now(&mut editor, asks);
    let gaps = events.windows(2).filter(|pair| seq(&pair[1]) > seq(&pair[0]) + 1).count();
    assert_eq!(gaps, 1, "of {} events", events.len());
}
