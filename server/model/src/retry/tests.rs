use super::*;

fn config() -> Config {
    let mut config = Config::new("http://127.0.0.1:1", None);
    config.attempts = 4;
    config.backoff = Duration::from_secs(1);
    config.longest_backoff = Duration::from_secs(3);
    config
}

fn status(status: u16, kind: Option<&str>, retry_after: Option<u64>) -> Error {
    Error::Status {
        host: "host".into(),
        status,
        kind: kind.map(Into::into),
        message: String::new(),
        hint: None,
        retry_after: retry_after.map(Duration::from_secs),
    }
}

fn reported(kind: Option<&str>) -> Error {
    Error::Reported { host: "host".into(), kind: kind.map(Into::into), message: String::new() }
}

#[test]
fn each_error_waits_or_gives_up() {
    let host = || "host".to_owned();
    let reason = || "reason".to_owned();
    let waits = [
        status(408, None, None),
        status(409, None, None),
        status(429, Some("rate_limit_error"), None),
        status(500, Some("api_error"), None),
        status(502, None, None),
        status(503, None, None),
        status(504, None, None),
        status(529, Some("overloaded_error"), None),
        reported(Some("overloaded_error")),
        reported(Some("api_error")),
        reported(Some("rate_limit_error")),
        reported(None),
        Error::Connect { host: host(), reason: reason() },
        Error::Interrupted { host: host(), reason: reason() },
        Error::Silent { host: host(), silence: Duration::from_secs(1) },
        Error::Malformed { host: host(), reason: reason() },
    ];
    for error in &waits {
        assert!(wait_before(2, 2, error, &config()).is_some(), "{error:?}");
        assert!(wait_before(4, 4, error, &config()).is_some(), "{error:?}");
        assert_eq!(wait_before(5, 5, error, &config()), None, "the attempts are used up: {error:?}");
    }
    let gives_up = [
        status(302, None, None),
        status(400, Some("invalid_request_error"), None),
        status(401, Some("authentication_error"), None),
        status(402, Some("billing_error"), None),
        status(403, Some("permission_error"), None),
        status(404, Some("not_found_error"), None),
        status(413, Some("request_too_large"), None),
        status(429, Some("insufficient_quota"), None),
        status(501, None, None),
        reported(Some("invalid_request_error")),
        reported(Some("authentication_error")),
        Error::MissingKey { host: host(), variable: "KEY" },
        Error::BaseUrl { reason: reason() },
        Error::Setup { reason: reason() },
        Error::Certificate { host: host(), reason: reason() },
        Error::Cancelled,
    ];
    for error in &gives_up {
        assert_eq!(wait_before(2, 2, error, &config()), None, "{error:?}");
    }
}

#[test]
fn the_wait_doubles_with_jitter_up_to_its_bound() {
    for (next, full) in [(2, 1.0), (3, 2.0), (4, 3.0)] {
        for _ in 0..50 {
            let wait = wait_before(next, next, &status(529, None, None), &config()).unwrap().as_secs_f64();
            assert!((full / 2.0..=full).contains(&wait), "attempt {next} waits {wait}");
        }
    }
    let mut many = config();
    many.attempts = u32::MAX;
    assert!(
        wait_before(u32::MAX, u32::MAX, &status(529, None, None), &many).unwrap() <= many.longest_backoff
    );
}

#[test]
fn what_the_provider_asks_for_is_honoured_but_not_for_ever() {
    let wait = wait_before(2, 2, &status(429, None, Some(20)), &config()).unwrap().as_secs_f64();
    assert!((20.0..=22.0).contains(&wait), "{wait}");
    assert_eq!(wait_before(2, 2, &status(429, None, Some(0)), &config()), Some(Duration::ZERO));
    assert_eq!(wait_before(2, 2, &status(429, None, Some(31)), &config()), None);
}
