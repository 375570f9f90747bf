//! Another process at work on a team's state, for tests that need one: to race with, to kill, to starve.
//!
//! `store-actor ROOT COMMAND ARGUMENT…`; the team is always `shop`. What it found out goes to stdout, a line
//! each; a failure ends it with a panic, which the test sees.
#![expect(clippy::unwrap_used, reason = "a failure of the actor is a failure of its test")]
#![expect(clippy::print_stdout, reason = "stdout is how the actor answers its test")]

mod starved;
mod stuck;
mod work;

use std::io::Read;

use swarm_store::{Conversations, Draft, Durability, Former, Lease, Root, TeamDir, Transcript};
use swarm_wire::conversation::Conversation;
use swarm_wire::permission::{Answer, ResolvedBy};
use swarm_wire::task::TaskId;
use swarm_wire::transcript::{Body, Entry};
use swarm_wire::{AgentId, ConversationId, RequestId};

fn main() {
    let arguments: Vec<String> = std::env::args().collect();
    let arguments: Vec<&str> = arguments.iter().skip(1).map(String::as_str).collect();
    let [root, command, rest @ ..] = arguments.as_slice() else { panic!("ROOT COMMAND ARGUMENT…") };
    let root = Root::at(*root);
    let team = root.team(&"shop".parse().unwrap());
    match (*command, rest) {
        ("nothing", []) => {}
        ("send", [to, from, incarnation, count]) => send(&team, to, from, incarnation, count),
        ("read", [agent, handled]) => work::read(&team, &agent.parse().unwrap(), handled.as_ref()),
        ("work", [sent, handled]) => work::work(&team, sent.as_ref(), handled.as_ref()),
        ("resolve", [id]) => {
            let allow = Answer::allow();
            let resolution = team.permissions().resolve(&RequestId::new(*id), &allow, ResolvedBy::Leader);
            println!("{:?}", resolution.unwrap().outcome);
        }
        ("claim", [id, agent]) => {
            let claim = team.tasks().claim(&TaskId::new(*id), &agent.parse().unwrap()).unwrap();
            println!("{}", if matches!(claim, swarm_store::Claim::Claimed(_)) { "claimed" } else { "not" });
        }
        ("count", [times]) => (0..times.parse().unwrap()).for_each(|_| count(&team)),
        ("append", [agent, text]) => append(&team, &agent.parse().unwrap(), text),
        ("converse", [agent, to]) => converse(&team, &agent.parse().unwrap(), to),
        ("delete", []) => team.delete(Lease::take(&team).unwrap()).unwrap(),
        ("lead", []) => {
            let lease = Lease::take(&team).unwrap();
            println!("{}", lease.epoch());
            until_told();
        }
        ("lead-with-a-child-before-exec", []) => stuck::lead(&team),
        ("wait-for-mail", [agent]) => work::wait_for_mail(&team, &agent.parse().unwrap()),
        ("hide", []) => {
            assert!(swarm_store::forbid_dumps().unwrap());
            println!("{}", nix::sys::prctl::get_dumpable().unwrap());
        }
        ("fill-the-disk", []) => starved::fill_the_disk(&root, &team),
        ("prepare", []) => starved::prepare(&root, &team),
        ("write-nowhere", []) => starved::write_nowhere(&root, &team),
        other => panic!("no such command: {other:?}"),
    }
}

fn send(team: &TeamDir, to: &str, from: &str, incarnation: &str, count: &str) {
    let mailbox = team.mailbox(&to.parse().unwrap());
    let sender = team.sender(from.parse().unwrap(), incarnation.parse().unwrap());
    for number in 0..count.parse().unwrap() {
        let number: u64 = number;
        sender.send(&mailbox, Draft::text(number.to_string()), Durability::Buffered).unwrap();
    }
}

/// Adds one to a number in the team file.
fn count(team: &TeamDir) {
    team.update(|file| {
        let before = file.unknown.get("count").and_then(serde_json::Value::as_u64).unwrap_or(0);
        file.unknown.insert("count".to_owned(), (before + 1).into());
    })
    .unwrap();
}

fn append(team: &TeamDir, agent: &AgentId, text: &str) {
    let (mut transcript, _) = Transcript::open(team, agent).unwrap();
    let body = Body::User { text: text.to_owned(), mail: Vec::new(), pictures: Vec::new() };
    transcript.append(&[Entry { at: 1, turn_id: None, body }]).unwrap();
    transcript.sync().unwrap();
}

/// Puts the present conversation away for another one.
fn converse(team: &TeamDir, agent: &AgentId, to: &str) {
    let of = Conversations::new(team, agent);
    let figures = |id| Conversation { id, title: None, created_at: 1, updated_at: 1, entries: 1, tokens: 1 };
    let present = of.index().unwrap().current;
    of.change(Former::Kept(figures(present)), figures(ConversationId::new(to))).unwrap();
}

/// Waits until the test closes our stdin.
fn until_told() {
    std::io::stdin().read_to_end(&mut Vec::new()).unwrap();
}
