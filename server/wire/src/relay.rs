//! What the servers of two editors on one team tell each other, over `leader.sock`: the one that leads, and those that
//! joined it. A line of JSON a message.

use std::path::PathBuf;

use serde::{Deserialize, Serialize};
use serde_json::Value;

use crate::conversation::ConversationWish;
use crate::ids::TeamName;
use crate::lsp::{
    CheckpointListParams, CheckpointRestoreParams, ConfigureParams, ConversationRenameParams, Event,
    MemberParams, MessageParams, PermissionResolveParams, PlanResolveParams, SetModesParams, SpawnParams,
    StateResult, StopParams, TaskCreateParams, TaskListParams, TaskUpdateParams, TeamCreateParams,
    TeamDeleteParams, TeammateParams, TranscriptParams,
};
use crate::picture::Picture;
use crate::process::{LeaderAnswer, LeaderCall};

/// One more with every change that an older server would misread.
pub const VERSION: u32 = 1;

/// The longest line, in bytes: a prompt may carry some dozens of pictures.
pub const LINE_MAX: usize = 256 << 20;

/// What a server says that joins, first of all.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Hello {
    pub version: u32,
    /// What the leader wrote where only this user's servers can read it.
    pub token: String,
}

/// What the leader says.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(tag = "kind", rename_all = "camelCase", rename_all_fields = "camelCase")]
pub enum FromLeader {
    /// It takes nobody who said this; nothing follows.
    Refused {
        why: String,
    },
    /// Everything as of now. The first message, and again before an event that changed it.
    State {
        state: Box<StateResult>,
    },
    Event {
        team: TeamName,
        event: Box<Event>,
    },
    /// So many events were too many for this connection.
    Missed {
        count: u64,
    },
    /// What came of a [`ToLeader::Call`].
    Answer {
        id: u64,
        answer: Answered,
    },
    /// Something is wanted of this server's editor.
    Editor {
        id: u64,
        call: LeaderCall,
    },
}

/// What a server says that joined.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(tag = "kind", rename_all = "camelCase", rename_all_fields = "camelCase")]
pub enum ToLeader {
    /// Its user wants something; `id` is new on this connection.
    Call { id: u64, call: Box<Call> },
    /// What came of a [`FromLeader::Editor`].
    Editor { id: u64, answer: LeaderAnswer },
}

/// What came of a call.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(tag = "kind", rename_all = "camelCase", rename_all_fields = "camelCase")]
pub enum Answered {
    Done {
        result: Value,
    },
    /// There is no such team, member or task.
    Unknown {
        why: String,
    },
    /// A parameter is not what it should be.
    Invalid {
        field: String,
        problem: String,
    },
    Failed {
        why: String,
    },
    ShuttingDown,
}

/// What a user may want of the team; each is answered with what the `swarm/*` request of its name gives.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(tag = "call", rename_all = "camelCase", rename_all_fields = "camelCase")]
pub enum Call {
    CreateTeam { params: TeamCreateParams },
    DeleteTeam { params: TeamDeleteParams },
    Prompt { prompt: Prompt },
    Interrupt { member: MemberParams },
    Compact { member: MemberParams },
    Converse { member: MemberParams, wish: ConversationWish },
    Conversations { member: MemberParams },
    RenameConversation { params: ConversationRenameParams },
    Transcript { params: TranscriptParams },
    Message { params: MessageParams },
    Resolve { params: PermissionResolveParams },
    Spawn { params: SpawnParams },
    Stop { params: StopParams },
    Tasks { params: TaskListParams },
    CreateTask { params: TaskCreateParams },
    UpdateTask { params: TaskUpdateParams },
    ResolvePlan { params: PlanResolveParams },
    Checkpoints { params: CheckpointListParams },
    RestoreCheckpoint { params: CheckpointRestoreParams },
    Restart { params: TeammateParams },
    Show { params: TeammateParams, visible: bool },
    SetModes { params: SetModesParams },
    ConfigureMember { params: ConfigureParams },
}

/// A prompt whose attachments are read already.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Prompt {
    pub text: String,
    pub member: Option<String>,
    pub team: Option<String>,
    pub attachments: Vec<AttachedText>,
    pub pictures: Vec<AttachedPicture>,
}

/// A piece of a file that goes with a prompt.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct AttachedText {
    pub path: PathBuf,
    /// First and last line, counted from one; `None` for the whole file.
    pub lines: Option<(u32, u32)>,
    pub text: String,
}

/// A picture that goes with a prompt.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct AttachedPicture {
    pub path: PathBuf,
    pub picture: Picture,
    /// Those of its file.
    #[serde(with = "base64_text")]
    pub bytes: Vec<u8>,
}

/// Bytes as base64 (RFC 4648, with padding).
mod base64_text {
    use base64::prelude::{BASE64_STANDARD, Engine};
    use serde::{Deserialize, Deserializer, Serializer, de::Error};

    pub(super) fn serialize<S: Serializer>(bytes: &[u8], serializer: S) -> Result<S::Ok, S::Error> {
        serializer.serialize_str(&BASE64_STANDARD.encode(bytes))
    }

    pub(super) fn deserialize<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Vec<u8>, D::Error> {
        BASE64_STANDARD.decode(String::deserialize(deserializer)?).map_err(D::Error::custom)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::picture::MediaType;

    #[test]
    fn a_picture_of_a_prompt_comes_through_whole_in_little_more_than_its_size() {
        let bytes: Vec<u8> = (0..=255).cycle().take(3000).collect();
        let (hash, path) = ("00".repeat(32), PathBuf::from("/shop/a.png"));
        let picture = Picture { hash, media_type: MediaType::Png, width: 640, height: 480, bytes: 3000 };
        let prompt = Prompt {
            text: "What is it?".to_owned(),
            pictures: vec![AttachedPicture { path, picture, bytes }],
            ..Prompt::default()
        };
        let call = ToLeader::Call { id: 1, call: Box::new(Call::Prompt { prompt }) };
        let line = serde_json::to_string(&call).unwrap();
        assert!(line.len() < 5000, "{} bytes", line.len());
        assert_eq!(serde_json::from_str::<ToLeader>(&line).unwrap(), call);
    }
}
