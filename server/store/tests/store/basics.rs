//! The store through its public face: what callers rely on, over a real folder.

use std::fs;
use std::os::unix::fs::PermissionsExt;
use std::path::Path;
use std::time::Duration;

use swarm_store::{
    Admitted, Draft, Durability, Error, Lease, LiveLock, Origin, Root, Transcript, TranscriptReader, Watch,
};
use swarm_wire::RequestId;
use swarm_wire::permission::{Answer, Outcome, ResolvedBy, Status};
use swarm_wire::picture::{MediaType, Picture};

use crate::support::{entry, id, request, team, team_file};

#[test]
fn the_root_is_closed_to_others() {
    let home = tempfile::tempdir().unwrap();
    let root = Root::at(home.path().join("a/swarm"));
    root.prepare().unwrap();
    root.prepare().unwrap();
    assert_eq!(fs::metadata(root.path()).unwrap().permissions().mode() & 0o777, 0o700);
    fs::set_permissions(root.path(), fs::Permissions::from_mode(0o777)).unwrap();
    assert!(matches!(root.prepare(), Err(Error::NotPrivate { .. })));
}

#[test]
fn a_team_is_made_once_and_found_by_its_workspace() {
    let (home, team) = team();
    let root = team.root();
    assert_eq!(root.team_of_workspace(home.path()).unwrap().unwrap().as_str(), "shop");
    assert_eq!(root.team_of_workspace(Path::new("/elsewhere")).unwrap(), None);
    let again = root.team(&"SHOP".parse().unwrap()).create(&team_file("SHOP", home.path()));
    assert!(matches!(again, Err(Error::TeamExists(_))));
    let error = root.team(&"shed".parse().unwrap()).update(|_| ()).unwrap_err().to_string();
    assert!(error.contains("there are shop"), "{error}");
}

#[test]
fn a_change_that_changes_nothing_writes_nothing() {
    let (_home, team) = team();
    let stamp = || fs::metadata(team.team_file_path()).unwrap().modified().unwrap();
    let before = stamp();
    team.update(|file| file.description = None).unwrap();
    assert_eq!(stamp(), before);
    team.update(|file| file.description = Some("sells".into())).unwrap();
    assert_eq!(team.read().unwrap().description.as_deref(), Some("sells"));
}

#[test]
fn mail_is_read_in_order_and_once_handled_stays_handled() {
    let (_home, team) = team();
    let mailbox = team.mailbox(&id("ada@shop"));
    mailbox.create().unwrap();
    let sender = team.sender(Origin::User, 1);
    let sent: Vec<_> = (0..12)
        .map(|n| sender.send(&mailbox, Draft::text(n.to_string()), Durability::Buffered).unwrap())
        .collect();
    let mut reader = mailbox.reader();
    let unread = reader.unread().unwrap();
    assert_eq!(unread.mail.iter().map(|m| m.message.id.clone()).collect::<Vec<_>>(), sent);
    assert!(reader.unread().unwrap().mail.is_empty(), "one reader hands a message out once");
    for mail in &unread.mail[..5] {
        reader.ack(&mail.handle).unwrap();
        reader.ack(&mail.handle).unwrap();
    }
    let left = mailbox.reader().unread().unwrap().mail;
    assert_eq!(left.len(), 7, "a new reader gets what was not acknowledged");
    let kept = mailbox.path().join("cur").join(sent[0].as_str());
    let kept: serde_json::Value = serde_json::from_slice(&fs::read(kept).unwrap()).unwrap();
    assert_eq!(kept["read"], true);
}

#[test]
fn mail_to_nobody_says_whom_it_reaches_and_makes_nothing() {
    let (_home, team) = team();
    team.mailbox(&id("ada@shop")).create().unwrap();
    let nobody = team.mailbox(&id("bob@shop"));
    let sender = team.sender(Origin::User, 1);
    let error = sender.send(&nobody, Draft::text("x"), Durability::Synced).unwrap_err();
    assert!(error.to_string().contains("mail reaches ada@shop"), "{error}");
    assert!(!nobody.path().exists());
    let ended = team.mailbox(&id("ada@shop"));
    sender.send(&ended, Draft::text("unread for ever"), Durability::Buffered).unwrap();
    ended.close().unwrap();
    assert!(matches!(
        sender.send(&ended, Draft::text("x"), Durability::Buffered),
        Err(Error::NoSuchMember { .. })
    ));
    ended.create().unwrap();
    assert!(ended.reader().unread().unwrap().mail.is_empty(), "a later one of the name starts empty");
}

#[tokio::test]
async fn a_reader_is_woken_by_mail() {
    let (_home, team) = team();
    let mailbox = team.mailbox(&id("ada@shop"));
    mailbox.create().unwrap();
    let mut changes = Watch::new().subscribe(&mailbox);
    changes.changed().await;
    team.sender(Origin::User, 1).send(&mailbox, Draft::text("x"), Durability::Buffered).unwrap();
    let woken = tokio::time::timeout(Duration::from_secs(5), changes.changed()).await;
    assert!(woken.is_ok(), "woken by the event, not by the insurance of 10 s");
}

#[test]
fn the_first_answer_wins_and_the_second_is_told() {
    let (_home, team) = team();
    let permissions = team.permissions();
    assert_eq!(permissions.write_pending(&request("perm-1-aaaaaa")).unwrap(), Admitted::New);
    assert_eq!(permissions.write_pending(&request("perm-1-aaaaaa")).unwrap(), Admitted::AlreadyPending);
    assert_eq!(permissions.pending().unwrap().len(), 1);
    let id = RequestId::new("perm-1-aaaaaa");
    let first = permissions.resolve(&id, &Answer::allow(), ResolvedBy::Leader).unwrap();
    assert_eq!(first.outcome, Outcome::Resolved);
    let second = permissions.resolve(&id, &Answer::reject(None), ResolvedBy::Worker).unwrap();
    assert_eq!(second.outcome, Outcome::AlreadyResolved);
    assert_eq!(second.request.unwrap().status, Status::Approved);
    assert!(permissions.pending().unwrap().is_empty());
    assert!(matches!(
        permissions.write_pending(&request("perm-1-aaaaaa")).unwrap(),
        Admitted::AlreadyResolved(_)
    ));
    let unknown = permissions.resolve(&RequestId::new("perm-2"), &Answer::allow(), ResolvedBy::Leader);
    assert_eq!(unknown.unwrap().outcome, Outcome::Unknown);
    assert!(matches!(
        permissions.withdraw(&RequestId::new("../../team"), "turn ended"),
        Err(Error::BadId { .. })
    ));
}

#[test]
fn a_torn_last_line_is_reported_and_cut_off() {
    let (_home, team) = team();
    let ada = id("ada@shop");
    let (mut transcript, replay) = Transcript::open(&team, &ada).unwrap();
    assert!(replay.entries.is_empty());
    transcript.append(&[entry("one"), entry("two")]).unwrap();
    drop(transcript);
    let path = team.path().join("transcripts/ada@shop.jsonl");
    let mut bytes = fs::read(&path).unwrap();
    bytes.extend_from_slice(b"{\"at\":3,\"role\":\"us");
    fs::write(&path, bytes).unwrap();
    let (mut transcript, replay) = Transcript::open(&team, &ada).unwrap();
    assert_eq!(replay.entries, [entry("one"), entry("two")]);
    assert_eq!(replay.problems.len(), 1);
    transcript.append(&[entry("three")]).unwrap();
    let reader = TranscriptReader::new(&team, &ada).unwrap();
    let first = reader.page(0, 2).unwrap();
    assert_eq!(first.entries.len(), 2);
    assert_eq!(reader.page(first.next, 10).unwrap().entries, [entry("three")]);
}

#[test]
fn a_team_has_one_leader_and_each_has_a_higher_epoch() {
    let (_home, team) = team();
    let first = Lease::take(&team).unwrap();
    assert!(Lease::take(&team).unwrap_err().is_held());
    assert!(Lease::holder(&team).unwrap().is_alive());
    let epoch = first.epoch();
    drop(first);
    assert!(!Lease::holder(&team).unwrap().is_alive());
    assert_eq!(Lease::take(&team).unwrap().epoch(), epoch + 1);
    let ada = id("ada@shop");
    let live = LiveLock::take(&team, &ada).unwrap();
    assert!(LiveLock::holder(&team, &ada).unwrap().is_alive());
    drop(live);
    assert!(!LiveLock::holder(&team, &ada).unwrap().is_alive());
}

#[test]
fn every_start_of_a_member_has_a_number_of_its_own() {
    let (_home, team) = team();
    assert_eq!(team.next_incarnation(&id("ada@shop")).unwrap(), 1);
    assert_eq!(team.next_incarnation(&id("ADA@shop")).unwrap(), 2);
    assert_eq!(team.next_incarnation(&id("bob@shop")).unwrap(), 1);
}

#[test]
fn an_output_cannot_leave_its_folder() {
    let (_home, team) = team();
    let ada = id("ada@shop");
    let path = team.write_output(&ada, "call-1.txt", b"long").unwrap();
    assert_eq!(fs::read(path).unwrap(), b"long");
    assert!(matches!(team.write_output(&ada, "../x", b""), Err(Error::BadId { .. })));
}

#[test]
fn a_picture_is_read_as_it_was_kept_or_not_at_all() {
    let (_home, team) = team();
    let outputs = team.prepare_outputs(&id("ada@shop")).unwrap();
    let (hash, bytes) = (swarm_store::picture_hash(b"heron"), 5);
    let picture = Picture { hash, media_type: MediaType::Png, width: 1, height: 1, bytes };
    swarm_store::keep_picture(&outputs, &picture, b"heron").unwrap();
    assert_eq!(swarm_store::read_picture(&outputs, &picture).unwrap(), b"heron");
    fs::write(outputs.join(picture.file_name()), b"otter").unwrap();
    assert!(matches!(swarm_store::read_picture(&outputs, &picture), Err(Error::AnotherPicture(_))));
    let outside = Picture { hash: "../../x".to_owned(), ..picture };
    assert!(matches!(swarm_store::read_picture(&outputs, &outside), Err(Error::BadId { .. })));
}

#[test]
fn a_question_surfaces_whether_its_mail_or_its_file_was_lost() {
    let (_home, team) = team();
    let permissions = team.permissions();
    // The mail was lost: whoever lists what is pending finds it.
    permissions.write_pending(&request("perm-1-aaaaaa")).unwrap();
    assert_eq!(permissions.pending().unwrap()[0].id, RequestId::new("perm-1-aaaaaa"));
    // The file was lost, or the mail came first: writing it down from the mail makes it so.
    assert_eq!(permissions.write_pending(&request("perm-2-aaaaaa")).unwrap(), Admitted::New);
    let ids = ["perm-1-aaaaaa", "perm-2-aaaaaa", "perm-9-aaaaaa"].map(RequestId::new);
    let outcomes = permissions.resolve_all(&ids, &Answer::allow(), ResolvedBy::Leader).unwrap();
    let outcomes: Vec<Outcome> = outcomes.iter().map(|resolution| resolution.outcome).collect();
    assert_eq!(outcomes, [Outcome::Resolved, Outcome::Resolved, Outcome::Unknown]);
    // Late mail about a question that was withdrawn or answered does not ask again.
    permissions.write_pending(&request("perm-3-aaaaaa")).unwrap();
    permissions.withdraw(&RequestId::new("perm-3-aaaaaa"), "its turn ended").unwrap();
    let Admitted::AlreadyResolved(decided) = permissions.write_pending(&request("perm-3-aaaaaa")).unwrap()
    else {
        panic!("asked again");
    };
    assert_eq!((decided.status, decided.resolved_by), (Status::Rejected, None));
    assert!(permissions.pending().unwrap().is_empty());
}
