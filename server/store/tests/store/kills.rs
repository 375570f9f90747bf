//! A process is killed at each of its system calls, and at two hundred random ones of longer work; what it
//! leaves is complete or absent, locks nobody out, and the work can be done again.

use std::collections::{BTreeMap, HashSet};
use std::fs;
use std::path::Path;

use swarm_store::{Claim, Conversations, Draft, Durability, Lease, Origin, TeamDir, Transcript};
use swarm_wire::permission::{Answer, Outcome, ResolvedBy, Status};
use swarm_wire::{ConversationId, RequestId};

use crate::actors::{calls_of, killed_at, together};
use crate::support::{entry, id, request, team};

/// Does `attempt(n)` once to the end, then again and again, killed at each system call that it made.
///
/// `check` sees what each left behind, and whether it was killed.
fn at_every_call(
    team: &TeamDir,
    mut attempt: impl FnMut(usize) -> Vec<String>,
    mut check: impl FnMut(usize, bool),
) {
    let first = attempt(0);
    let first: Vec<&str> = first.iter().map(String::as_str).collect();
    let calls = calls_of(team, &first);
    check(0, false);
    assert!(calls.len() > 10, "the work had only these system calls: {calls:?}");
    let mut kills = 0;
    for (number, call) in calls.iter().enumerate() {
        let arguments = attempt(number + 1);
        let arguments: Vec<&str> = arguments.iter().map(String::as_str).collect();
        let killed = killed_at(call, team, &arguments);
        kills += usize::from(killed);
        check(number + 1, killed);
    }
    // The second time a folder or file may be there already, which saves a call or two.
    assert!(kills + 5 > calls.len(), "{kills} kills at {} calls", calls.len());
}

fn words(line: String) -> Vec<String> {
    line.split(' ').map(str::to_owned).collect()
}

fn count_in(dir: &Path) -> usize {
    fs::read_dir(dir).unwrap().count()
}

#[test]
fn a_message_survives_a_kill_of_its_sender_or_was_never_there() {
    let (_home, team) = team();
    let mailbox = |number| team.mailbox(&id(&format!("m{number}@shop")));
    at_every_call(
        &team,
        |number| {
            mailbox(number).create().unwrap();
            words(format!("send m{number}@shop bob@shop 1 2"))
        },
        |number, killed| {
            let unread = mailbox(number).reader().unread().unwrap();
            assert!(unread.problems.is_empty(), "{:?}", unread.problems);
            let texts: Vec<&str> = unread.mail.iter().map(|mail| mail.message.text.as_str()).collect();
            assert!(["0", "1"].starts_with(&texts), "{texts:?}");
            assert!(killed || texts.len() == 2);
            let sender = team.sender(Origin::Agent(id("bob@shop")), 2);
            sender.send(&mailbox(number), Draft::text("again"), Durability::Buffered).unwrap();
            assert_eq!(mailbox(number).reader().unread().unwrap().mail.len(), texts.len() + 1);
        },
    );
}

#[test]
fn a_message_survives_a_kill_of_its_reader_until_it_was_handled() {
    let (home, team) = team();
    let mailbox = |number| team.mailbox(&id(&format!("m{number}@shop")));
    let handled = |number| home.path().join(format!("handled-{number}"));
    at_every_call(
        &team,
        |number| {
            mailbox(number).create().unwrap();
            for text in ["a", "b"] {
                let sender = team.sender(Origin::User, 1);
                sender.send(&mailbox(number), Draft::text(text), Durability::Buffered).unwrap();
            }
            words(format!("read m{number}@shop {}", handled(number).display()))
        },
        |number, killed| {
            let noted = fs::read_to_string(handled(number)).unwrap_or_default();
            let mut reader = mailbox(number).reader();
            let unread = reader.unread().unwrap().mail;
            let mut known: HashSet<&str> = noted.lines().collect();
            known.extend(unread.iter().map(|mail| mail.message.id.as_str()));
            assert_eq!(known.len(), 2, "lost: {noted:?} handled, {unread:?} unread");
            assert!(killed || unread.is_empty());
            for mail in &unread {
                reader.ack(&mail.handle).unwrap();
            }
            assert_eq!(count_in(&mailbox(number).path().join("new")), 0);
            for file in fs::read_dir(mailbox(number).path().join("cur")).unwrap() {
                let text = fs::read_to_string(file.unwrap().path()).unwrap();
                assert!(text.contains("\"read\":true"), "{text}");
            }
            assert_eq!(count_in(&mailbox(number).path().join("cur")), 2);
        },
    );
}

#[test]
fn an_answer_survives_a_kill_of_its_giver_or_was_never_given() {
    let (_home, team) = team();
    let permissions = team.permissions();
    let name = |number| format!("perm-{number}-aaaaaa");
    at_every_call(
        &team,
        |number| {
            permissions.write_pending(&request(&name(number))).unwrap();
            words(format!("resolve {}", name(number)))
        },
        |number, killed| {
            let id = RequestId::new(name(number));
            let waiting = permissions.pending().unwrap().len();
            let second = permissions.resolve(&id, &Answer::reject(None), ResolvedBy::Worker).unwrap();
            let status = permissions.get(&id).unwrap().unwrap().status;
            match second.outcome {
                Outcome::Resolved => assert_eq!((status, waiting, killed), (Status::Rejected, 1, true)),
                Outcome::AlreadyResolved => assert_eq!((status, waiting), (Status::Approved, 0)),
                Outcome::Unknown => panic!("the request was lost"),
            }
            assert!(permissions.pending().unwrap().is_empty());
        },
    );
    assert_eq!(count_in(&team.path().join("permissions/pending")), 0);
}

#[test]
fn a_claim_survives_a_kill_of_its_claimer_or_was_never_made() {
    let (_home, team) = team();
    let tasks = team.tasks();
    let mut current = tasks.create("t", "", &[]).unwrap();
    let shared = std::cell::RefCell::new(&mut current);
    at_every_call(
        &team,
        |_| {
            **shared.borrow_mut() = tasks.create("t", "", &[]).unwrap();
            words(format!("claim {} ada@shop", shared.borrow().id))
        },
        |_, killed| {
            let claim = tasks.claim(&shared.borrow().id, &id("bob@shop")).unwrap();
            match claim {
                Claim::Taken(owner) => assert_eq!(owner, id("ada@shop")),
                Claim::Claimed(_) => assert!(killed),
                other => panic!("{other:?}"),
            }
        },
    );
}

#[test]
fn the_team_file_survives_a_kill_of_its_writer_whole() {
    let (_home, team) = team();
    let count = || team.read().unwrap().unknown.get("count").and_then(serde_json::Value::as_u64).unwrap_or(0);
    let mut before = 0;
    at_every_call(
        &team,
        |_| words("count 1".to_owned()),
        |_, killed| {
            let after = count();
            assert!(after == before + 1 || (killed && after == before), "{before} became {after}");
            before = after;
            team.update(|file| file.created_at += 1).unwrap();
        },
    );
}

#[test]
fn a_lease_and_a_transcript_survive_a_kill_of_their_holder() {
    let (_home, team) = team();
    let mut epoch = 0;
    at_every_call(
        &team,
        |_| words("lead".to_owned()),
        |_, _| {
            let next = Lease::take(&team).unwrap().epoch();
            assert!(next > epoch, "epoch {next} came after {epoch}");
            epoch = next;
        },
    );
    let (ada, mut whole) = (id("ada@shop"), 0);
    at_every_call(
        &team,
        |_| words("append ada@shop later".to_owned()),
        |_, killed| {
            let (_, replay) = Transcript::open(&team, &ada).unwrap();
            let now = replay.entries.len();
            assert!(now == whole + 1 || (killed && now == whole), "{whole} entries became {now}");
            assert!(replay.entries.iter().all(|found| *found == entry("later")));
            whole = now;
        },
    );
}

#[test]
fn one_conversation_is_present_and_none_is_lost_when_its_change_is_killed() {
    let (_home, team) = team();
    let ada = id("ada@shop");
    let of = Conversations::new(&team, &ada);
    // Each holds one entry, its name.
    let fill = |id: &ConversationId| {
        Transcript::open(&team, &ada).unwrap().0.append(&[entry(id.as_str())]).unwrap();
    };
    let mut present = vec![ConversationId::first()];
    fill(&present[0]);
    at_every_call(
        &team,
        |number| words(format!("converse ada@shop conv-{number}")),
        |number, killed| {
            let (to, index) = (ConversationId::new(format!("conv-{number}")), of.index().unwrap());
            if index.current == to {
                fill(&to);
                present.push(to);
            }
            assert!(killed || index.current.as_str() == format!("conv-{number}"), "{index:?}");
            assert_eq!(Some(&index.current), present.last());
            for id in &present {
                assert!(*id == index.current || index.get(id).is_some(), "{id} is lost: {index:?}");
                let kept = of.reader(id).unwrap().page(0, 10).unwrap();
                assert_eq!(kept.entries, [entry(id.as_str())]);
            }
        },
    );
    assert!(present.len() > 2, "no change was made");
}

#[test]
fn a_team_that_was_half_deleted_leaves_nothing_to_a_later_one_of_its_name() {
    let (home, team) = team();
    let file = team.read().unwrap();
    let ada = team.mailbox(&id("ada@shop"));
    at_every_call(
        &team,
        |number| {
            if number > 0 {
                team.create(&file).unwrap();
            }
            ada.create().unwrap();
            let sender = team.sender(Origin::User, 1);
            sender.send(&ada, Draft::text("old"), Durability::Buffered).unwrap();
            words("delete".to_owned())
        },
        |_, killed| {
            if team.exists().unwrap() {
                assert!(killed);
                team.delete(Lease::take(&team).unwrap()).unwrap();
            }
            assert!(!ada.exists().unwrap(), "mail is left for a later team");
            assert_eq!(team.root().team_of_workspace(home.path()).unwrap(), None);
        },
    );
}

#[test]
fn two_hundred_random_kills_lose_nothing_and_handle_nothing_twice() {
    let (home, team) = team();
    let ada = team.mailbox(&id("ada@shop"));
    ada.create().unwrap();
    let (sent, handled) = (home.path().join("sent"), home.path().join("handled"));
    let arguments = ["work", sent.to_str().unwrap(), handled.to_str().unwrap()];
    let calls = calls_of(&team, &arguments);
    let mut kills = 0;
    // A fixed sequence of calls, spread by a linear congruential generator (Knuth's MMIX constants).
    let mut random = 1_u64;
    for _ in 0..200 {
        random = random.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        let call = &calls[(random >> 33) as usize % calls.len()];
        kills += usize::from(killed_at(call, &team, &arguments));
    }
    assert!(kills >= 150, "only {kills} of 200 came so far as to be killed");
    let plain: Vec<String> = arguments.iter().map(|word| (*word).to_owned()).collect();
    together(&team, &[plain]);
    let (sent, handled) = (fs::read_to_string(sent).unwrap(), fs::read_to_string(handled).unwrap());
    let once: HashSet<&str> = handled.lines().collect();
    assert_eq!(once.len(), handled.lines().count(), "handled twice");
    for id in sent.lines() {
        assert!(once.contains(id), "lost: {id}");
    }
    let mut last: BTreeMap<&str, u64> = BTreeMap::new();
    for id in handled.lines() {
        let (incarnation, rest) = id.split_once('.').unwrap();
        let counter: u64 = rest.split('.').next().unwrap().parse().unwrap();
        let before = last.insert(incarnation, counter);
        assert!(before.is_none_or(|before| before < counter), "out of order: {id}");
    }
    assert!(Transcript::open(&team, &id("ada@shop")).unwrap().1.problems.is_empty());
    team.tasks().list().unwrap();
    team.read().unwrap();
}
