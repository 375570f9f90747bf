//! The heads of HTTP messages: what a command asks of the proxy, and what each end is told in turn. No I/O.

use super::address::Target;

/// A head with more headers than this is refused.
const MAX_HEADERS: usize = 128;

/// What a client asks for.
pub(super) struct Request {
    pub(super) target: Target,
    pub(super) kind: Kind,
}

pub(super) enum Kind {
    Tunnel,
    /// The head as the server gets it, and how much follows.
    Plain {
        head: Vec<u8>,
        body: Body,
        only_head: bool,
    },
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Body {
    Length(u64),
    Chunked,
    /// Of a response alone: as long as the server goes on.
    ToTheEnd,
}

/// What the head of a request asks for; none when it is not for a proxy, or cannot be understood one way only.
pub(super) fn parse(head: &[u8]) -> Option<Request> {
    let mut headers = [httparse::EMPTY_HEADER; MAX_HEADERS];
    let mut request = httparse::Request::new(&mut headers);
    request.parse(head).ok()?;
    let (method, path) = (request.method?, request.path?);
    if method == "CONNECT" {
        return Some(Request { target: path.parse().ok()?, kind: Kind::Tunnel });
    }
    let address = path.get(..7).filter(|scheme| scheme.eq_ignore_ascii_case("http://")).and(path.get(7..))?;
    let split = address.find(['/', '?']).unwrap_or(address.len());
    let (authority, path) = address.split_at_checked(split)?;
    let target = authority.parse().ok().or_else(|| Target::new(authority, 80))?;
    let slash = if path.starts_with('/') { "" } else { "/" };
    let mut head = format!("{method} {slash}{path} HTTP/1.1\r\nHost: {authority}\r\n").into_bytes();
    // The host is the one that was asked about, whatever the header says.
    copy_headers(request.headers, &["host"], &mut head);
    let body = body(request.headers)?.unwrap_or(Body::Length(0));
    Some(Request { target, kind: Kind::Plain { head, body, only_head: method == "HEAD" } })
}

/// A response as it is passed on.
pub(super) struct Response {
    pub(super) head: Vec<u8>,
    pub(super) body: Body,
    pub(super) is_final: bool,
}

/// A response as the last one on its connection, unless it is a preliminary one.
pub(super) fn last_response(head: &[u8]) -> Option<Response> {
    let mut headers = [httparse::EMPTY_HEADER; MAX_HEADERS];
    let mut response = httparse::Response::new(&mut headers);
    response.parse(head).ok()?;
    let status = response.code?;
    if status < 200 {
        return Some(Response { head: head.to_vec(), body: Body::Length(0), is_final: false });
    }
    let mut head = format!("HTTP/1.1 {status} {}\r\n", response.reason.unwrap_or_default()).into_bytes();
    copy_headers(response.headers, &[], &mut head);
    let body = match status {
        204 | 304 => Body::Length(0),
        _ => body(response.headers)?.unwrap_or(Body::ToTheEnd),
    };
    Some(Response { head, body, is_final: true })
}

/// Copies what is meant for the other end, and says that the connection ends with this message.
fn copy_headers(headers: &[httparse::Header<'_>], without: &[&str], head: &mut Vec<u8>) {
    const HOP: [&str; 6] = [
        "connection",
        "keep-alive",
        "proxy-connection",
        "proxy-authorization",
        "proxy-authenticate",
        "upgrade",
    ];
    for header in headers {
        let name = header.name.to_ascii_lowercase();
        if !HOP.contains(&name.as_str()) && !without.contains(&name.as_str()) {
            head.extend_from_slice(header.name.as_bytes());
            head.extend_from_slice(b": ");
            head.extend_from_slice(header.value);
            head.extend_from_slice(b"\r\n");
        }
    }
    head.extend_from_slice(b"Connection: close\r\n\r\n");
}

/// How long the headers say that the body is, if they do; none when they disagree, as in smuggled requests.
fn body(headers: &[httparse::Header<'_>]) -> Option<Option<Body>> {
    let values = |name: &str| {
        let name = name.to_owned();
        headers
            .iter()
            .filter(move |header| header.name.eq_ignore_ascii_case(&name))
            .map(|header| header.value)
    };
    let mut lengths = values("content-length");
    let mut codings = values("transfer-encoding");
    match (lengths.next(), codings.next()) {
        (None, None) => Some(None),
        (Some(length), None) if lengths.next().is_none() => {
            std::str::from_utf8(length).ok()?.trim().parse().ok().map(Body::Length).map(Some)
        }
        (None, Some(coding)) if codings.next().is_none() && coding.eq_ignore_ascii_case(b"chunked") => {
            Some(Some(Body::Chunked))
        }
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn plain(head: &str) -> Option<(String, String, Body)> {
        let request = parse(head.as_bytes())?;
        let Kind::Plain { head, body, .. } = request.kind else { return None };
        Some((request.target.to_string(), String::from_utf8(head).unwrap(), body))
    }

    #[test]
    fn a_request_is_passed_on_for_the_host_that_is_asked_about() {
        let head = "GET http://One.test/a?b HTTP/1.1\r\nHost: other.test\r\nProxy-Connection: keep-alive\r\nA: b\r\n\r\n";
        let (target, head, body) = plain(head).unwrap();
        assert_eq!((target.as_str(), body), ("one.test:80", Body::Length(0)));
        assert_eq!(head, "GET /a?b HTTP/1.1\r\nHost: One.test\r\nA: b\r\nConnection: close\r\n\r\n");
        let (target, head, _) = plain("GET http://one.test:8080?q HTTP/1.1\r\n\r\n").unwrap();
        assert_eq!(target, "one.test:8080");
        assert!(head.starts_with("GET /?q HTTP/1.1\r\n"), "{head}");
    }

    #[test]
    fn what_can_be_understood_in_two_ways_is_not_passed_on() {
        for headers in [
            "Content-Length: 1\r\nContent-Length: 2",
            "Content-Length: 1\r\nTransfer-Encoding: chunked",
            "Transfer-Encoding: gzip, chunked",
            "Content-Length: -1",
        ] {
            assert_eq!(
                plain(&format!("POST http://a.test/ HTTP/1.1\r\n{headers}\r\n\r\n")),
                None,
                "{headers}"
            );
        }
        for first in [
            "GET / HTTP/1.1",
            "GET https://a.test/ HTTP/1.1",
            "CONNECT a.test HTTP/1.1",
            "GET http://a@b/ HTTP/1.1",
        ] {
            assert!(parse(format!("{first}\r\n\r\n").as_bytes()).is_none(), "{first}");
        }
    }

    #[test]
    fn a_response_ends_its_connection_unless_it_is_preliminary() {
        let response =
            last_response(b"HTTP/1.1 200 OK\r\nConnection: keep-alive\r\nContent-Length: 3\r\n\r\n").unwrap();
        assert_eq!(response.head, b"HTTP/1.1 200 OK\r\nContent-Length: 3\r\nConnection: close\r\n\r\n");
        assert_eq!((response.body, response.is_final), (Body::Length(3), true));
        assert!(!last_response(b"HTTP/1.1 100 Continue\r\n\r\n").unwrap().is_final);
        assert_eq!(last_response(b"HTTP/1.1 200 OK\r\n\r\n").unwrap().body, Body::ToTheEnd);
    }
}
