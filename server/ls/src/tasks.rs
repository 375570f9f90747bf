//! The session's own tasks: none outlives it, and one that panics is heard of.

use std::any::Any;
use std::panic::AssertUnwindSafe;
use std::sync::{Mutex, MutexGuard, PoisonError};

use futures::FutureExt;
use tokio::task::JoinSet;

/// Tasks that run beside the handlers, owned here.
#[derive(Default)]
pub(crate) struct Tasks {
    set: Mutex<JoinSet<()>>,
}

impl Tasks {
    /// Runs `task` until it ends or the session does. Its panic is logged under `name` and ends it alone.
    pub(crate) fn spawn(&self, name: &'static str, task: impl Future<Output = ()> + Send + 'static) {
        let mut set = self.lock();
        // Those that ended are forgotten here, so that the set holds only what runs.
        while set.try_join_next().is_some() {}
        set.spawn(async move {
            if let Err(panic) = AssertUnwindSafe(task).catch_unwind().await {
                tracing::error!(task = name, panic = panic_words(&*panic), "a task of the server panicked");
            }
        });
    }

    /// Waits until those there are have ended by themselves.
    pub(crate) async fn ended(&self) {
        let mut set = std::mem::take(&mut *self.lock());
        while set.join_next().await.is_some() {}
    }

    /// Ends all of them.
    pub(crate) fn end(&self) {
        self.lock().abort_all();
    }

    fn lock(&self) -> MutexGuard<'_, JoinSet<()>> {
        self.set.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// What a panic said.
pub(crate) fn panic_words(panic: &(dyn Any + Send)) -> &str {
    let text = panic.downcast_ref::<String>().map(String::as_str);
    text.or_else(|| panic.downcast_ref::<&str>().copied()).unwrap_or("no words")
}

#[cfg(test)]
mod tests {
    use tokio::sync::oneshot;

    use super::*;

    #[tokio::test]
    async fn a_task_that_panics_ends_alone_and_none_outlives_the_session() {
        let tasks = Tasks::default();
        let (held, ended) = oneshot::channel::<()>();
        tasks.spawn("broken", async { panic!("on purpose") });
        tasks.spawn("waiting", async move {
            let _held = held;
            std::future::pending::<()>().await;
        });
        let (sender, ran) = oneshot::channel();
        tasks.spawn("next", async { assert!(sender.send("ran").is_ok()) });
        assert_eq!(ran.await, Ok("ran"));
        tasks.end();
        assert!(ended.await.is_err(), "what the task held is dropped");
    }
}
