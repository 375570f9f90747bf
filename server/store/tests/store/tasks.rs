//! Tasks: who may claim what, and what a member that is gone leaves.

use std::fs;

use swarm_store::{Claim, Error};
use swarm_wire::task::{TaskId, TaskStatus};

use crate::support::{id, team};

#[test]
fn a_blocked_task_is_claimed_only_when_its_blockers_are_completed() {
    let (_home, team) = team();
    let tasks = team.tasks();
    let (ada, bob) = (id("ada@shop"), id("bob@shop"));
    let first = tasks.create("first", "", &[]).unwrap();
    let second = tasks.create("second", "", std::slice::from_ref(&first.id)).unwrap();
    assert_eq!(tasks.claim(&second.id, &ada).unwrap(), Claim::Blocked(vec![first.id.clone()]));
    assert!(matches!(tasks.claim(&first.id, &ada).unwrap(), Claim::Claimed(_)));
    assert!(matches!(tasks.claim(&first.id, &ada).unwrap(), Claim::Claimed(_)), "its own once more");
    assert_eq!(tasks.claim(&first.id, &bob).unwrap(), Claim::Taken(ada.clone()));
    assert_eq!(tasks.claim_next(&bob).unwrap(), None);
    tasks.update(&first.id, |task| task.status = TaskStatus::Completed).unwrap();
    assert_eq!(tasks.claim(&first.id, &bob).unwrap(), Claim::Completed);
    assert_eq!(tasks.claim_next(&bob).unwrap().unwrap().id, second.id);
    assert_eq!(tasks.claim(&TaskId::new("99"), &bob).unwrap(), Claim::Unknown);
    assert!(matches!(tasks.claim(&TaskId::new("../1"), &bob), Err(Error::BadId { .. })));
}

#[test]
fn an_owners_own_task_comes_before_a_free_one() {
    let (_home, team) = team();
    let tasks = team.tasks();
    let ada = id("ada@shop");
    tasks.create("free", "", &[]).unwrap();
    let own = tasks.create("own", "", &[]).unwrap();
    tasks.update(&own.id, |task| task.owner = Some(ada.clone())).unwrap();
    assert_eq!(tasks.claim_next(&ada).unwrap().unwrap().id, own.id);
}

#[test]
fn what_a_dead_owner_had_is_free_again_and_what_it_completed_is_not() {
    let (_home, team) = team();
    let tasks = team.tasks();
    let ada = id("ada@shop");
    let done = tasks.create("done", "", &[]).unwrap();
    let open = tasks.create("open", "", &[]).unwrap();
    for task in [&done, &open] {
        tasks.claim(&task.id, &ada).unwrap();
    }
    tasks.update(&done.id, |task| task.status = TaskStatus::Completed).unwrap();
    let released = tasks.release(&ada).unwrap();
    assert_eq!(released.iter().map(|task| &task.id).collect::<Vec<_>>(), [&open.id]);
    assert_eq!(tasks.get(&open.id).unwrap().unwrap().status, TaskStatus::Pending);
    assert_eq!(tasks.get(&done.id).unwrap().unwrap().owner, Some(ada));
}

#[test]
fn no_ring_of_tasks_can_wait_for_itself() {
    let (_home, team) = team();
    let tasks = team.tasks();
    assert!(matches!(tasks.create("x", "", &[TaskId::new("7")]), Err(Error::NoSuchTask(_))));
    let a = tasks.create("a", "", &[]).unwrap();
    let b = tasks.create("b", "", std::slice::from_ref(&a.id)).unwrap();
    let ring = tasks.update(&a.id, |task| task.blocked_by.push(b.id.clone()));
    assert!(matches!(ring, Err(Error::TaskWaitsForItself(_))));
    assert!(tasks.get(&a.id).unwrap().unwrap().blocked_by.is_empty());
}

#[test]
fn an_unreadable_task_is_passed_over_and_its_number_never_given_again() {
    let (_home, team) = team();
    let tasks = team.tasks();
    tasks.create("a", "", &[]).unwrap();
    fs::write(team.path().join("tasks/2.json"), "{\"id\":").unwrap();
    assert_eq!(tasks.create("b", "", &[]).unwrap().id, TaskId::new("3"));
    assert_eq!(tasks.list().unwrap().len(), 2);
    assert!(tasks.claim(&TaskId::new("2"), &id("ada@shop")).unwrap_err().to_string().contains("2.json"));
}
