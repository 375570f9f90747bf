//! Notices when two members only exchange courtesies, so that their mail stops to cost requests.

use serde_json::Value;
use swarm_wire::AgentId;

use crate::inbox::{Class, Input};

/// How many turns in a row may be courtesies before mail of that peer no longer starts one.
const COURTESIES_MAX: u32 = 6;
/// The longest mail, wrapper included, that can be a courtesy; in bytes.
const COURTESY_LENGTH: usize = 400;

/// What one turn heard and did, as far as it tells courtesies from work.
#[derive(Debug, Default)]
pub(crate) struct Exchange {
    peer: Option<AgentId>,
    is_work: bool,
}

impl Exchange {
    pub(crate) fn heard(&mut self, input: &Input) {
        match sender_of_courtesy(input) {
            _ if input.class == Class::Notice => {}
            Some(from) if self.peer.as_ref().is_none_or(|peer| peer == from) => {
                self.peer = Some(from.clone());
            }
            _ => self.is_work = true,
        }
    }

    pub(crate) fn called(&mut self, tool: &str, input: &Value) {
        let to = input.get("to").and_then(Value::as_str).unwrap_or_default();
        let answers = self.peer.as_ref().is_some_and(|peer| peer.is_called(to));
        self.is_work |= tool != "SendMessage" || !answers;
    }
}

/// The courtesies of one member, turn after turn.
#[derive(Debug, Default)]
pub(crate) struct Chatter {
    peer: Option<AgentId>,
    turns: u32,
}

impl Chatter {
    /// A turn is over. Gives the peer whose mail starts no more turns, when this was one courtesy too many.
    pub(crate) fn turn(&mut self, exchange: Exchange) -> Option<&AgentId> {
        let Exchange { peer: Some(peer), is_work: false } = exchange else {
            *self = Self::default();
            return None;
        };
        if self.peer.as_ref() != Some(&peer) {
            *self = Self { peer: Some(peer), turns: 0 };
        }
        self.turns += 1;
        self.peer.as_ref().filter(|_| self.turns == COURTESIES_MAX)
    }

    /// Whether inputs are only to be taken note of.
    pub(crate) fn covers(&self, inputs: &[Input]) -> bool {
        let is_of_peer =
            |input| sender_of_courtesy(input).is_some_and(|from| self.peer.as_ref() == Some(from));
        self.turns >= COURTESIES_MAX && inputs.iter().all(is_of_peer)
    }
}

/// Who wrote it, when it may be no more than a courtesy.
fn sender_of_courtesy(input: &Input) -> Option<&AgentId> {
    let is_short = input.class == Class::Peer && input.text.len() <= COURTESY_LENGTH;
    input.from.as_ref().filter(|_| is_short)
}

#[cfg(test)]
mod tests {
    use serde_json::json;
    use swarm_wire::MessageId;

    use super::*;
    use crate::inbox::Receipt;

    fn mail(class: Class, from: &str, text: &str) -> Input {
        Input {
            class,
            from: Some(from.parse().unwrap()),
            turn: None,
            shutdown: None,
            pictures: Vec::new(),
            text: text.into(),
            message: MessageId::new("m"),
            receipt: Receipt::new(|| {}),
        }
    }

    fn thanks(from: &str) -> Exchange {
        let mut exchange = Exchange::default();
        exchange.heard(&mail(Class::Peer, from, "Thanks!"));
        exchange.called("SendMessage", &json!({"to": from.split('@').next(), "text": "You are welcome."}));
        exchange
    }

    #[test]
    fn courtesies_of_one_peer_stop_to_start_turns_until_something_else_comes() {
        let mut chatter = Chatter::default();
        for _ in 1..COURTESIES_MAX {
            assert_eq!(chatter.turn(thanks("bob@shop")), None);
        }
        assert!(!chatter.covers(&[mail(Class::Peer, "bob@shop", "Thanks!")]));
        assert_eq!(chatter.turn(thanks("bob@shop")), Some(&"bob@shop".parse().unwrap()));
        assert!(chatter.covers(&[mail(Class::Peer, "bob@shop", "Thanks!")]));
        // Work, and anybody else, is not held back.
        assert!(!chatter.covers(&[mail(Class::Peer, "eve@shop", "Thanks!")]));
        assert!(!chatter.covers(&[mail(Class::Leader, "bob@shop", "Thanks!")]));
        assert!(!chatter.covers(&[mail(Class::Peer, "bob@shop", &"The log: ".repeat(80))]));
        let mut work = thanks("bob@shop");
        work.called("Read", &json!({"path": "x"}));
        assert_eq!(chatter.turn(work), None);
        assert!(!chatter.covers(&[mail(Class::Peer, "bob@shop", "Thanks!")]));
    }

    #[test]
    fn a_turn_that_writes_to_somebody_else_is_work() {
        let mut chatter = Chatter::default();
        for _ in 0..2 * COURTESIES_MAX {
            let mut exchange = Exchange::default();
            exchange.heard(&mail(Class::Peer, "bob@shop", "Done."));
            exchange.called("SendMessage", &json!({"to": "eve", "text": "Your turn."}));
            assert_eq!(chatter.turn(exchange), None);
        }
    }
}
