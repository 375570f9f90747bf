//! Commands that reach beyond this machine, and the hosts that they name.

use swarm_wire::permission::Level;

use super::command::Meaning;
use super::hosts;
use super::word::Word;

/// Programs whose whole purpose is elsewhere. `npx` is none: it runs what is installed, and what it would fetch
/// first is asked for, host by host, like all that runs code.
const ALWAYS: &str = "aria2c aws az curl dig doctl fly flyctl ftp gcloud gh glab heroku helm host http https kubectl lftp \
                      mail mosh nc ncat netcat netlify nmap nslookup ping ping6 pnpx rclone rsync s3cmd scp sendmail sftp \
                      skopeo socat ssh ssh-copy-id telnet terraform tofu tracepath traceroute vercel wget whois wrangler";

/// Programs that do so in some of their commands.
const SOMETIMES: [(&str, &str); 22] = [
    (
        "npm",
        "access add audit ci create deprecate dist-tag exec i in init install install-ci-test it link login logout \
             outdated owner ping publish search unpublish up update upgrade view whoami x",
    ),
    ("pnpm", "add audit create dlx exec fetch i import install outdated publish up update upgrade"),
    ("yarn", "add create dlx global info install npm outdated publish up upgrade"),
    ("bun", "add create i install outdated pm publish update x"),
    ("pip", "download index install search wheel"),
    ("pip3", "download index install search wheel"),
    ("uv", "add lock pip publish python sync tool"),
    ("uvx", ""),
    ("pipx", ""),
    ("poetry", "add install lock publish update"),
    ("cargo", "add binstall fetch info install login owner publish search update yank"),
    ("rustup", "component install target toolchain update"),
    ("gem", "install push update"),
    ("bundle", "install update"),
    ("composer", "install require update"),
    ("go", "get install mod"),
    ("apt", "install update upgrade"),
    ("apt-get", "install update upgrade download source"),
    ("brew", "install update upgrade tap"),
    ("apk", "add update upgrade"),
    ("docker", "login pull push search compose"),
    ("podman", "login pull push search"),
];

/// What destroys things elsewhere.
const DESTROYS: [(&str, &str); 8] = [
    ("kubectl", "delete drain"),
    ("terraform", "destroy"),
    ("tofu", "destroy"),
    ("helm", "uninstall delete"),
    ("aws", "delete rm rb terminate-instances"),
    ("gh", "delete"),
    ("docker", "prune rm rmi kill"),
    ("npm", "unpublish"),
];

pub(super) fn meaning(name: &str, arguments: &[Word]) -> Option<Meaning> {
    let listed = |list: &str, word: &str| list.split_whitespace().any(|entry| entry == word);
    let of = |table: &[(&str, &str)], word: &str| {
        table.iter().any(|(program, commands)| *program == name && listed(commands, word))
    };
    if let Some(word) = arguments.iter().filter_map(Word::known).find(|word| of(&DESTROYS, word)) {
        return Some(Meaning::new(Level::Destroys, format!("`{name} {word}` cannot be taken back")));
    }
    let python = matches!(name, "python" | "python3") && python_module(arguments);
    let whole = SOMETIMES.iter().any(|(program, commands)| *program == name && commands.is_empty());
    let sometimes =
        arguments.iter().filter_map(Word::known).find(|word| !word.starts_with('-') && of(&SOMETIMES, word));
    let bare = matches!(name, "yarn" | "pnpm") && arguments.is_empty();
    if !(listed(ALWAYS, name) || python || whole || bare || sometimes.is_some()) {
        return None;
    }
    let version = matches!(arguments, [only] if only.known() == Some("--version"));
    if version {
        return None;
    }
    let mut meaning = Meaning::new(Level::LeavesMachine, format!("`{name}` reaches beyond this machine"));
    meaning.hosts = hosts(name, arguments);
    if let Some(host) = meaning.hosts.first() {
        meaning.why = format!("`{name}` reaches `{host}`");
    }
    Some(meaning)
}

fn python_module(arguments: &[Word]) -> bool {
    let module = arguments.iter().skip_while(|word| word.known() != Some("-m")).nth(1);
    module.and_then(Word::known).is_some_and(|module| module == "pip")
}

fn hosts(name: &str, arguments: &[Word]) -> Vec<String> {
    let operands = || arguments.iter().filter_map(Word::known).filter(|word| !word.starts_with('-'));
    let mut found: Vec<String> = match name {
        "ssh" | "mosh" | "sftp" | "ping" | "nc" | "ncat" | "telnet" | "whois" => {
            operands().filter(|word| word.contains(['.', '@'])).filter_map(hosts::of_url).take(1).collect()
        }
        "scp" | "rsync" | "rclone" => operands().filter_map(hosts::of_remote).collect(),
        "curl" | "wget" | "http" | "https" => operands()
            .filter(|word| word.contains("://") || looks_like_host(word))
            .filter_map(hosts::of_url)
            .collect(),
        _ => operands().filter(|word| word.contains("://")).filter_map(hosts::of_url).collect(),
    };
    found.dedup();
    found
}

fn looks_like_host(word: &str) -> bool {
    let host = word.split(['/', ':']).next().unwrap_or_default();
    host == "localhost" || (host.contains('.') && !host.starts_with('.') && !word.contains(' '))
}
