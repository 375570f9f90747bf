//! `swarm-ls doctor`: what the server needs and what this machine has of it, each with what to do about it.

mod reach;

use std::io::Write as _;
use std::process::{ExitCode, Stdio};

use swarm_guard::exec::{Confinement, Helper, Promise, coverage};
use swarm_model::{LocalServer, local_models};
use swarm_store::Root;
use swarm_wire::settings::{Provider, Settings};
use tokio::process::Command;

use crate::environment::Environment;

/// What was found out about one thing.
struct Finding {
    what: &'static str,
    found: String,
    standing: Standing,
    /// What to do about it, or with it.
    advice: Option<String>,
}

/// How well one thing is.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Standing {
    Well,
    /// Not there, and not missed by most.
    Absent,
    /// Something will not work.
    Lacking,
    /// The server is of no use like this.
    Broken,
}

impl Standing {
    fn mark(self) -> &'static str {
        match self {
            Self::Well => "ok",
            Self::Absent => "--",
            Self::Lacking | Self::Broken => "!!",
        }
    }
}

/// Checks everything; fails when something that is needed is missing.
pub(crate) async fn run(environment: &Environment) -> ExitCode {
    let mut findings = vec![state(), key(environment), provider(environment).await];
    for server in &environment.local_servers {
        findings.push(local(server).await);
    }
    findings.extend([git().await, tmux().await, walls().await]);
    for Finding { what, found, standing, advice } in &findings {
        print(&format!("{}  {what:9} {found}\n", standing.mark()));
        if let Some(advice) = advice {
            print(&format!("              {advice}\n"));
        }
    }
    let broken = findings.iter().any(|finding| finding.standing == Standing::Broken);
    if broken { ExitCode::FAILURE } else { ExitCode::SUCCESS }
}

fn state() -> Finding {
    let ready = Root::from_env().and_then(|root| root.prepare().map(|()| root.path().display().to_string()));
    let (found, standing, advice) = match ready {
        Ok(path) => (path, Standing::Well, None),
        Err(error) => {
            let advice = "set SWARM_HOME to an absolute path that you can write".to_owned();
            (error.to_string(), Standing::Broken, Some(advice))
        }
    };
    Finding { what: "state", found, standing, advice }
}

fn key(environment: &Environment) -> Finding {
    let settings = environment.complete(Settings::default());
    let place = settings.base_url.unwrap_or_else(|| "the provider's own address".to_owned());
    let (found, standing, advice) = match settings.api_key {
        Some(_) => (format!("a key is set, for {place}"), Standing::Well, None),
        None => {
            let advice = "set ANTHROPIC_API_KEY or OPENAI_API_KEY; the editor can also give it as the setting `apiKey`";
            // An editor may give the key later.
            (format!("no key is set, for {place}"), Standing::Lacking, Some(advice.to_owned()))
        }
    };
    Finding { what: "model", found, standing, advice }
}

async fn provider(environment: &Environment) -> Finding {
    let settings = environment.complete(Settings::default());
    let provider = settings.provider.unwrap_or(Provider::Anthropic);
    let address = settings.base_url.unwrap_or_else(|| swarm_leader::home_of(provider).to_owned());
    let (found, standing, advice) = match reach::connects(&address).await {
        Ok(place) => (format!("{place} takes connections"), Standing::Well, None),
        Err(why) => {
            let advice = "check the network, or say where the provider is with ANTHROPIC_BASE_URL or OPENAI_BASE_URL; \
                          a proxy on the way may still let it through";
            (why, Standing::Lacking, Some(advice.to_owned()))
        }
    };
    Finding { what: "provider", found, standing, advice }
}

async fn local(server: &LocalServer) -> Finding {
    let LocalServer { name, place } = server;
    let (found, standing, advice) = match local_models(place).await {
        Some(models) if models.is_empty() => {
            let advice = format!("{name} has no model yet; pull or load one");
            (format!("answers at {place}, without a model"), Standing::Lacking, Some(advice))
        }
        Some(models) => {
            let advice = format!(
                "used by itself where no key and no address is set; else OPENAI_BASE_URL=http://{place}/v1, and a model by \
                 name, such as `--model {}`",
                models.first().map(String::as_str).unwrap_or_default()
            );
            (format!("answers at {place}: {}", models.join(", ")), Standing::Well, Some(advice))
        }
        None => (format!("no server answers at {place}"), Standing::Absent, None),
    };
    Finding { what: name, found, standing, advice }
}

async fn git() -> Finding {
    match version("git", "--version").await {
        Some(found) => Finding { what: "git", found, standing: Standing::Well, advice: None },
        None => Finding {
            what: "git",
            found: "git cannot be run".to_owned(),
            standing: Standing::Lacking,
            advice: Some("install git and put it on the PATH".to_owned()),
        },
    }
}

async fn tmux() -> Finding {
    match version("tmux", "-V").await {
        Some(found) => Finding { what: "tmux", found, standing: Standing::Well, advice: None },
        None => Finding {
            what: "tmux",
            found: "tmux cannot be run".to_owned(),
            standing: Standing::Absent,
            advice: Some("install it for teammates in panes; all others do without".to_owned()),
        },
    }
}

/// What a program says of its version.
async fn version(program: &str, argument: &str) -> Option<String> {
    let ran = Command::new(program).arg(argument).stdin(Stdio::null()).output().await.ok()?;
    ran.status.success().then(|| String::from_utf8_lossy(&ran.stdout).trim().to_owned())
}

async fn walls() -> Finding {
    let coverage = coverage(Helper::ThisProgram).await;
    let (found, without) = match coverage.confinement() {
        Confinement::Full => ("commands run behind all walls", Standing::Lacking),
        Confinement::Partial => {
            ("commands run behind some walls, and more of them are asked about", Standing::Lacking)
        }
        Confinement::Off => ("there are no walls here, so no command is run", Standing::Broken),
    };
    let not_held: Vec<&str> = coverage.not_held().into_iter().map(words).collect();
    let advice = (!not_held.is_empty()).then(|| {
        let refused =
            coverage.namespaces_refused.as_ref().map(|failed| format!(" ({failed})")).unwrap_or_default();
        format!("allow unprivileged user namespaces{refused}; not held: {}", not_held.join(", "))
    });
    let standing = if advice.is_some() { without } else { Standing::Well };
    Finding { what: "walls", found: found.to_owned(), standing, advice }
}

fn words(promise: Promise) -> &'static str {
    match promise {
        Promise::TreeEnds => "that nothing outlives its command",
        Promise::Writes => "what is written",
        Promise::Secrets => "secrets",
        Promise::NamesAndModes => "names and modes of files",
        Promise::SelfRunning => "what runs by itself in the workspace",
        Promise::Processes => "other processes",
        Promise::Sockets => "sockets",
        Promise::Network => "the network",
    }
}

#[expect(clippy::disallowed_methods, reason = "the findings are the command's result")]
fn print(text: &str) {
    // A closed pipe only means that nobody looks.
    let _ = std::io::stdout().write_all(text.as_bytes());
}
