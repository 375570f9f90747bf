//! Plays a script to another program: `serve SCRIPT.json [BREAKS]` prints the model server's address on a line, answers
//! until its standard input ends, then prints what was wrong with the requests, and fails if anything was. So many
//! BREAKS, 0 unless told, are prompts that begin anew, as behind a summary or a change of the conversation.

use std::error::Error;
use std::process::ExitCode;

use swarm_script::{Script, ScriptServer};
use tokio::io::{AsyncReadExt, AsyncWriteExt, stdin, stdout};

#[tokio::main]
async fn main() -> Result<ExitCode, Box<dyn Error>> {
    let path = std::env::args_os().nth(1).ok_or("usage: serve SCRIPT.json [BREAKS]")?;
    let breaks: usize = std::env::args().nth(2).map_or(Ok(0), |breaks| breaks.parse())?;
    let json = tokio::fs::read_to_string(&path)
        .await
        .map_err(|error| format!("{}: {error}", std::path::Path::new(&path).display()))?;
    let server = ScriptServer::start(Script::from_json(&json)?).await?;
    say(&server.base_url()).await?;

    // Whoever started us tells us to end by closing our input, or by its own end.
    stdin().read_to_end(&mut Vec::new()).await?;

    let mut in_order = true;
    for violation in server.violations() {
        in_order = false;
        say(&format!("request {} of {}: {}", violation.request, violation.agent, violation.message)).await?;
    }
    let broken = server.prefix_breaks();
    in_order &= broken.len() == breaks;
    for broken in broken {
        say(&format!(
            "request {} of {}: {} differs after {} bytes from what was sent before",
            broken.request, broken.agent, broken.part, broken.common
        ))
        .await?;
    }
    Ok(if in_order { ExitCode::SUCCESS } else { ExitCode::FAILURE })
}

async fn say(line: &str) -> std::io::Result<()> {
    let mut out = stdout();
    out.write_all(format!("{line}\n").as_bytes()).await?;
    out.flush().await
}
