//! Stdout, for a library that panics when it cannot write: a broken pipe begins the end of the server and
//! looks like one that swallows everything.

use std::io;
use std::pin::Pin;
use std::task::{Context, Poll};

use tokio::io::AsyncWrite;

use crate::exit::{Ending, Exit};

pub(crate) struct Stdout<W> {
    inner: W,
    exit: Exit,
}

impl<W> Stdout<W> {
    pub(crate) fn new(inner: W, exit: Exit) -> Self {
        Self { inner, exit }
    }

    fn swallow<T>(&self, polled: Poll<io::Result<T>>, instead: T) -> Poll<io::Result<T>> {
        polled.map(|result| {
            result.or_else(|error| {
                tracing::warn!(%error, "stdout cannot be written");
                self.exit.begin(Ending::Closed);
                Ok(instead)
            })
        })
    }
}

impl<W: AsyncWrite + Unpin> AsyncWrite for Stdout<W> {
    fn poll_write(mut self: Pin<&mut Self>, cx: &mut Context<'_>, bytes: &[u8]) -> Poll<io::Result<usize>> {
        let polled = Pin::new(&mut self.inner).poll_write(cx, bytes);
        self.swallow(polled, bytes.len())
    }

    fn poll_flush(mut self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<io::Result<()>> {
        let polled = Pin::new(&mut self.inner).poll_flush(cx);
        self.swallow(polled, ())
    }

    fn poll_shutdown(mut self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<io::Result<()>> {
        let polled = Pin::new(&mut self.inner).poll_shutdown(cx);
        self.swallow(polled, ())
    }
}
