//! Ordinary work behind the walls: what a developer's tools do all day still works, with their own home, read-only.

use std::collections::HashMap;
use std::fs;
use std::net::SocketAddr;
use std::path::{Path, PathBuf};
use std::process::Stdio;
use std::sync::Arc;

use async_trait::async_trait;
use swarm_guard::Worktree;
use swarm_guard::exec::{Command, Environment, Exit, Helper, Network, Policy, caches, spawn};
use swarm_guard::proxy::{AskHost, HostQuestion, Proxy};
use tempfile::TempDir;
use tokio::io::{AsyncBufReadExt, AsyncWriteExt, BufReader};
use tokio::net::{TcpListener, TcpStream};

use crate::support::{finish, place, probe};

struct Yes;

#[async_trait]
impl AskHost for Yes {
    async fn ask(&self, _: &HostQuestion) -> bool {
        true
    }
}

/// A workspace, caches begun from the real ones, and the home of whoever runs the tests.
struct Desk {
    dir: TempDir,
    policy: Policy,
    env: Vec<(String, String)>,
}

impl Desk {
    #[expect(clippy::disallowed_methods, reason = "the tools are those of whoever runs the tests")]
    fn new() -> Self {
        let dir = tempfile::Builder::new().prefix("swarm-work").tempdir_in(place()).unwrap();
        let (work, home) = (dir.path().join("work"), PathBuf::from(std::env::var("HOME").unwrap()));
        fs::create_dir(&work).unwrap();
        let mut policy = Policy::for_workspace(&work, &home).unwrap();
        policy.caches = Some(dir.path().join("caches"));
        policy.network = Network::Proxy;
        Self { dir, policy, env: std::env::vars().collect() }
    }

    fn work(&self) -> &Path {
        &self.policy.workspace
    }

    fn write(&self, path: &str, text: &str) {
        let path = self.work().join(path);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(path, text).unwrap();
    }

    /// Runs a line that has to succeed, and returns what it printed.
    async fn run(&self, line: &str) -> String {
        caches::prepare(self.policy.caches.as_ref().unwrap(), &self.policy.home).unwrap();
        let env = Environment::scrubbed(self.env.clone())
            .with("GIT_AUTHOR_NAME", "Ada")
            .with("GIT_AUTHOR_EMAIL", "ada@example.com")
            .with("GIT_COMMITTER_NAME", "Ada")
            .with("GIT_COMMITTER_EMAIL", "ada@example.com");
        let resolver = Arc::new(|target: swarm_guard::proxy::Target| {
            let address = SocketAddr::from(([127, 0, 0, 1], target.port()));
            assert!(target.host().ends_with(".test"), "{target} is none of the tests' own servers");
            Box::pin(async move { Ok(vec![address]) }) as _
        });
        let command = Command {
            env,
            proxy: Some(Proxy::with_resolver(Arc::new(Yes), resolver)),
            helper: Helper::At(probe().into()),
            ..Command::bash(format!("set -e\n{line}"), self.policy.clone())
        };
        let finished = finish(spawn(command).await.unwrap()).await;
        assert_eq!(finished.exit, Exit::Code(0), "{line}: {}{}", finished.output.head, finished.output.tail);
        finished.output.head
    }
}

/// Runs a program outside, to prepare something.
fn outside(dir: &Path, line: &str) -> String {
    let output = std::process::Command::new("bash").args(["-euc", line]).current_dir(dir).output().unwrap();
    assert!(output.status.success(), "{line}: {output:?}");
    String::from_utf8(output.stdout).unwrap()
}

/// Serves files by their path.
async fn serve(
    files: HashMap<String, Vec<u8>>,
) -> (SocketAddr, Arc<std::sync::Mutex<HashMap<String, Vec<u8>>>>) {
    let files = Arc::new(std::sync::Mutex::new(files));
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let address = listener.local_addr().unwrap();
    let shared = files.clone();
    tokio::spawn(async move {
        while let Ok((stream, _)) = listener.accept().await {
            tokio::spawn(serve_one(stream, shared.clone()));
        }
    });
    (address, files)
}

async fn serve_one(
    stream: TcpStream,
    files: Arc<std::sync::Mutex<HashMap<String, Vec<u8>>>>,
) -> std::io::Result<()> {
    let mut stream = BufReader::new(stream);
    let mut first = String::new();
    stream.read_line(&mut first).await?;
    let mut line = String::from("x");
    while !line.trim().is_empty() {
        line.clear();
        stream.read_line(&mut line).await?;
    }
    let path = first.split(' ').nth(1).unwrap_or_default().to_owned();
    let found = files.lock().unwrap().get(&path).cloned();
    let (status, body) = found.map_or(("404 Not Found", Vec::new()), |body| ("200 OK", body));
    let kind = if path.ends_with('/') { "text/html" } else { "application/octet-stream" };
    let head = format!("HTTP/1.1 {status}\r\nContent-Type: {kind}\r\nContent-Length: {}\r\n\r\n", body.len());
    stream.write_all(head.as_bytes()).await?;
    stream.write_all(&body).await
}

#[tokio::test]
async fn cargo_builds_with_a_new_dependency_and_tests_that_bind_ports() {
    let desk = Desk::new();
    let (address, files) = serve(HashMap::new()).await;
    let port = address.port();
    let source = desk.dir.path().join("tiny-1.0.0");
    fs::create_dir_all(source.join("src")).unwrap();
    fs::write(
        source.join("Cargo.toml"),
        "[package]\nname = \"tiny\"\nversion = \"1.0.0\"\nedition = \"2021\"\n",
    )
    .unwrap();
    fs::write(source.join("src/lib.rs"), "pub fn seven() -> u8 { 7 }\n").unwrap();
    let sum = outside(desk.dir.path(), "tar czf tiny.crate tiny-1.0.0; sha256sum tiny.crate | cut -d' ' -f1");
    let entry = format!(
        r#"{{"name":"tiny","vers":"1.0.0","deps":[],"cksum":"{}","features":{{}},"yanked":false}}"#,
        sum.trim()
    );
    files.lock().unwrap().extend([
        ("/index/config.json".into(), format!(r#"{{"dl":"http://crates.test:{port}/dl"}}"#).into_bytes()),
        ("/index/ti/ny/tiny".into(), entry.into_bytes()),
        ("/dl/tiny/1.0.0/download".into(), fs::read(desk.dir.path().join("tiny.crate")).unwrap()),
    ]);
    desk.write(
        ".cargo/config.toml",
        &format!("[registries.local]\nindex = \"sparse+http://crates.test:{port}/index/\"\n"),
    );
    desk.write(
        "Cargo.toml",
        "[package]\nname = \"app\"\nversion = \"0.1.0\"\nedition = \"2021\"\n[workspace]\nmembers = [\"part\"]\n\
         [dependencies]\npart = { path = \"part\" }\ntiny = { version = \"1\", registry = \"local\" }\n",
    );
    desk.write("part/Cargo.toml", "[package]\nname = \"part\"\nversion = \"0.1.0\"\nedition = \"2021\"\n");
    desk.write("part/src/lib.rs", "pub fn one() -> u8 { 1 }\n");
    desk.write(
        "src/lib.rs",
        r#"
        #[test]
        fn talks_to_itself() {
            use std::io::{Read, Write};
            let listener = std::net::TcpListener::bind("127.0.0.1:0").unwrap();
            let mut client = std::net::TcpStream::connect(listener.local_addr().unwrap()).unwrap();
            client.write_all(&[tiny::seven() + part::one()]).unwrap();
            let mut byte = [0];
            listener.accept().unwrap().0.read_exact(&mut byte).unwrap();
            assert_eq!(byte, [8]);
            let path = std::env::temp_dir().join("socket");
            let listener = std::os::unix::net::UnixListener::bind(&path).unwrap();
            std::os::unix::net::UnixStream::connect(&path).unwrap();
            listener.accept().unwrap();
        }"#,
    );
    let printed = desk.run("cargo build 2>&1 && cargo test 2>&1").await;
    assert!(printed.contains("talks_to_itself ... ok"), "{printed}");
    // The second time nothing is fetched.
    desk.run("cargo build --offline 2>&1").await;
}

#[tokio::test]
async fn npm_installs() {
    let desk = Desk::new();
    let (address, files) = serve(HashMap::new()).await;
    fs::create_dir(desk.dir.path().join("package")).unwrap();
    fs::write(
        desk.dir.path().join("package/package.json"),
        r#"{"name":"tiny","version":"1.0.0","main":"i.js"}"#,
    )
    .unwrap();
    fs::write(desk.dir.path().join("package/i.js"), "module.exports = 7\n").unwrap();
    outside(desk.dir.path(), "tar czf tiny.tgz package");
    let site = format!("http://npm.test:{}", address.port());
    let about = format!(
        r#"{{"name":"tiny","dist-tags":{{"latest":"1.0.0"}},"versions":{{"1.0.0":{{"name":"tiny","version":"1.0.0","dist":{{"tarball":"{site}/tiny.tgz"}}}}}}}}"#
    );
    files.lock().unwrap().extend([
        ("/tiny".into(), about.into_bytes()),
        ("/tiny.tgz".into(), fs::read(desk.dir.path().join("tiny.tgz")).unwrap()),
    ]);
    desk.write("package.json", r#"{"name":"app","version":"1.0.0"}"#);
    let line = format!("npm i tiny --registry {site} --no-audit --no-fund 2>&1; node -p 'require(\"tiny\")'");
    let printed = desk.run(&line).await;
    assert!(printed.ends_with("7\n"), "{printed}");
}

#[tokio::test]
async fn pip_installs_into_an_environment_of_the_workspace() {
    let desk = Desk::new();
    let (address, files) = serve(HashMap::new()).await;
    let wheel = "tiny-1.0-py3-none-any.whl";
    outside(
        desk.dir.path(),
        &format!(
            "mkdir tiny-1.0.dist-info; echo 'seven = 7' >tiny.py; cd tiny-1.0.dist-info
             printf 'Metadata-Version: 2.1\\nName: tiny\\nVersion: 1.0\\n' >METADATA
             printf 'Wheel-Version: 1.0\\nGenerator: x\\nRoot-Is-Purelib: true\\nTag: py3-none-any\\n' >WHEEL
             printf 'tiny.py,,\\ntiny-1.0.dist-info/METADATA,,\\ntiny-1.0.dist-info/WHEEL,,\\ntiny-1.0.dist-info/RECORD,,\\n' >RECORD
             cd ..; python3 -m zipfile -c {wheel} tiny.py tiny-1.0.dist-info"
        ),
    );
    files.lock().unwrap().extend([
        ("/simple/tiny/".into(), format!("<a href=\"/{wheel}\">{wheel}</a>").into_bytes()),
        (format!("/{wheel}"), fs::read(desk.dir.path().join(wheel)).unwrap()),
    ]);
    let port = address.port();
    let line = format!(
        "python3 -m venv venv 2>&1; venv/bin/pip install --disable-pip-version-check \
         --index-url http://pypi.test:{port}/simple --trusted-host pypi.test tiny 2>&1
         venv/bin/python -c 'import tiny; print(tiny.seven)'"
    );
    let printed = desk.run(&line).await;
    assert!(printed.ends_with("7\n"), "{printed}");
}

#[tokio::test]
async fn git_clones_over_https() {
    let desk = Desk::new();
    outside(
        desk.dir.path(),
        "git init -q -b main source; cd source; echo text >file; git add .
         git -c user.name=a -c user.email=a@b commit -qm one; cd ..
         git clone -q --bare source repo.git; git -C repo.git update-server-info
         openssl req -x509 -newkey rsa:2048 -nodes -days 2 -subj /CN=git.test -addext subjectAltName=DNS:git.test \
           -keyout key.pem -out cert.pem 2>/dev/null; cp cert.pem work/",
    );
    let free = std::net::TcpListener::bind("127.0.0.1:0").unwrap().local_addr().unwrap().port().to_string();
    let mut server = tokio::process::Command::new("openssl")
        .args(["s_server", "-accept", &free, "-cert", "cert.pem", "-key", "key.pem", "-WWW"])
        .current_dir(desk.dir.path())
        .stdin(Stdio::null())
        .stdout(Stdio::piped())
        .stderr(Stdio::null())
        .kill_on_drop(true)
        .spawn()
        .unwrap();
    let mut said = BufReader::new(server.stdout.take().unwrap()).lines();
    while said.next_line().await.unwrap().is_some_and(|line| !line.contains("ACCEPT")) {}
    let line = format!(
        "git -c http.sslCAInfo=$PWD/cert.pem clone -q https://git.test:{free}/repo.git copy 2>&1; cat copy/file"
    );
    assert_eq!(
        desk.run(&format!("unset GIT_SSL_CAINFO SSL_CERT_FILE; export GIT_SMART_HTTP=0; {line}")).await,
        "text\n"
    );
}

#[tokio::test]
async fn git_commits_in_the_workspace_and_in_a_worktree() {
    let mut desk = Desk::new();
    outside(
        desk.work(),
        "git init -q -b main; echo a >a; git add a; git -c user.name=a -c user.email=a@b commit -qm one",
    );
    desk.policy = rebuilt(&desk.policy, desk.work());
    let printed =
        desk.run("echo b >b; git add b; git commit -qm two; git switch -qc topic; git log --format=%s").await;
    assert_eq!(printed, "two\none\n");
    let tree = desk.dir.path().join("tree");
    outside(desk.work(), "git worktree add -q ../tree main");
    desk.policy = rebuilt(&desk.policy, &tree);
    let printed =
        desk.run("echo c >c; git add c; git commit -qm three; git log --format=%s; git status --short").await;
    assert_eq!(printed, "three\ntwo\none\n");
    let common = desk.work().parent().unwrap().join("work/.git").display().to_string();
    let held = format!(
        "git config alias.x '!sh' && exit 1; echo 'gitdir: /tmp' >.git && exit 1
         echo /tmp >{common}/worktrees/tree/commondir && exit 1; mkdir {common}/worktrees/mine && exit 1
         echo x >{common}/hooks/pre-commit && exit 1; mv {common}/hooks {common}/h && exit 1; echo held"
    );
    assert!(desk.run(&format!("set +e; {{ {held}; }} 2>/dev/null")).await.ends_with("held\n"));
}

#[tokio::test]
async fn a_member_commits_in_its_own_worktree_and_reaches_nothing_else_of_the_repository() {
    let mut desk = Desk::new();
    outside(
        desk.work(),
        "git init -q -b main; echo a >a; git add a; git -c user.name=a -c user.email=a@b commit -qm one
         git worktree add -q -b swarm/shop/ada ../tree",
    );
    let tree = desk.dir.path().join("tree").canonicalize().unwrap();
    let checkout = desk.work().canonicalize().unwrap();
    let worktree = Worktree { path: tree, branch: "swarm/shop/ada".to_owned(), checkout };
    let new = Policy::for_worktree(&worktree, &desk.policy.home).unwrap();
    desk.policy = Policy { caches: desk.policy.caches.clone(), ..new };
    let printed = desk
        .run("echo c >c; git add c; git commit -qm two; git log --format=%s; git status --short; git branch")
        .await;
    assert_eq!(printed, "two\none\n+ main\n* swarm/shop/ada\n");
    let (checkout, common) =
        (worktree.checkout.display(), worktree.checkout.join(".git").display().to_string());
    let held = format!(
        "ls {checkout}/a && exit 1; echo x >{checkout}/b && exit 1; git branch mine && exit 1
         git branch -f main && exit 1; git config alias.x '!sh' && exit 1; echo x >{common}/HEAD && exit 1
         echo x >{common}/hooks/pre-commit && exit 1; echo x >{common}/index && exit 1
         echo 'gitdir: /tmp' >.git && exit 1; echo /tmp >{common}/worktrees/tree/commondir && exit 1; echo held"
    );
    assert!(desk.run(&format!("set +e; {{ {held}; }} 2>/dev/null")).await.ends_with("held\n"));
}

fn rebuilt(policy: &Policy, workspace: &Path) -> Policy {
    let new = Policy::for_workspace(workspace, &policy.home).unwrap();
    Policy { caches: policy.caches.clone(), network: policy.network, ..new }
}

#[tokio::test]
async fn a_program_has_a_terminal_when_it_makes_one() {
    let desk = Desk::new();
    let printed = desk.run("script -qec 'stty rows 30 cols 90; tty; stty size' /dev/null").await;
    assert_eq!(printed.replace('\r', ""), "/dev/pts/0\n30 90\n");
}

#[tokio::test]
async fn temporary_files_and_shared_memory_are_the_commands_own() {
    let desk = Desk::new();
    let printed = desk
        .run("f=$(mktemp); echo x >$f; cat $f; echo y >/dev/shm/y; cat /dev/shm/y; ls /tmp | wc -l")
        .await;
    assert_eq!(printed, "x\ny\n1\n");
}

#[tokio::test]
async fn a_temporary_place_can_last_from_command_to_command() {
    let mut desk = Desk::new();
    let temp = desk.dir.path().join("temp");
    fs::create_dir(&temp).unwrap();
    desk.policy.temp = Some(temp);
    desk.run("echo kept >/tmp/note").await;
    assert_eq!(desk.run("cat /tmp/note").await, "kept\n");
}
