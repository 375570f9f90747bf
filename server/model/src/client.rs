//! One call: encode, send, read the stream, try again where that helps, and stop at once when cancelled.

use std::collections::HashSet;
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

use bytes::Bytes;
use reqwest::Url;
use reqwest::header::{ACCEPT, CONTENT_TYPE, HeaderMap, HeaderValue};
use tokio::sync::{Notify, OnceCell};
use tokio_util::sync::CancellationToken;

use crate::anthropic::Anthropic;
use crate::attempt::{Attempt, Post};
use crate::config::{ApiKey, Config, Format};
use crate::effort;
use crate::error::{CallError, Error};
use crate::event::{Delta, Reply, Stop};
use crate::limiter::Limiter;
use crate::openai::chat::Chat;
use crate::openai::responses::Responses;
use crate::provider::Provider;
use crate::request::{Effort, Request};
use crate::retry::{is_too_fast, wait_before};
use crate::transport;

/// A model's address, ready to be called. Cheap to make: connections and certificates wait for the first call. Whoever
/// shares one shares its connections, and its back-off when the provider says that there are too many calls.
#[derive(Debug)]
pub struct Client {
    config: Config,
    provider: Box<dyn Provider>,
    http: OnceCell<reqwest::Client>,
    /// Models that refused to be asked how hard to think.
    refused_effort: Mutex<HashSet<String>>,
    limiter: Limiter,
}

impl Client {
    pub fn new(config: Config) -> Self {
        let provider: Box<dyn Provider> = match config.format {
            Format::Messages => Box::new(Anthropic),
            Format::Responses => Box::new(Responses),
            Format::ChatCompletions => Box::new(Chat::at(&config.base_url)),
        };
        Self {
            config,
            provider,
            http: OnceCell::new(),
            refused_effort: Mutex::default(),
            limiter: Limiter::default(),
        }
    }

    /// The wire format that is spoken.
    pub fn format(&self) -> Format {
        self.config.format
    }

    /// Puts `request` to the model and gives its whole answer; pieces of it go to `deltas` as they come.
    ///
    /// Success is only the provider's own end of an answer, with one exception: a stream that breaks after a
    /// finished tool call gives `Ok` with what is finished and [`Stop::ToolUse`], since to ask again could run
    /// the call twice in the eyes of who saw it streamed.
    ///
    /// # Errors
    /// Whatever trying again did not mend, or could not. [`Error::Cancelled`] as soon as `cancel` is.
    pub async fn complete(
        &self,
        request: &Request,
        deltas: &mut (dyn FnMut(Delta) + Send),
        cancel: &CancellationToken,
    ) -> Result<Reply, CallError> {
        self.complete_with(request, deltas, cancel, &Notify::new()).await
    }

    /// The same; whoever waits in `hurry` when it is notified tries again at once instead.
    ///
    /// # Errors
    /// As [`Client::complete`].
    pub async fn complete_with(
        &self,
        request: &Request,
        deltas: &mut (dyn FnMut(Delta) + Send),
        cancel: &CancellationToken,
        hurry: &Notify,
    ) -> Result<Reply, CallError> {
        let signals = Signals { cancel, hurry };
        let effort = self.effort(request);
        let prepared = tokio::select! {
            biased;
            () = cancel.cancelled() => Err(Error::Cancelled),
            prepared = self.prepare(request, effort) => prepared,
        };
        let nothing_came = |error| CallError { error, partial: Vec::new() };
        let prepared = prepared.map_err(nothing_came)?;
        let post = Post {
            http: &prepared.http,
            config: &self.config,
            host: &prepared.host,
            key_variable: self.config.format.key_variable(),
            url: prepared.url,
            headers: prepared.headers,
            body: prepared.body,
        };
        match self.attempts(&post, deltas, signals).await {
            Err(CallError { error, .. }) if effort.is_some() && error.is_about_effort() => {
                tracing::warn!(%error, model = request.model, "the model is asked again without an effort");
                deltas(Delta::EffortRefused { reason: error.to_string() });
                let body = self.encode(request, None).map_err(nothing_came)?;
                let outcome = self.attempts(&Post { body, ..post }, deltas, signals).await;
                if outcome.is_ok() {
                    self.refused_effort().insert(request.model.clone());
                }
                outcome
            }
            outcome => outcome,
        }
    }

    /// What to ask of the model, as far as it is known to take it.
    fn effort(&self, request: &Request) -> Option<Effort> {
        let wanted = request.effort.filter(|_| !self.refused_effort().contains(&request.model));
        effort::asked(self.config.format, &request.model, wanted)
    }

    fn refused_effort(&self) -> MutexGuard<'_, HashSet<String>> {
        // Each change leaves a whole set, whoever panics.
        self.refused_effort.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn encode(&self, request: &Request, effort: Option<Effort>) -> Result<Bytes, Error> {
        let body = self.provider.encode(request, effort);
        body.map(Bytes::from).map_err(|error| Error::Setup { reason: error.to_string() })
    }

    async fn attempts(
        &self,
        post: &Post<'_>,
        deltas: &mut (dyn FnMut(Delta) + Send),
        signals: Signals<'_>,
    ) -> Result<Reply, CallError> {
        let mut number = 1;
        let mut waited = self.wait_for_others(deltas, signals).await;
        loop {
            let mut attempt = Attempt::new(self.provider.decoder());
            let sent = Instant::now();
            let outcome = tokio::select! {
                biased;
                () = signals.cancel.cancelled() => Err(Error::Cancelled),
                outcome = attempt.run(post, deltas), if waited != Waited::Cancelled => outcome,
            };
            let error = match outcome {
                Ok(reply) => {
                    self.limiter.answered(sent);
                    return Ok(reply);
                }
                Err(error) => error,
            };
            let finished = attempt.finished();
            if finished.has_calls() && !error.is_cancelled() {
                tracing::warn!(%error, "the answer broke off after a tool call, which is kept");
                return Ok(Reply { stop: Stop::ToolUse, ..finished });
            }
            // The user's impatience is no reason to give up sooner.
            if waited != Waited::Hurried {
                number += 1;
            }
            let Some(wait) = self.wait_after(number, &error, sent) else {
                return Err(CallError { error, partial: finished.content });
            };
            tracing::warn!(%error, attempt = number, seconds = wait.as_secs_f64(), "the call is tried again");
            let reason = error.to_string();
            if !wait.is_zero() {
                deltas(Delta::Waiting { seconds: wait.as_secs_f64(), reason: reason.clone() });
            }
            waited = signals.wait(wait).await;
            if waited == Waited::Out {
                waited = self.wait_for_others(deltas, signals).await;
            }
            if waited == Waited::Cancelled {
                return Err(CallError { error: Error::Cancelled, partial: finished.content });
            }
            let discarded_text = attempt.into_streamed();
            deltas(Delta::Restarted { attempt: number, discarded_text, reason });
        }
    }

    /// How long to wait before attempt `next` after `error`; what is about all calls holds for all.
    fn wait_after(&self, next: u32, error: &Error, sent: Instant) -> Option<Duration> {
        if !is_too_fast(error) {
            return wait_before(next, next, error, &self.config);
        }
        let strikes = self.limiter.strike(sent);
        let wait = wait_before(next, next.max(strikes.saturating_add(1)), error, &self.config);
        // A call that gives up leaves the others what the provider asked for.
        let shared = wait.or_else(|| wait_before(2, strikes.saturating_add(1), error, &self.config));
        shared.into_iter().for_each(|wait| self.limiter.slow(wait, error));
        wait
    }

    /// Waits as long as other calls with this key were told to.
    async fn wait_for_others(&self, deltas: &mut (dyn FnMut(Delta) + Send), signals: Signals<'_>) -> Waited {
        let mut told = false;
        let mut waited = Waited::Out;
        while waited == Waited::Out
            && let Some((wait, reason)) = self.limiter.wait()
        {
            deltas(Delta::Waiting { seconds: wait.as_secs_f64(), reason });
            told = true;
            waited = signals.wait(wait).await;
        }
        if told {
            deltas(Delta::Resumed);
        }
        waited
    }

    /// Everything that can fail before a byte is sent.
    async fn prepare(&self, request: &Request, effort: Option<Effort>) -> Result<Prepared, Error> {
        let base = base_url(&self.config.base_url)?;
        let host = host_of(&base);
        let key = self.config.api_key.as_ref().filter(|key| !key.is_empty());
        let variable = self.config.format.key_variable();
        if key.is_none() && is_home(self.config.format, &base) {
            return Err(Error::MissingKey { host, variable });
        }
        let headers = self.headers(key)?;
        let body = self.encode(request, effort)?;
        let url = self.provider.endpoint(&base);
        let http = self.http.get_or_try_init(|| connectable(self.config.clone(), base)).await?.clone();
        Ok(Prepared { http, host, url, headers, body })
    }

    fn headers(&self, key: Option<&ApiKey>) -> Result<HeaderMap, Error> {
        let mut headers = self.provider.headers(key).map_err(|_| Error::Setup {
            reason: "the API key holds a character that no header can carry".into(),
        })?;
        headers.insert(CONTENT_TYPE, HeaderValue::from_static("application/json"));
        headers.insert(ACCEPT, HeaderValue::from_static("text/event-stream"));
        Ok(headers)
    }
}

/// What cuts a wait short.
#[derive(Clone, Copy)]
struct Signals<'a> {
    cancel: &'a CancellationToken,
    hurry: &'a Notify,
}

/// How a wait ended.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Waited {
    Out,
    Hurried,
    Cancelled,
}

impl Signals<'_> {
    async fn wait(self, time: Duration) -> Waited {
        tokio::select! {
            biased;
            () = self.cancel.cancelled() => Waited::Cancelled,
            () = self.hurry.notified() => Waited::Hurried,
            () = tokio::time::sleep(time) => Waited::Out,
        }
    }
}

struct Prepared {
    http: reqwest::Client,
    host: String,
    url: Url,
    headers: HeaderMap,
    body: Bytes,
}

async fn connectable(config: Config, base: Url) -> Result<reqwest::Client, Error> {
    tokio::task::spawn_blocking(move || transport::build(&config, &base))
        .await
        .map_err(|error| Error::Setup { reason: error.to_string() })?
}

fn base_url(text: &str) -> Result<Url, Error> {
    let url = Url::parse(text.trim()).map_err(|error| Error::BaseUrl { reason: error.to_string() })?;
    match url.scheme() {
        "http" | "https" if url.has_host() => Ok(url),
        scheme => Err(Error::BaseUrl { reason: format!("its scheme is {scheme:?}") }),
    }
}

/// The owner of a format always wants a key, so that a call without one needs not be sent.
fn is_home(format: Format, base: &Url) -> bool {
    Url::parse(format.home()).is_ok_and(|home| home.host() == base.host())
}

/// The host as users know it, without a password that the address may hold.
fn host_of(base: &Url) -> String {
    let host = base.host_str().unwrap_or_default();
    base.port().map_or_else(|| host.to_owned(), |port| format!("{host}:{port}"))
}
