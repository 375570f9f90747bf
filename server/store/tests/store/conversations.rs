//! Conversations: one is present, those put away are not lost, and only an empty place is let go.

use swarm_store::{Conversations, Former, TeamDir, Transcript, TranscriptReader};
use swarm_wire::ConversationId;
use swarm_wire::conversation::Conversation;

use crate::support::{entry, id, team};

fn figures(name: &str) -> Conversation {
    let (id, title) = (ConversationId::new(name), Some(name.to_owned()));
    Conversation { id, title, created_at: 1, updated_at: 1, entries: 1, tokens: 1 }
}

fn texts(team: &TeamDir) -> usize {
    TranscriptReader::new(team, &id("ada@shop")).unwrap().page(0, 100).unwrap().entries.len()
}

#[test]
fn another_conversation_takes_the_place_of_the_present_one_which_comes_back_whole() {
    let (_home, team) = team();
    let of = Conversations::new(&team, &id("ada@shop"));
    let (mut first, _) = Transcript::open(&team, &id("ada@shop")).unwrap();
    first.append(&[entry("one"), entry("two")]).unwrap();

    let (mut second, replay) = of.change(Former::Kept(figures("first")), figures("conv-2")).unwrap();
    assert!(replay.entries.is_empty());
    second.append(&[entry("three")]).unwrap();
    assert_eq!(texts(&team), 1);
    // It holds for who opens the member's history anew.
    assert_eq!(Transcript::open(&team, &id("ada@shop")).unwrap().1.entries, [entry("three")]);

    of.rename(&Conversation { title: Some("Birds".to_owned()), ..figures("first") }).unwrap();
    let (_, replay) = of.change(Former::Kept(figures("conv-2")), figures("first")).unwrap();
    assert_eq!(replay.entries, [entry("one"), entry("two")]);
    let index = of.index().unwrap();
    assert_eq!(index.current, ConversationId::first());
    assert_eq!(index.get(&ConversationId::first()).unwrap().title.as_deref(), Some("Birds"));
    assert_eq!(index.conversations.len(), 2);
}

#[test]
fn what_is_let_go_leaves_nothing_and_an_id_from_outside_reaches_no_other_file() {
    let (_home, team) = team();
    let of = Conversations::new(&team, &id("ada@shop"));
    Transcript::open(&team, &id("ada@shop")).unwrap();
    of.change(Former::LetGo(ConversationId::first()), figures("conv-2")).unwrap();
    assert!(!team.path().join("transcripts/ada@shop.jsonl").exists());
    assert_eq!(of.index().unwrap().conversations.len(), 1);
    for outside in ["../x", "", ".hidden", "a/b"] {
        let refused = of.change(Former::Kept(figures("conv-2")), figures(outside));
        assert!(refused.unwrap_err().to_string().contains("no conversation"), "{outside}");
    }
    assert_eq!(of.index().unwrap().current, ConversationId::new("conv-2"));
}

#[test]
fn an_index_that_cannot_be_read_is_named_and_left() {
    let (_home, team) = team();
    let path = team.path().join("transcripts/ada@shop.json");
    std::fs::write(&path, "{").unwrap();
    let refused = Transcript::open(&team, &id("ada@shop")).unwrap_err();
    assert_eq!(refused.path(), Some(path.as_path()));
    assert_eq!(std::fs::read_to_string(&path).unwrap(), "{");
}
