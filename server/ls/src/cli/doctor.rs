//! `swarm-ls doctor`: what the server needs and what this machine has of it, each with what to do about it.

use std::io::Write as _;
use std::process::{ExitCode, Stdio};

use swarm_guard::exec::{Confinement, Helper, Promise, coverage};
use swarm_store::Root;
use swarm_wire::settings::Settings;
use tokio::process::Command;

use crate::environment::Environment;

/// What was found out about one thing.
struct Finding {
    what: &'static str,
    found: String,
    /// What to do where it is not well.
    cure: Option<String>,
    /// Whether the server is of no use without it.
    needed: bool,
}

/// Checks everything; fails when something that is needed is missing.
pub(crate) async fn run(environment: &Environment) -> ExitCode {
    let findings = [state(), key(environment), git().await, walls().await];
    let broken = findings.iter().any(|finding| finding.needed && finding.cure.is_some());
    for Finding { what, found, cure, .. } in &findings {
        let mark = if cure.is_some() { "!!" } else { "ok" };
        print(&format!("{mark}  {what:9} {found}\n"));
        if let Some(cure) = cure {
            print(&format!("              {cure}\n"));
        }
    }
    if broken { ExitCode::FAILURE } else { ExitCode::SUCCESS }
}

fn state() -> Finding {
    let ready = Root::from_env().and_then(|root| root.prepare().map(|()| root.path().display().to_string()));
    let (found, cure) = match ready {
        Ok(path) => (path, None),
        Err(error) => {
            (error.to_string(), Some("set SWARM_HOME to an absolute path that you can write".to_owned()))
        }
    };
    Finding { what: "state", found, cure, needed: true }
}

fn key(environment: &Environment) -> Finding {
    let settings = environment.complete(Settings::default());
    let place = settings.base_url.unwrap_or_else(|| "the provider's own address".to_owned());
    let (found, cure) = match settings.api_key {
        Some(_) => (format!("a key is set, for {place}"), None),
        None => {
            let cure =
                "set ANTHROPIC_API_KEY or OPENAI_API_KEY; the editor can also give it as the setting `apiKey`".to_owned();
            (format!("no key is set, for {place}"), Some(cure))
        }
    };
    // An editor may give the key later.
    Finding { what: "model", found, cure, needed: false }
}

async fn git() -> Finding {
    let ran = Command::new("git").arg("--version").stdin(Stdio::null()).output().await;
    let (found, cure) = match ran {
        Ok(output) if output.status.success() => {
            (String::from_utf8_lossy(&output.stdout).trim().to_owned(), None)
        }
        _ => ("git cannot be run".to_owned(), Some("install git and put it on the PATH".to_owned())),
    };
    Finding { what: "git", found, cure, needed: false }
}

async fn walls() -> Finding {
    let coverage = coverage(Helper::ThisProgram).await;
    let (found, needed) = match coverage.confinement() {
        Confinement::Full => ("commands run behind all walls", false),
        Confinement::Partial => ("commands run behind some walls, and more of them are asked about", false),
        Confinement::Off => ("there are no walls here, so no command is run", true),
    };
    let not_held: Vec<&str> = coverage.not_held().into_iter().map(words).collect();
    let cure = (!not_held.is_empty()).then(|| {
        let refused =
            coverage.namespaces_refused.as_ref().map(|failed| format!(" ({failed})")).unwrap_or_default();
        format!("allow unprivileged user namespaces{refused}; not held: {}", not_held.join(", "))
    });
    Finding { what: "walls", found: found.to_owned(), cure, needed }
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
