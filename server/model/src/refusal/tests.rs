use reqwest::header::{HeaderName, HeaderValue};

use super::*;

fn error(status: u16, headers: &[(&'static str, &str)], body: &str) -> Error {
    let headers = headers
        .iter()
        .map(|(name, value)| (HeaderName::from_static(name), HeaderValue::from_str(value).unwrap()))
        .collect();
    let status = StatusCode::from_u16(status).unwrap();
    let now = httpdate::parse_http_date("Tue, 01 Dec 2026 12:00:00 GMT").unwrap();
    read("host", "THE_KEY", status, &headers, body.as_bytes(), now)
}

#[test]
fn the_message_names_what_is_wrong_and_what_to_do() {
    let object = r#"{"type":"error","error":{"type":"not_found_error","message":"model: x"}}"#;
    let cases = [
        (
            404,
            object,
            "host answered 404 (not_found_error): model: x — check the settings `model` and `baseUrl`",
        ),
        (
            401,
            r#"{"error":{"type":"authentication_error","message":"invalid x-api-key"}}"#,
            "host answered 401 (authentication_error): invalid x-api-key — check the key in THE_KEY, or the \
             setting `apiKey`",
        ),
        (
            429,
            r#"{"error":{"type":"tokens","code":"insufficient_quota","message":"no money"}}"#,
            "host answered 429 (insufficient_quota): no money — the account needs credit; see the provider's \
             billing page",
        ),
        (500, "<html>\n  oh no\n</html>", "host answered 500: <html> oh no </html>"),
        (503, "", "host answered 503: Service Unavailable"),
        (400, r#"{"error":"just a text"}"#, "host answered 400: just a text"),
        (400, r#"{"detail":"elsewhere"}"#, "host answered 400: elsewhere"),
    ];
    for (status, body, expected) in cases {
        assert_eq!(error(status, &[], body).to_string(), expected);
    }
}

#[test]
fn a_wait_is_read_in_each_of_its_forms() {
    type Headers = &'static [(&'static str, &'static str)];
    let cases: [(Headers, Option<f64>); 8] = [
        (&[], None),
        (&[("retry-after", "7")], Some(7.0)),
        (&[("retry-after", "0.5")], Some(0.5)),
        (&[("retry-after-ms", "250"), ("retry-after", "9")], Some(0.25)),
        (&[("retry-after", "Tue, 01 Dec 2026 12:00:30 GMT")], Some(30.0)),
        (&[("retry-after", "Tue, 01 Dec 2026 11:00:00 GMT")], Some(0.0)),
        (&[("retry-after", "-3")], None),
        (&[("retry-after", "soon")], None),
    ];
    for (headers, expected) in cases {
        let Error::Status { retry_after, .. } = error(429, headers, "") else { panic!() };
        assert_eq!(retry_after.map(|wait| wait.as_secs_f64()), expected, "{headers:?}");
    }
    let told = error(429, &[("retry-after", "3600.5")], "slow down").to_string();
    assert_eq!(told, "host answered 429: slow down — it asks to wait 3601 s");
}

#[test]
fn a_long_body_is_cut_at_a_character() {
    let Error::Status { message, .. } = error(500, &[], &"ä".repeat(1000)) else { panic!() };
    assert_eq!(message, format!("{}…", "ä".repeat(300)));
}

#[test]
fn what_may_do_without_its_pictures_is_told_apart() {
    let may_do = [
        (
            400,
            r#"{"error":{"message":"messages.2.content.0.image.source.base64: image exceeds 5 MB maximum"}}"#,
        ),
        (400, r#"{"error":{"message":"unknown variant `image_url`, expected `text`"}}"#),
        (400, r#"{"error":{"message":"content must be a string"}}"#),
        (404, r#"{"error":{"message":"No endpoints found that support image input"}}"#),
        (413, r#"{"error":{"type":"request_too_large","message":"…"}}"#),
        (500, r#"{"error":{"message":"image input is not supported"}}"#),
    ];
    for (status, body) in may_do {
        assert!(error(status, &[], body).may_be_about_pictures(), "{body}");
    }
    let another_matter = [
        (400, r#"{"error":{"message":"prompt is too long: 2 > 1"}}"#),
        (401, r#"{"error":{"message":"invalid x-api-key"}}"#),
        (404, r#"{"error":{"message":"model: x"}}"#),
        (500, "<html>oh no</html>"),
    ];
    for (status, body) in another_matter {
        assert!(!error(status, &[], body).may_be_about_pictures(), "{body}");
    }
}

#[test]
fn a_prompt_that_is_too_long_is_told_apart() {
    let too_long = [
        (400, r#"{"error":{"type":"invalid_request_error","message":"prompt is too long: 2 > 1"}}"#),
        (400, r#"{"error":{"code":"context_length_exceeded","message":"…"}}"#),
        (413, r#"{"error":{"type":"request_too_large","message":"…"}}"#),
    ];
    for (status, body) in too_long {
        assert!(error(status, &[], body).is_too_long(), "{body}");
    }
    assert!(!error(400, &[], r#"{"error":{"message":"max_tokens: too large"}}"#).is_too_long());
    assert!(!error(500, &[], r#"{"error":{"message":"prompt is too long"}}"#).is_too_long());
}
