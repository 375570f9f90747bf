//! A place that is made to its end also when nobody waits for it any more, and closed then.

use std::sync::Arc;

use async_trait::async_trait;
use tokio::task::JoinHandle;

use super::Handle;

/// What closes places.
#[async_trait]
pub(super) trait Closes: Send + Sync + 'static {
    async fn close(&self, handle: &Handle);
}

/// What comes of `making`. When this future is dropped, `closes` closes what still comes of it.
pub(super) async fn made(
    closes: Arc<dyn Closes>,
    making: impl Future<Output = Result<Handle, String>> + Send + 'static,
) -> Result<Handle, String> {
    let mut asked = Asked { closes, making: Some(tokio::spawn(making)) };
    let made = match &mut asked.making {
        Some(making) => making.await.map_err(|lost| lost.to_string()),
        None => Err("the place was lost".to_owned()),
    };
    asked.making = None;
    made?
}

struct Asked {
    closes: Arc<dyn Closes>,
    making: Option<JoinHandle<Result<Handle, String>>>,
}

impl Drop for Asked {
    fn drop(&mut self) {
        let (Some(making), closes) = (self.making.take(), self.closes.clone()) else { return };
        if let Ok(runtime) = tokio::runtime::Handle::try_current() {
            runtime.spawn(async move {
                if let Ok(Ok(handle)) = making.await {
                    closes.close(&handle).await;
                }
            });
        }
    }
}
