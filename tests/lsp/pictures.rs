//! Pictures that a model is shown: of files that it reads, and of files that go with a prompt.

use std::fs;
use std::path::PathBuf;

use serde_json::{Value, json};
use swarm_tests::script::{Script, Step, call, reply, say, status};
use swarm_tests::{Caps, FakeModel, World};

use crate::again::editor_with;
use crate::{of, played, prompt};

/// The head of a PNG, as which the whole is known.
fn png(width: u32, height: u32) -> Vec<u8> {
    let mut bytes = b"\x89PNG\r\n\x1a\n\0\0\0\x0dIHDR".to_vec();
    bytes.extend(width.to_be_bytes());
    bytes.extend(height.to_be_bytes());
    bytes.extend([8, 2, 0, 0, 0]);
    bytes
}

fn draw(world: &World, name: &str, width: u32, height: u32) {
    fs::write(world.path(name), png(width, height)).unwrap();
}

fn read(name: &str) -> swarm_tests::script::ReplyPart {
    call("Read", json!({ "path": name }))
}

fn leader(steps: impl IntoIterator<Item = Step>) -> (FakeModel, World) {
    played(Script::new().agent("team-lead", steps))
}

/// The settings for a format.
fn settings(model: &FakeModel, provider: &str) -> Value {
    json!({
        "provider": provider,
        "baseUrl": model.base_url(),
        "apiKey": "test-key",
        "model": if provider == "anthropic" { "claude-sonnet-5-5" } else { "gpt-6-sol" },
        "contextWindow": 200_000,
    })
}

/// All pictures of a request, wherever they stand in it, in base64.
fn shown(request: &Value) -> Vec<String> {
    let mut found = Vec::new();
    gather(request, &mut found);
    found
}

fn gather(value: &Value, found: &mut Vec<String>) {
    match value {
        Value::Array(items) => items.iter().for_each(|item| gather(item, found)),
        Value::Object(fields) if fields.get("type") == Some(&json!("base64")) => {
            found.extend(fields["data"].as_str().map(str::to_owned));
        }
        Value::Object(fields) => fields.values().for_each(|field| gather(field, found)),
        Value::String(text) => {
            found.extend(text.strip_prefix("data:image/png;base64,").map(str::to_owned));
        }
        _ => {}
    }
}

/// Where the leader's agent keeps its pictures.
fn kept(world: &World) -> Vec<PathBuf> {
    let mut folders = vec![world.swarm_home().join("teams")];
    let mut pictures = Vec::new();
    while let Some(folder) = folders.pop() {
        for entry in fs::read_dir(folder).unwrap() {
            let path = entry.unwrap().path();
            if path.is_dir() {
                folders.push(path);
            } else if path.extension().is_some_and(|extension| extension == "png") {
                pictures.push(path);
            }
        }
    }
    pictures
}

fn attach(world: &World, name: &str) -> Value {
    json!({ "text": "Look.", "attachments": [{ "uri": world.uri(name) }] })
}

fn is_shown_and_shown_again_after_a_kill(provider: &str) {
    let (model, world) = leader([
        reply([read("screen.png"), read("notes.txt")]),
        reply([say("I see them.")]).expect("picture, 640×480 PNG").expect("a heron"),
        reply([say("Still.")]),
    ]);
    draw(&world, "sketch.png", 32, 16);
    draw(&world, "screen.png", 640, 480);
    world.write("notes.txt", "a heron\n");
    let mut editor = editor_with(&world, &Caps::rich(), settings(&model, provider));
    editor.request("swarm/prompt", attach(&world, "sketch.png"));
    // The calls run beside each other.
    let is_picture = |event: &Value| event["content"] == "picture, 640×480 PNG";
    let finished = editor.await_event_where("toolFinished", is_picture);
    assert_eq!(finished["isError"], false);
    assert_eq!(editor.await_event("turnEnded")["event"]["reason"], "completed");
    let transcript = editor.request("swarm/transcript", json!({}));
    let text = transcript.to_string();
    assert!(text.contains("picture, 32×16 PNG") && text.contains("\"mediaType\":\"image/png\""), "{text}");
    let seen = shown(&model.requests()[1].body);
    assert_eq!(seen.len(), 2, "{seen:?}");
    assert!(!text.contains(&seen[0]), "the transcript has no bytes of pictures: {text}");
    editor.kill();

    let mut editor = editor_with(&world, &Caps::rich(), settings(&model, provider));
    prompt(&mut editor, "Do you still see them?");
    assert_eq!(editor.await_event("turnEnded")["event"]["reason"], "completed");
    assert_eq!(shown(&model.requests()[2].body), seen, "byte for byte");
}

#[test]
fn pictures_are_shown_in_anthropics_format_and_again_after_a_kill() {
    is_shown_and_shown_again_after_a_kill("anthropic");
}

#[test]
fn pictures_are_shown_in_the_responses_format_and_again_after_a_kill() {
    is_shown_and_shown_again_after_a_kill("openai-responses");
}

#[test]
fn pictures_are_shown_in_chat_completions_and_again_after_a_kill() {
    is_shown_and_shown_again_after_a_kill("openai-chat");
}

#[test]
fn of_a_picture_whose_file_is_gone_the_model_is_told_and_the_work_goes_on() {
    let (model, world) =
        leader([reply([read("screen.png")]), reply([say("I see it.")]), reply([say("Gone.")])]);
    draw(&world, "screen.png", 640, 480);
    let mut editor = world.editor(Caps::rich());
    prompt(&mut editor, "Look.");
    editor.await_event("turnEnded");
    editor.kill();
    kept(&world).iter().for_each(|picture| fs::remove_file(picture).unwrap());
    let mut editor = world.editor(Caps::rich());
    prompt(&mut editor, "And now?");
    assert_eq!(editor.await_event("turnEnded")["event"]["reason"], "completed");
    let body = &model.requests()[2].body;
    assert!(shown(body).is_empty() && body.to_string().contains("is gone or damaged"), "{body:#}");
    model.expect_breaks(1);
}

#[test]
fn pictures_that_a_provider_refuses_become_text_at_once_and_for_good() {
    let (model, world) = leader([
        reply([read("screen.png")]),
        // As llama.cpp says it, of a model without eyes.
        status(500).message("image input is not supported - hint: you may need to provide the mmproj"),
        reply([say("I see nothing.")]).expect("The picture is left out: the provider refused it"),
        reply([say("Still nothing.")]),
        reply([say("Nor now.")]),
    ]);
    draw(&world, "screen.png", 640, 480);
    let mut editor = editor_with(&world, &Caps::rich(), settings(&model, "openai-chat"));
    prompt(&mut editor, "Look.");
    let warning = editor.await_event("warning")["event"]["text"].take();
    assert!(warning.as_str().unwrap().contains("image input is not supported"), "{warning}");
    assert_eq!(editor.await_event("turnEnded")["event"]["reason"], "completed");
    prompt(&mut editor, "And now?");
    editor.await_event("turnEnded");
    editor.kill();
    let mut editor = editor_with(&world, &Caps::rich(), settings(&model, "openai-chat"));
    prompt(&mut editor, "And now?");
    editor.await_event("turnEnded");
    let seen: Vec<usize> = model.wait_for(5).iter().map(|request| shown(&request.body).len()).collect();
    assert_eq!(seen, [0, 1, 0, 0, 0]);
}

#[test]
fn what_is_refused_with_its_pictures_and_without_was_not_refused_for_them() {
    let poor = || status(400).message("Your credit balance is too low.");
    let (model, world) = leader([reply([read("screen.png")]), poor(), poor(), reply([say("I see it.")])]);
    draw(&world, "screen.png", 640, 480);
    let mut editor = world.editor(Caps::rich());
    prompt(&mut editor, "Look.");
    assert_eq!(editor.await_event("turnEnded")["event"]["reason"], "failed");
    prompt(&mut editor, "I paid.");
    assert_eq!(editor.await_event("turnEnded")["event"]["reason"], "completed");
    let seen: Vec<usize> = model.requests().iter().map(|request| shown(&request.body).len()).collect();
    assert_eq!(seen, [0, 1, 0, 1]);
}

#[test]
fn a_model_that_is_given_text_alone_is_told_so() {
    let (model, world) = leader([
        reply([read("screen.png")]).expect("The picture is left out: this model is given text alone"),
        reply([say("I see nothing.")]).expect("picture, 640×480 PNG, and you are given text alone"),
    ]);
    draw(&world, "screen.png", 640, 480);
    let mut editor = editor_with(&world, &Caps::rich(), json!({ "pictures": false }));
    editor.request("swarm/prompt", attach(&world, "screen.png"));
    assert_eq!(editor.await_event("turnEnded")["event"]["reason"], "completed");
    assert!(model.requests().iter().all(|request| shown(&request.body).is_empty()));
}

#[test]
fn a_picture_that_no_model_takes_is_refused_with_what_would_help() {
    let (_model, world) = leader([
        reply([read("wide.png")]),
        reply([say("Too wide.")]).expect("wide.png is a PNG picture of 8001×10 pixels").expect("-resize"),
    ]);
    draw(&world, "wide.png", 8001, 10);
    let mut editor = world.editor(Caps::rich());
    let error = editor.try_request("swarm/prompt", attach(&world, "wide.png")).unwrap_err();
    assert_eq!((error.code, error.data["which"].as_str()), (-32602, Some("attachments[0].uri")), "{error:?}");
    assert!(error.message.contains("8001×10 pixels"), "{error:?}");
    prompt(&mut editor, "Look.");
    assert_eq!(editor.await_event("turnEnded")["event"]["reason"], "completed");
}

#[test]
fn of_more_than_twenty_pictures_the_older_become_text() {
    let names: Vec<String> = (0..21).map(|at| format!("{at}.png")).collect();
    let (model, world) = leader([
        reply(names.iter().map(|name| read(name))),
        reply([say("I see ten.")]).expect("newer ones took its place"),
    ]);
    (0..21).for_each(|at| draw(&world, &names[at as usize], 3000, at + 1));
    let mut editor = world.editor(Caps::rich());
    prompt(&mut editor, "Look at all.");
    assert_eq!(editor.await_event("turnEnded")["event"]["reason"], "completed");
    assert_eq!(shown(&model.requests()[1].body).len(), 10);
}

#[test]
fn a_teammate_in_a_process_of_its_own_is_shown_pictures_too() {
    let script = Script::new().agent(
        "ada",
        [
            reply([say("Here.")]),
            reply([read("screen.png")]).expect("picture, 32×16 PNG"),
            reply([say("I see them.")]).expect("picture, 640×480 PNG"),
        ],
    );
    let (model, world) = played(script);
    draw(&world, "sketch.png", 32, 16);
    draw(&world, "screen.png", 640, 480);
    let mut editor = world.editor(Caps::rich());
    let spawn = json!({ "name": "ada", "prompt": "Wait.", "backend": "hidden" });
    editor.request("swarm/teammate/spawn", spawn);
    editor.await_event_where("turnEnded", |event| of(event, "ada"));
    let mut params = attach(&world, "sketch.png");
    params["member"] = json!("ada");
    editor.request("swarm/prompt", params);
    let ended = editor.await_event_where("turnEnded", |event| of(event, "ada"));
    assert_eq!(ended["reason"], "completed", "{ended}");
    let requests = model.requests();
    let of_ada = requests.iter().filter(|request| request.agent.starts_with("ada"));
    let seen: Vec<usize> = of_ada.map(|request| shown(&request.body).len()).collect();
    assert_eq!(seen, [0, 1, 2]);
}

#[test]
fn a_summary_leaves_the_pictures_out_that_it_was_made_with() {
    let (model, world) = leader([
        reply([read("screen.png")]),
        reply([say("I see it.")]),
        reply([say("A picture was looked at.")]),
        reply([say("Go on.")]).expect("A picture was looked at."),
    ]);
    draw(&world, "screen.png", 640, 480);
    let mut editor = world.editor(Caps::rich());
    prompt(&mut editor, "Look.");
    editor.await_event("turnEnded");
    editor.request("swarm/conversation/compact", json!({}));
    prompt(&mut editor, "And now?");
    editor.await_event("compacted");
    assert_eq!(editor.await_event("turnEnded")["event"]["reason"], "completed");
    let seen: Vec<usize> = model.requests().iter().map(|request| shown(&request.body).len()).collect();
    assert_eq!(seen, [0, 1, 1, 0]);
    model.expect_breaks(1);
}
