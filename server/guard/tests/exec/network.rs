//! The way out: through the proxy, after a question, and in no other way. All servers are on this machine.

use std::io;
use std::net::SocketAddr;
use std::sync::{Arc, Mutex};

use async_trait::async_trait;
use swarm_guard::exec::{Exit, Finished, Network, spawn};
use swarm_guard::proxy::{AskHost, HostQuestion, Proxy, Reach, Visit};
use tokio::io::{AsyncBufReadExt, AsyncReadExt, AsyncWriteExt, BufReader};
use tokio::net::TcpListener;
use tokio::sync::{Notify, Semaphore};

use crate::support::{LONG, World, finish};

/// A person who answers as told, and remembers what was asked.
struct Person {
    questions: Mutex<Vec<HostQuestion>>,
    refuses: fn(&HostQuestion) -> bool,
    /// Each answer takes one.
    answers: Semaphore,
    asked: Notify,
    withdrawn: Arc<Notify>,
}

impl Person {
    fn new(refuses: fn(&HostQuestion) -> bool, answers: usize) -> Arc<Self> {
        Arc::new(Self {
            questions: Mutex::default(),
            refuses,
            answers: Semaphore::new(answers),
            asked: Notify::new(),
            withdrawn: Arc::new(Notify::new()),
        })
    }

    fn agreeable() -> Arc<Self> {
        Self::new(|_| false, Semaphore::MAX_PERMITS)
    }

    fn asked(&self) -> Vec<(String, Reach)> {
        self.questions
            .lock()
            .unwrap()
            .iter()
            .map(|question| (question.host.clone(), question.reach))
            .collect()
    }
}

struct NotifyOnDrop(Arc<Notify>);

impl Drop for NotifyOnDrop {
    fn drop(&mut self) {
        self.0.notify_one();
    }
}

#[async_trait]
impl AskHost for Person {
    async fn ask(&self, question: &HostQuestion) -> bool {
        self.questions.lock().unwrap().push(question.clone());
        self.asked.notify_one();
        let _given_up = NotifyOnDrop(self.withdrawn.clone());
        self.answers.acquire().await.unwrap().forget();
        !(self.refuses)(question)
    }
}

/// A proxy for which every name ending in `.test` is this machine.
fn proxy(person: &Arc<Person>) -> Proxy {
    Proxy::with_resolver(
        person.clone(),
        Arc::new(|target| {
            Box::pin(async move {
                match target.host() {
                    name if name.ends_with(".test") => {
                        Ok(vec![SocketAddr::from(([127, 0, 0, 1], target.port()))])
                    }
                    name => name
                        .parse()
                        .map(|address| vec![SocketAddr::new(address, target.port())])
                        .map_err(|_| io::ErrorKind::NotFound.into()),
                }
            })
        }),
    )
}

/// A server that answers each request with its first line, its host and its body.
async fn echo_server() -> SocketAddr {
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let address = listener.local_addr().unwrap();
    tokio::spawn(async move {
        while let Ok((stream, _)) = listener.accept().await {
            tokio::spawn(echo(stream));
        }
    });
    address
}

async fn echo(stream: tokio::net::TcpStream) -> io::Result<()> {
    let mut stream = BufReader::new(stream);
    loop {
        let (mut first, mut host, mut length, mut chunked) = (String::new(), String::new(), 0, false);
        if stream.read_line(&mut first).await? == 0 {
            return Ok(());
        }
        loop {
            let mut line = String::new();
            stream.read_line(&mut line).await?;
            let lower = line.trim().to_ascii_lowercase();
            if let Some(value) = lower.strip_prefix("host: ") {
                host = value.to_owned();
            } else if let Some(value) = lower.strip_prefix("content-length: ") {
                length = value.parse().unwrap();
            } else if lower == "transfer-encoding: chunked" {
                chunked = true;
            } else if lower.is_empty() {
                break;
            }
        }
        let mut body = vec![0; length];
        stream.read_exact(&mut body).await?;
        while chunked {
            let mut line = String::new();
            stream.read_line(&mut line).await?;
            body.extend_from_slice(line.as_bytes());
            chunked = line != "\r\n";
        }
        let text = format!("{} {host} {}\n", first.trim(), String::from_utf8_lossy(&body));
        let head = format!("HTTP/1.1 200 OK\r\nContent-Length: {}\r\n\r\n", text.len());
        stream.write_all((head + &text).as_bytes()).await?;
    }
}

async fn run(world: &World, proxy: Proxy, line: &str) -> Finished {
    finish(spawn(confined(world, proxy, line)).await.unwrap()).await
}

fn confined(world: &World, proxy: Proxy, line: &str) -> swarm_guard::exec::Command {
    let mut command = world.bash(line);
    command.policy.network = Network::Proxy;
    command.proxy = Some(proxy);
    command
}

#[tokio::test]
async fn a_plain_request_goes_through_once_it_is_allowed() {
    let (world, person, server) = (World::new(), Person::agreeable(), echo_server().await);
    let line = format!("curl -sS http://registry.test:{}/a?b -d body", server.port());
    let finished = run(&world, proxy(&person), &line).await;
    let expected = format!("POST /a?b HTTP/1.1 registry.test:{} body\n", server.port());
    assert_eq!((finished.output.head, finished.exit), (expected, Exit::Code(0)));
    // A name of the world that is on this machine is two questions.
    let host = || "registry.test".to_owned();
    assert_eq!(person.asked(), [(host(), Reach::Public), (host(), Reach::Loopback)]);
    assert_eq!(finished.visits, [Visit { host: host(), port: server.port(), allowed: true }]);
    assert_eq!(person.questions.lock().unwrap()[0].command, line);
}

#[tokio::test]
async fn a_tunnel_and_a_chunked_body_go_through() {
    let (world, person, server) = (World::new(), Person::agreeable(), echo_server().await);
    let port = server.port();
    let line = format!(
        "curl -sS -p http://a.test:{port}/tunnel; curl -sS http://a.test:{port}/ -H 'Transfer-Encoding: chunked' -d chunk"
    );
    let finished = run(&world, proxy(&person), &line).await;
    let expected = format!(
        "GET /tunnel HTTP/1.1 a.test:{port} \nPOST / HTTP/1.1 a.test:{port} 5\r\nchunk\r\n0\r\n\r\n\n"
    );
    assert_eq!(finished.output.head, expected);
}

#[tokio::test]
async fn a_refused_host_is_not_looked_up_and_the_refusal_is_said() {
    let (world, server) = (World::new(), echo_server().await);
    let person = Person::new(|_| true, Semaphore::MAX_PERMITS);
    let line = format!("for i in 1 2 3; do curl -sS http://evil.test:{}/; done", server.port());
    let finished = run(&world, proxy(&person), &line).await;
    let said = format!("swarm: evil.test:{} was not allowed\n", server.port());
    assert_eq!(finished.output.head, said.repeat(3));
    assert_eq!(person.asked(), [("evil.test".to_owned(), Reach::Public)], "a no is not asked about again");
}

#[tokio::test]
async fn this_machine_is_a_question_of_its_own() {
    let (world, server) = (World::new(), echo_server().await);
    let person = Person::new(|question| question.reach == Reach::Loopback, Semaphore::MAX_PERMITS);
    let line = format!(
        "curl -sS http://rebound.test:{0}/; curl -sS --noproxy '' http://127.0.0.1:{0}/; curl -sS --noproxy '' http://169.254.169.254/",
        server.port()
    );
    let finished = run(&world, proxy(&person), &line).await;
    assert!(!finished.output.head.contains("HTTP/1.1"), "{:?}", finished.output);
    let asked = person.asked();
    let expected = [
        ("rebound.test", Reach::Public),
        ("rebound.test", Reach::Loopback),
        ("127.0.0.1", Reach::Loopback),
        ("169.254.169.254", Reach::LinkLocal),
    ];
    assert_eq!(asked, expected.map(|(host, reach)| (host.to_owned(), reach)));
}

#[tokio::test]
async fn a_connection_waits_for_the_answer_and_all_to_one_host_for_the_same() {
    let (world, person, server) = (World::new(), Person::new(|_| false, 0), echo_server().await);
    let line = format!("for i in 1 2 3; do curl -sS http://slow.test:{}/ & done; wait", server.port());
    let running = spawn(confined(&world, proxy(&person), &line)).await.unwrap();
    tokio::time::timeout(LONG, person.asked.notified()).await.unwrap();
    person.answers.add_permits(2);
    let finished = finish(running).await;
    assert_eq!(finished.output.head.matches("GET / HTTP/1.1 slow.test").count(), 3, "{:?}", finished.output);
    assert_eq!(person.asked().len(), 2, "one for the name, one for this machine");
}

#[tokio::test]
async fn what_was_allowed_holds_for_the_next_command() {
    let (world, person, server) = (World::new(), Person::agreeable(), echo_server().await);
    let proxy = proxy(&person);
    let line = format!("curl -sS http://known.test:{}/", server.port());
    for _ in 0..2 {
        assert_eq!(run(&world, proxy.clone(), &line).await.exit, Exit::Code(0));
    }
    assert_eq!(person.asked().len(), 2);
}

#[tokio::test]
async fn a_question_is_withdrawn_when_the_command_ends() {
    let (world, person) = (World::new(), Person::new(|_| false, 0));
    let running = spawn(confined(&world, proxy(&person), "curl -sS http://never.test/")).await.unwrap();
    tokio::time::timeout(LONG, person.asked.notified()).await.unwrap();
    drop(running);
    tokio::time::timeout(LONG, person.withdrawn.notified()).await.unwrap();
}

#[tokio::test]
async fn nothing_goes_past_the_proxy() {
    let (world, person, server) = (World::new(), Person::agreeable(), echo_server().await);
    let line = format!(
        "curl -sS --noproxy '*' -m 5 http://127.0.0.1:{0}/ || echo held; curl -sS --noproxy '*' -m 5 http://192.0.2.1/ || echo held",
        server.port()
    );
    let finished = run(&world, proxy(&person), &line).await;
    assert_eq!(finished.output.head.matches("held").count(), 2, "{:?}", finished.output);
    assert!(person.asked().is_empty());
}

#[tokio::test]
async fn a_second_request_on_a_connection_is_no_way_to_another_host() {
    let (world, person, server) = (World::new(), Person::agreeable(), echo_server().await);
    let script = format!(
        r#"
        proxy=${{http_proxy#http://}}
        exec 3<>/dev/tcp/${{proxy%:*}}/${{proxy#*:}}
        printf 'GET http://one.test:{0}/ HTTP/1.1\r\nHost: other.test\r\n\r\nGET http://two.test:{0}/ HTTP/1.1\r\n\r\n' >&3
        cat <&3"#,
        server.port()
    );
    let finished = run(&world, proxy(&person), &script).await;
    assert!(finished.output.head.contains(&format!("GET / HTTP/1.1 one.test:{}", server.port())));
    assert!(!finished.output.head.contains("two.test") && !finished.output.head.contains("other.test"));
    assert_eq!(finished.visits.len(), 1);
}

#[tokio::test]
async fn the_commands_own_loopback_needs_nobody() {
    let (world, person) = (World::new(), Person::agreeable());
    let line = "perl -MIO::Socket::INET -e '
        my $s = IO::Socket::INET->new(Listen => 1, LocalAddr => \"127.0.0.1:0\") or die; my $p = $s->sockport;
        if (fork) { my $c = $s->accept; print <$c>; wait } else {
            my $c = IO::Socket::INET->new(\"127.0.0.1:$p\") or die; print $c \"to itself\\n\" }'";
    let finished = run(&world, proxy(&person), line).await;
    assert_eq!(finished.output.head, "to itself\n");
    assert!(person.asked().is_empty());
}

#[tokio::test]
async fn a_command_that_invents_names_asks_a_few_at_a_time() {
    let (world, person) = (World::new(), Person::new(|_| true, 0));
    let line = "for i in $(seq 30); do curl -sS http://n$i.test/ & done; wait";
    let running = spawn(confined(&world, proxy(&person), line)).await.unwrap();
    for answered in 0..22 {
        while person.asked().len() < answered + 8 {
            tokio::time::timeout(LONG, person.asked.notified()).await.unwrap();
        }
        assert_eq!(person.asked().len(), answered + 8, "never more than eight are open");
        person.answers.add_permits(1);
    }
    person.answers.add_permits(8);
    assert_eq!(finish(running).await.output.head.matches("was not allowed").count(), 30);
}

#[tokio::test]
async fn a_refusal_is_heard_by_who_is_still_sending() {
    let (world, person) = (World::new(), Person::new(|_| true, Semaphore::MAX_PERMITS));
    let line = "head -c 3000000 /dev/zero >big; curl -sS -H Expect: --data-binary @big http://no.test/";
    let finished = run(&world, proxy(&person), line).await;
    assert_eq!(finished.output.head, "swarm: no.test:80 was not allowed\n");
}
