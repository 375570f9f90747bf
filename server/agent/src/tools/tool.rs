//! What a tool is: it prepares a call, which changes nothing, and runs it once that very call was granted.

use std::sync::Arc;

use async_trait::async_trait;
use schemars::JsonSchema;
use serde::de::DeserializeOwned;
use serde_json::Value;
use swarm_guard::{Effect, Granted, Permit, admit};
use swarm_model::ToolSpec;
use swarm_wire::permission::FileChange;
use swarm_wire::picture::Picture;

use super::context::ToolContext;
use super::long::fitted;

/// Why a call gave no result of its own. All of it is told to the model; none of it ends a turn.
#[derive(Debug, thiserror::Error)]
pub(crate) enum ToolError {
    /// Something the model can act on.
    #[error("{0}")]
    Tell(String),
    /// The turn was interrupted while the call ran.
    #[error("Interrupted by the user before it finished.")]
    Aborted,
}

impl ToolError {
    pub(crate) fn tell(text: impl Into<String>) -> Self {
        Self::Tell(text.into())
    }
}

/// What a call gives the model.
#[derive(Debug)]
pub(crate) struct Output {
    pub(crate) text: String,
    /// Kept among the member's outputs already.
    pub(crate) pictures: Vec<Picture>,
}

/// What a call would do, told before it is decided.
#[derive(Debug, Clone)]
pub(crate) struct Preview {
    pub(crate) effect: Effect,
    /// One line for a person, such as `Edit src/x.rs`.
    pub(crate) description: String,
    /// What rules match: the paths or the command.
    pub(crate) keys: Vec<String>,
    /// The text before and after, when the call changes one text file.
    pub(crate) change: Option<FileChange>,
}

/// A tool, typed. [`erase`] makes it one of the list.
#[async_trait]
pub(super) trait Tool: Send + Sync + 'static {
    const NAME: &'static str;
    /// What the model reads about the tool.
    const DESCRIPTION: &'static str;
    /// The longest result that the model is given whole, in bytes. Of a longer one it is given the beginning, and
    /// where the rest is.
    const RESULT_MAX: usize = 30_000;
    /// Its doc comments are the schema's descriptions.
    type Input: DeserializeOwned + JsonSchema + Send;
    /// Everything that `run` needs, so that what was approved is what runs.
    type Plan: Send + 'static;

    /// Checks the input and says what the call would do. Changes nothing.
    async fn prepare(
        &self,
        input: Self::Input,
        context: &ToolContext,
    ) -> Result<(Preview, Self::Plan), ToolError>;

    /// Does it, and gives the text that the model reads, however long it is.
    async fn run(&self, call: Granted<Self::Plan>, context: &ToolContext) -> Result<String, ToolError>;

    /// The same with what the model is shown beside the text.
    async fn show(&self, call: Granted<Self::Plan>, context: &ToolContext) -> Result<Output, ToolError> {
        self.run(call, context).await.map(|text| Output { text, pictures: Vec::new() })
    }
}

/// A call that waits for its permit.
#[async_trait]
pub(crate) trait PreparedCall: Send {
    fn preview(&self) -> &Preview;
    async fn run(self: Box<Self>, permit: Permit, context: &ToolContext) -> Result<Output, ToolError>;
}

/// Any tool, whatever its types.
#[async_trait]
pub(crate) trait AnyTool: Send + Sync {
    fn spec(&self) -> ToolSpec;
    /// Whether the tool takes this input, as far as its shape goes.
    fn check(&self, input: &Value) -> Result<(), String>;
    async fn prepare(&self, input: Value, context: &ToolContext) -> Result<Box<dyn PreparedCall>, ToolError>;
}

/// Makes a typed tool one of the list.
pub(super) fn erase<T: Tool>(tool: T) -> Arc<dyn AnyTool> {
    Arc::new(Erased(Arc::new(tool)))
}

struct Erased<T>(Arc<T>);

struct Prepared<T: Tool> {
    tool: Arc<T>,
    preview: Preview,
    plan: T::Plan,
}

#[async_trait]
impl<T: Tool> AnyTool for Erased<T> {
    fn spec(&self) -> ToolSpec {
        let mut schema = schemars::schema_for!(T::Input).to_value();
        if let Some(schema) = schema.as_object_mut() {
            schema.remove("$schema");
            schema.remove("title");
        }
        ToolSpec {
            name: T::NAME.to_owned(),
            description: T::DESCRIPTION.trim().to_owned(),
            input_schema: schema,
        }
    }

    fn check(&self, input: &Value) -> Result<(), String> {
        let taken = serde_json::from_value::<T::Input>(input.clone());
        taken.map(drop).map_err(|error| format!("{} does not take this input: {error}", T::NAME))
    }

    async fn prepare(&self, input: Value, context: &ToolContext) -> Result<Box<dyn PreparedCall>, ToolError> {
        let input = serde_json::from_value(input)
            .map_err(|error| ToolError::tell(format!("{} does not take this input: {error}", T::NAME)))?;
        let (preview, plan) = self.0.prepare(input, context).await?;
        Ok(Box::new(Prepared { tool: self.0.clone(), preview, plan }))
    }
}

#[async_trait]
impl<T: Tool> PreparedCall for Prepared<T> {
    fn preview(&self) -> &Preview {
        &self.preview
    }

    async fn run(self: Box<Self>, permit: Permit, context: &ToolContext) -> Result<Output, ToolError> {
        let result = self.tool.show(admit(self.plan, permit), context).await;
        let fitted = async |text| fitted(text, T::RESULT_MAX, T::NAME, context).await;
        match result {
            Ok(Output { text, pictures }) => Ok(Output { text: fitted(text).await, pictures }),
            Err(ToolError::Tell(text)) => Err(ToolError::Tell(fitted(text).await)),
            Err(ToolError::Aborted) => Err(ToolError::Aborted),
        }
    }
}
