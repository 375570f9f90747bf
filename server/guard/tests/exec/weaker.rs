//! Machines that can do less, and commands that a person lets out: what is held all the same.

use std::fs;

use swarm_guard::exec::{Confinement, Exit, Helper, Network, Policy, Step, coverage, spawn};

use crate::support::{World, finish, place, printed, probe, processes_with};

#[tokio::test]
async fn this_machine_holds_everything() {
    let coverage = coverage(Helper::At(probe().into())).await;
    assert_eq!(coverage.namespaces_refused, None);
    assert_eq!((coverage.confinement(), coverage.not_held()), (Confinement::Full, Vec::new()));
}

/// A world beside `/tmp`, and a policy without namespaces over it.
fn partial(network: Network) -> (World, Policy) {
    let world = World::within(place());
    fs::create_dir_all(world.home().join(".ssh")).unwrap();
    for file in [".ssh/id", ".netrc", "notes"] {
        fs::write(world.home().join(file), "secret\n").unwrap();
    }
    let mut policy = Policy::for_workspace(&world.workspace(), &world.home()).unwrap();
    // As `/home` is, with the home in it.
    policy.hidden.push(world.dir.path().into());
    policy.confinement = Confinement::Partial;
    policy.network = network;
    (world, policy)
}

#[tokio::test]
async fn without_namespaces_writes_and_secrets_are_held() {
    let (world, policy) = partial(Network::None);
    for (line, expected) in [
        ("echo x >here && cat here", "x\n"),
        ("cat ~/notes", "secret\n"),
        ("cat ~/.ssh/id || echo held", "held\n"),
        ("cat ~/.netrc || echo held", "held\n"),
        ("echo x >~/notes || echo held", "held\n"),
        ("mv ~/notes . || echo held", "held\n"),
        ("rm ~/notes || echo held", "held\n"),
        ("ln ~/.ssh/id . || echo held", "held\n"),
        ("kill -0 $PPID || echo held", "held\n"),
        ("cat /proc/$PPID/environ || echo held", "held\n"),
        ("grep -q 'NoNewPrivs.*1' /proc/self/status && echo held", "held\n"),
        ("unshare -Ur true || echo held", "held\n"),
    ] {
        let mut command = world.bash(&format!("{{ {line}; }} 2>/dev/null"));
        command.policy = policy.clone();
        let finished = finish(spawn(command).await.unwrap()).await;
        assert_eq!(finished.output.head, expected, "{line}");
    }
}

#[tokio::test]
async fn without_namespaces_connections_and_datagrams_are_refused() {
    let (world, policy) = partial(Network::None);
    let listener = std::net::TcpListener::bind("127.0.0.1:0").unwrap();
    let port = listener.local_addr().unwrap().port();
    for line in [format!("echo x >/dev/tcp/127.0.0.1/{port}"), format!("echo x >/dev/udp/127.0.0.1/{port}")] {
        let mut command = world.bash(&format!("{{ {line}; }} 2>/dev/null || echo held"));
        command.policy = policy.clone();
        let finished = finish(spawn(command).await.unwrap()).await;
        assert_eq!(finished.output.head, "held\n", "{line}");
    }
}

#[tokio::test]
async fn without_namespaces_what_made_itself_independent_is_ended_too() {
    for confinement in [Confinement::Partial, Confinement::Off] {
        let (world, mut policy) = partial(Network::None);
        policy.confinement = confinement;
        let mark = format!("mark-bare-{confinement:?}-{}", std::process::id());
        let line = "(setsid setsid sh -c 'trap \"\" TERM; echo up; while :; do sleep 600; done # MARK' &); sleep 600";
        let mut command = world.bash(&line.replace("MARK", &mark));
        command.policy = policy.clone();
        let running = spawn(command).await.unwrap();
        printed(&running, "up").await;
        assert_ne!(processes_with(&mark).len(), 0);
        running.kill();
        assert_eq!(finish(running).await.exit, Exit::Killed);
        assert_eq!(processes_with(&mark), [] as [u32; 0], "{confinement:?}");

        let mut command = world.bash(&format!("sh -c 'while :; do sleep 600; done # {mark}' & echo done"));
        command.policy = policy;
        // The shell in the background may say that its own child was killed, before it is killed itself.
        let head = finish(spawn(command).await.unwrap()).await.output.head;
        assert!(head == "done\n" || head == "done\nKilled\n", "{head}");
        assert_eq!(processes_with(&mark), [] as [u32; 0], "{confinement:?}");
    }
}

#[tokio::test]
async fn a_command_that_is_let_out_has_the_machine_as_it_is() {
    let (world, mut policy) = partial(Network::Open);
    policy.confinement = Confinement::Off;
    let listener = std::net::TcpListener::bind("127.0.0.1:0").unwrap();
    let port = listener.local_addr().unwrap().port();
    let home = world.home().display().to_string();
    let line = format!(
        "cat {home}/.ssh/id; echo x >{home}/notes; cat {home}/notes; echo x >/dev/tcp/127.0.0.1/{port}"
    );
    let mut command = world.bash(&line);
    command.policy = policy;
    let finished = finish(spawn(command).await.unwrap()).await;
    assert_eq!((finished.output.head.as_str(), finished.exit), ("secret\nx\n", Exit::Code(0)));
}

#[tokio::test]
async fn where_namespaces_are_refused_full_walls_run_nothing_and_say_so() {
    let world = World::within(place());
    fs::copy(probe(), world.workspace().join("probe")).unwrap();
    // Behind walls there are no namespaces to be had, as on a machine that refuses them.
    let inner = serde_json::to_string(&world.policy()).unwrap();
    let mut command = world.bash(&format!("./probe lead '{inner}' 'echo ran'; ./probe coverage"));
    command.timeout = Some(crate::support::LONG);
    let finished = finish(spawn(command).await.unwrap()).await;
    let expected = format!("{}: Operation not permitted (os error 1) ()\nPartial\n", Step::Namespaces);
    assert_eq!(finished.output.head, expected);
}
