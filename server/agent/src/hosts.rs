//! New hosts that a member's commands want to reach: each is put to the user, as what the member may not do alone.

use std::sync::Arc;

use async_trait::async_trait;
use serde_json::json;
use swarm_guard::Effect;
use swarm_guard::proxy::{AskHost, HostQuestion, Reach};
use swarm_wire::AgentId;
use tokio_util::sync::CancellationToken;

use crate::clock::turn_id;
use crate::gate::{Call, Gate};
use crate::tools::Preview;

/// What rules name for hosts.
const NETWORK: &str = "Network";

/// Asks in the name of one member.
pub(crate) struct HostAsker {
    pub(crate) gate: Arc<Gate>,
    pub(crate) agent: AgentId,
    pub(crate) life: CancellationToken,
}

#[async_trait]
impl AskHost for HostAsker {
    async fn ask(&self, question: &HostQuestion) -> bool {
        let HostQuestion { host, port, reach, command } = question;
        let place = match reach {
            Reach::Public => "",
            Reach::Loopback => " on this machine",
            Reach::LinkLocal | Reach::Private => " in the local network",
        };
        let preview = Preview {
            effect: Effect::Leaves { hosts: vec![host.clone()] },
            description: format!("Reach {host}:{port}{place}, for `{command}`"),
            keys: vec![format!("{host}:{port}")],
            change: None,
        };
        let call = Call {
            id: format!("host-{}", turn_id()),
            name: NETWORK.to_owned(),
            input: json!({"host": host, "port": port, "command": command}),
        };
        // A connection that is given up drops this future, and the question goes with the guard.
        let needed = self.life.child_token();
        let _given_up = needed.clone().drop_guard();
        let (gate, agent) = (self.gate.clone(), self.agent.clone());
        let asking = tokio::spawn(async move { gate.may(&call, &preview, &agent, &needed).await });
        asking.await.unwrap_or(false)
    }
}
