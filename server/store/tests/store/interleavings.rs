//! Any order of sending, reading, handling and crashing: nothing is lost, nothing handled comes back, and
//! each sender's mail keeps its order.

use std::collections::BTreeMap;
use std::fs;

use proptest::prelude::*;
use swarm_store::mailbox::{Delivered, Keep};
use swarm_store::{Draft, Durability, Mailbox, Origin, Reader, TeamDir};

use crate::support::{id, team};

#[derive(Debug, Clone)]
enum Step {
    Send {
        sender: usize,
    },
    /// The sender is started anew, with the next incarnation.
    Restart {
        sender: usize,
    },
    /// The sender is killed before its rename.
    KilledSending {
        sender: usize,
    },
    Read,
    /// Handles and acknowledges one of what is waiting, the `pick`th modulo how many there are.
    Handle {
        pick: usize,
    },
    /// The reader is killed after the message went to `cur` and before it left `new`.
    KilledAcking {
        pick: usize,
    },
    /// The reader is killed; what it had not acknowledged must come again.
    ReaderRestarts,
    Trim,
}

fn step() -> impl Strategy<Value = Step> {
    prop_oneof![
        6 => (0..3_usize).prop_map(|sender| Step::Send { sender }),
        1 => (0..3_usize).prop_map(|sender| Step::Restart { sender }),
        1 => (0..3_usize).prop_map(|sender| Step::KilledSending { sender }),
        4 => Just(Step::Read),
        4 => any::<usize>().prop_map(|pick| Step::Handle { pick }),
        1 => any::<usize>().prop_map(|pick| Step::KilledAcking { pick }),
        1 => Just(Step::ReaderRestarts),
        1 => Just(Step::Trim),
    ]
}

/// What should be so, beside what is.
struct World {
    team: TeamDir,
    mailbox: Mailbox,
    reader: Reader,
    incarnations: [u64; 3],
    /// Sent and not handled, by sender, in order.
    owed: BTreeMap<usize, Vec<String>>,
    /// Handed out by the living reader and not handled.
    waiting: Vec<Delivered>,
    sent: usize,
}

/// Few enough that trimming bites.
const KEEP: Keep = Keep { count: 2, age: std::time::Duration::MAX };

impl World {
    fn new(team: TeamDir) -> Self {
        let mailbox = team.mailbox(&id("ada@shop"));
        mailbox.create().unwrap();
        let reader = mailbox.reader().keeping(KEEP);
        let waiting = Vec::new();
        Self { team, mailbox, reader, incarnations: [1; 3], owed: BTreeMap::new(), waiting, sent: 0 }
    }

    fn take(&mut self, step: Step) {
        match step {
            Step::Send { sender } => {
                let text = self.sent.to_string();
                self.sent += 1;
                let from = Origin::Agent(id(&format!("m{sender}@shop")));
                let mail = self.team.sender(from, self.incarnations[sender]);
                mail.send(&self.mailbox, Draft::text(text.clone()), Durability::Buffered).unwrap();
                self.owed.entry(sender).or_default().push(text);
            }
            Step::Restart { sender } => self.incarnations[sender] += 1,
            Step::KilledSending { sender } => {
                let piece = format!("tmp/{}.999.m{sender}@shop", self.incarnations[sender]);
                fs::write(self.mailbox.path().join(piece), "{\"id\":").unwrap();
            }
            Step::Read => self.read(),
            Step::Handle { pick } => {
                if let Some(mail) = self.pick(pick) {
                    self.reader.ack(&mail.handle).unwrap();
                }
            }
            Step::KilledAcking { pick } => {
                if let Some(mail) = self.pick(pick) {
                    let at = |folder| self.mailbox.path().join(folder).join(mail.message.id.as_str());
                    fs::copy(at("new"), at("cur")).unwrap();
                    self.restart_reader();
                }
            }
            Step::ReaderRestarts => self.restart_reader(),
            Step::Trim => self.reader.trim().unwrap(),
        }
    }

    fn read(&mut self) {
        let unread = self.reader.unread().unwrap();
        assert!(unread.problems.is_empty(), "{:?}", unread.problems);
        self.waiting.extend(unread.mail);
        for (sender, owed) in &self.owed {
            let from = format!("m{sender}@shop");
            let got: Vec<&String> = self
                .waiting
                .iter()
                .filter(|mail| mail.message.from == from)
                .map(|mail| &mail.message.text)
                .collect();
            assert_eq!(got, owed.iter().collect::<Vec<_>>(), "from {from}");
        }
    }

    /// One waiting message, now handled as far as the world is concerned.
    fn pick(&mut self, pick: usize) -> Option<Delivered> {
        let index = pick.checked_rem(self.waiting.len())?;
        let mail = self.waiting.remove(index);
        self.owed.values_mut().for_each(|owed| owed.retain(|text| *text != mail.message.text));
        Some(mail)
    }

    fn restart_reader(&mut self) {
        self.reader = self.mailbox.reader().keeping(KEEP);
        self.waiting.clear();
    }
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 100, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn no_order_of_events_loses_repeats_or_reorders_mail(steps in prop::collection::vec(step(), 1..60)) {
        let (_home, team) = team();
        let mut world = World::new(team);
        for step in steps {
            world.take(step);
        }
        world.read();
        world.restart_reader();
        world.read();
    }
}
