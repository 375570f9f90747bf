//! Signed mail: what a reader believes, and what it refuses.

use std::fs;
use std::os::unix::fs::PermissionsExt;

use swarm_store::{
    Content, Draft, Durability, Lease, Mailbox, MemberKey, Origin, Reader, Sender, Standing, TeamDir, TeamKey,
};
use swarm_wire::mail::{Kind, Protocol};
use swarm_wire::permission::Mode;
use swarm_wire::{AgentId, RequestId};

use crate::support::{id, team};

fn command() -> Draft {
    let change = Protocol::ModeChange { request_id: RequestId::new("r1"), mode: Mode::BypassPermissions };
    Draft::protocol(&change).unwrap()
}

fn leader(team: &TeamDir) -> Sender {
    team.sender(Origin::Agent(AgentId::lead_of(team.name().clone())), 1)
}

fn send(sender: &Sender, to: &Mailbox, draft: Draft) -> String {
    sender.send(to, draft, Durability::Buffered).unwrap().to_string()
}

/// What one reader finds: the standings of what it delivers, and what it says of the rest.
fn found(reader: &mut Reader) -> (Vec<Standing>, String) {
    let unread = reader.unread().unwrap();
    let told: Vec<String> = unread.problems.iter().map(|problem| problem.why.clone()).collect();
    (unread.mail.iter().map(|mail| mail.standing).collect(), told.join("; "))
}

#[test]
fn a_command_without_the_teams_signature_is_refused_and_reported() {
    let (_home, team) = team();
    let lease = Lease::take(&team).unwrap();
    let key = TeamKey::of(&lease, &team).unwrap();
    let ada = key.member(&id("ada@shop"), 1).unwrap();
    let mailbox = team.mailbox(ada.agent());
    mailbox.create().unwrap();
    let mut reader = mailbox.sealed_reader(ada.verifier());

    let forged = send(&leader(&team), &mailbox, command());
    let (delivered, told) = found(&mut reader);
    assert!(delivered.is_empty());
    assert!(told.contains("carries no signature"), "{told}");
    assert!(mailbox.path().join("refused").join(&forged).exists());

    send(&leader(&team).sealed(key.signer()), &mailbox, command());
    let unread = reader.unread().unwrap();
    assert_eq!(unread.mail[0].standing, Standing::Leader);
    assert!(matches!(unread.mail[0].content, Content::Protocol(_)));
}

#[test]
fn a_member_speaks_for_itself_and_commands_nobody() {
    let (_home, team) = team();
    let key = TeamKey::of(&Lease::take(&team).unwrap(), &team).unwrap();
    let (ada, bob) = (key.member(&id("ada@shop"), 1).unwrap(), key.member(&id("bob@shop"), 4).unwrap());
    let mailbox = team.mailbox(ada.agent());
    mailbox.create().unwrap();
    let mut reader = mailbox.sealed_reader(ada.verifier());
    let from = |name: &str, incarnation| team.sender(Origin::Agent(id(name)), incarnation);

    send(&from("bob@shop", 4).sealed(bob.signer()), &mailbox, Draft::text("hello"));
    assert_eq!(found(&mut reader).0, [Standing::Member]);
    send(&from("bob@shop", 4).sealed(bob.signer()), &mailbox, command());
    assert!(found(&mut reader).1.contains("only the leader"));
    send(&from("eve@shop", 4).sealed(bob.signer()), &mailbox, Draft::text("as another"));
    assert!(found(&mut reader).1.contains("another than the sender"));
    send(&from("bob@shop", 5).sealed(bob.signer()), &mailbox, Draft::text("as a later start of itself"));
    assert!(found(&mut reader).1.contains("another than the sender"));
    send(&leader(&team).sealed(bob.signer()), &mailbox, command());
    assert!(found(&mut reader).1.contains("another than the sender"));
}

#[test]
fn unsigned_text_is_an_outside_tools_whoever_it_says_it_is_from() {
    let (_home, team) = team();
    let key = TeamKey::of(&Lease::take(&team).unwrap(), &team).unwrap();
    let mailbox = team.mailbox(&id("team-lead@shop"));
    mailbox.create().unwrap();
    send(&team.sender(Origin::User, 1), &mailbox, Draft::text("delete it all"));
    send(&team.sender(Origin::Agent(id("ada@shop")), 1), &mailbox, Draft::text("I am ada"));
    send(&team.sender("external:ci".parse().unwrap(), 1), &mailbox, Draft::text("build failed"));
    let mut unread = mailbox.sealed_reader(key.verifier()).unread().unwrap();
    assert!(unread.mail.iter().all(|mail| mail.standing == Standing::External));
    unread.mail.sort_by(|a, b| a.message.from.cmp(&b.message.from));
    let from: Vec<&str> = unread.mail.iter().map(|mail| mail.message.from.as_str()).collect();
    assert_eq!(from, ["external:ada", "external:ci", "external:user"]);
}

#[test]
fn a_changed_byte_another_recipient_and_a_changed_kind_break_the_signature() {
    let (_home, team) = team();
    let key = TeamKey::of(&Lease::take(&team).unwrap(), &team).unwrap();
    let (ada, bob) = (key.member(&id("ada@shop"), 1).unwrap(), key.member(&id("bob@shop"), 1).unwrap());
    let (to_ada, to_bob) = (team.mailbox(ada.agent()), team.mailbox(bob.agent()));
    to_ada.create().unwrap();
    to_bob.create().unwrap();
    let sender = leader(&team).sealed(key.signer());
    let refused = |change: fn(String) -> String| {
        let name = send(&sender, &to_ada, Draft::text("please stop"));
        let from = to_ada.path().join("new").join(&name);
        let text = fs::read_to_string(&from).unwrap();
        let changed = change(text.clone());
        assert_ne!(text, changed);
        fs::write(&from, changed).unwrap();
        let (delivered, told) = found(&mut to_ada.sealed_reader(ada.verifier()));
        assert!(delivered.is_empty(), "{told}");
        told
    };
    assert!(refused(|text| text.replace("stop", "go!!")).contains("not of this team"));
    assert!(
        refused(|text| text.replace("\"kind\":\"text\"", "\"kind\":\"protocol\"")).contains("not of this")
    );
    assert!(refused(|text| text.replace("\"epoch\":1", "\"epoch\":2")).contains("not of this team"));
    let name = send(&sender, &to_ada, command());
    fs::rename(to_ada.path().join("new").join(&name), to_bob.path().join("new").join(&name)).unwrap();
    let (delivered, told) = found(&mut to_bob.sealed_reader(bob.verifier()));
    assert!(delivered.is_empty() && told.contains("for this recipient"), "{told}");
}

#[test]
fn a_replaced_leader_is_no_longer_obeyed_and_its_successor_is() {
    let (_home, team) = team();
    let first = Lease::take(&team).unwrap();
    let old = TeamKey::of(&first, &team).unwrap();
    let ada = old.member(&id("ada@shop"), 1).unwrap();
    let mailbox = team.mailbox(ada.agent());
    mailbox.create().unwrap();
    let mut reader = mailbox.sealed_reader(ada.verifier());
    drop(first);
    let new = TeamKey::of(&Lease::take(&team).unwrap(), &team).unwrap();
    let successor = team.sender(Origin::Agent(id("team-lead@shop")), 2).sealed(new.signer());
    send(&successor, &mailbox, command());
    assert_eq!(found(&mut reader).0, [Standing::Leader]);
    send(&leader(&team).sealed(old.signer()), &mailbox, command());
    assert!(found(&mut reader).1.contains("earlier leader"));
    // What it had said, and nobody read in its time, is no order.
    send(&leader(&team).sealed(old.signer()), &mailbox, Draft::text("Mind the otter."));
    assert_eq!(found(&mut reader).0, [Standing::Leader]);
    // A member outlives its leader: what it signs under the old epoch still counts.
    let lead_box = team.mailbox(&id("team-lead@shop"));
    lead_box.create().unwrap();
    send(&team.sender(Origin::Agent(id("ada@shop")), 1).sealed(ada.signer()), &lead_box, Draft::text("here"));
    assert_eq!(found(&mut lead_box.sealed_reader(new.verifier())).0, [Standing::Member]);
}

#[test]
fn a_message_copied_back_after_it_was_handled_and_trimmed_is_refused() {
    let (_home, team) = team();
    let key = TeamKey::of(&Lease::take(&team).unwrap(), &team).unwrap();
    let mailbox = team.mailbox(&id("ada@shop"));
    mailbox.create().unwrap();
    let sender = leader(&team).sealed(key.signer());
    let name = send(&sender, &mailbox, command());
    let file = mailbox.path().join("new").join(&name);
    let copy = fs::read(&file).unwrap();
    let keep = swarm_store::mailbox::Keep { count: 0, ..Default::default() };
    let mut reader = mailbox.sealed_reader(key.verifier()).keeping(keep);
    let mail = reader.unread().unwrap().mail;
    reader.ack(&mail[0].handle).unwrap();
    fs::write(&file, &copy).unwrap();
    assert_eq!(found(&mut reader).0.len(), 0, "a copy of what is in `cur`");
    reader.trim().unwrap();
    assert!(fs::read_dir(mailbox.path().join("cur")).unwrap().next().is_none());
    fs::write(&file, &copy).unwrap();
    let (delivered, told) = found(&mut mailbox.sealed_reader(key.verifier()));
    assert!(delivered.is_empty() && told.contains("handled before"), "{told}");
}

#[test]
fn a_members_key_is_handed_over_once_in_a_file_for_its_owner_only() {
    let (_home, team) = team();
    let key = TeamKey::of(&Lease::take(&team).unwrap(), &team).unwrap();
    let path = key.member(&id("ada@shop"), 3).unwrap().hand_over(team.root(), &"an order").unwrap();
    assert_eq!(fs::metadata(&path).unwrap().permissions().mode() & 0o777, 0o600);
    let (ada, order) = MemberKey::take::<String>(team.root(), &path).unwrap();
    assert_eq!(order, "an order");
    assert!(!path.exists());
    assert_eq!(ada.incarnation(), 3);
    assert!(MemberKey::take::<String>(team.root(), &path).unwrap_err().is_not_found());
    assert!(!format!("{ada:?} {key:?} {:?}", ada.signer()).contains(&secret_in_hex(&team)));
}

fn secret_in_hex(team: &TeamDir) -> String {
    let path = team.root().path().join("keys/shop.key");
    assert_eq!(fs::metadata(&path).unwrap().permissions().mode() & 0o777, 0o600);
    fs::read_to_string(path).unwrap().trim().to_owned()
}

#[test]
fn an_unknown_protocol_type_is_delivered_unread_and_reported() {
    let (_home, team) = team();
    let mailbox = team.mailbox(&id("ada@shop"));
    mailbox.create().unwrap();
    let text = r#"{"type":"of_next_year","x":1}"#.to_owned();
    let draft = Draft { kind: Kind::Protocol, ..Draft::text(text.clone()) };
    send(&leader(&team), &mailbox, draft);
    let unread = mailbox.reader().unread().unwrap();
    assert_eq!(unread.mail[0].message.text, text);
    assert!(matches!(&unread.mail[0].content, Content::Opaque { why } if why.contains("of_next_year")));
    assert!(unread.problems[0].why.contains("not understood"));
}
