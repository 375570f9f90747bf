//! Talks to a real model server: `ask FORMAT BASE_URL MODEL < PROMPT` prints what comes, answers the calls of its
//! one tool, and ends with the model. FORMAT is `messages`, `responses` or `chat`; the key is in the
//! environment. It proves a server's wire, and what it sends back is what an agent would.

#![expect(clippy::disallowed_methods, reason = "a program of its own, with its environment and its output")]

use std::error::Error;
use std::io::Write as _;
use std::sync::Arc;

use swarm_model::{
    ApiKey, Client, Config, Delta, Effort, Format, Message, Part, Reply, Request, ToolSpec, UserPart,
};
use tokio_util::sync::CancellationToken;

/// A model that only ever calls is left at this point.
const MOST_ANSWERS: usize = 4;

#[tokio::main]
async fn main() -> Result<(), Box<dyn Error>> {
    let mut arguments = std::env::args().skip(1);
    let format = match arguments.next().as_deref() {
        Some("messages") => Format::Messages,
        Some("responses") => Format::Responses,
        Some("chat") => Format::ChatCompletions,
        _ => {
            return Err("usage: ask messages|responses|chat BASE_URL MODEL [low|medium|high] < PROMPT".into());
        }
    };
    let base_url = arguments.next().unwrap_or_else(|| format.home().into());
    let model = arguments.next().ok_or("which model?")?;
    let effort = arguments.next().map(|word| match word.as_str() {
        "low" => Effort::Low,
        "medium" => Effort::Medium,
        _ => Effort::High,
    });
    let mut config = Config::new(base_url, std::env::var(format.key_variable()).ok().map(ApiKey::new));
    config.format = format;

    let prompt = std::io::read_to_string(std::io::stdin())?;
    let mut request = Request {
        model,
        system: "You are a helpful assistant. Answer in one sentence.".into(),
        tools: Arc::from([weather()]),
        messages: vec![Message::User(vec![UserPart::Text(prompt)])],
        max_tokens: 500,
        effort,
    };
    converse(&Client::new(config), &mut request).await
}

async fn converse(client: &Client, request: &mut Request) -> Result<(), Box<dyn Error>> {
    let mut out = std::io::stdout();
    for _ in 0..MOST_ANSWERS {
        let mut show = |delta: Delta| {
            // A closed output is no reason to stop asking.
            let _ = match delta {
                Delta::Text(text) => write!(out, "{text}"),
                other => writeln!(out, "\n[{other:?}]"),
            };
            let _ = out.flush();
        };
        let reply = client.complete(request, &mut show, &CancellationToken::new()).await?;
        let Reply { content, stop, usage } = &reply;
        writeln!(out, "\n[{stop:?}, {usage:?}]")?;
        for part in content.iter().filter(|part| !matches!(part, Part::Text(_))) {
            writeln!(out, "[{part:?}]")?;
        }
        let results: Vec<_> = content.iter().filter_map(result).collect();
        if results.is_empty() {
            return Ok(());
        }
        request.messages.push(Message::Assistant(reply.content));
        request.messages.push(Message::User(results));
    }
    Ok(())
}

fn weather() -> ToolSpec {
    ToolSpec {
        name: "weather".into(),
        description: "Tells the weather of a city.".into(),
        input_schema: serde_json::json!({
            "type": "object",
            "properties": {"city": {"type": "string"}},
            "required": ["city"],
        }),
    }
}

fn result(part: &Part) -> Option<UserPart> {
    let Part::ToolUse { id, .. } = part else { return None };
    Some(UserPart::ToolResult {
        id: id.clone(),
        content: "Sunny, 31 °C.".into(),
        pictures: Vec::new(),
        is_error: false,
    })
}
