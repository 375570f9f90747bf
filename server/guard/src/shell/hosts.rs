//! Names of hosts in a command's words.

/// The host of a URL or of a bare `host/path`.
pub(super) fn of_url(text: &str) -> Option<String> {
    let rest = match text.split_once("://") {
        Some((scheme, rest)) if scheme.bytes().all(|b| b.is_ascii_alphanumeric() || b"+-.".contains(&b)) => {
            rest
        }
        _ => text,
    };
    let authority = rest.split(['/', '?', '#']).next()?;
    let host = authority.rsplit('@').next()?;
    let host = match host.strip_prefix('[') {
        Some(address) => address.split(']').next()?,
        None => host.split(':').next()?,
    };
    let is_host =
        !host.is_empty() && host.bytes().all(|b| b.is_ascii_alphanumeric() || b".-_:%".contains(&b));
    is_host.then(|| host.to_ascii_lowercase())
}

/// The host of `user@host:path` or `host:path`, as ssh and its kin write it.
pub(super) fn of_remote(text: &str) -> Option<String> {
    if text.contains("://") {
        return of_url(text);
    }
    let (host, _) = text.split_once(':')?;
    (!host.contains('/')).then(|| of_url(host))?
}

/// The host that bash connects to for a redirection's target.
pub(super) fn of_device(path: &str) -> Option<String> {
    let rest = path.strip_prefix("/dev/tcp/").or_else(|| path.strip_prefix("/dev/udp/"))?;
    Some(rest.split('/').next().unwrap_or_default().to_ascii_lowercase())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn hosts_are_found_in_what_commands_name() {
        assert_eq!(of_url("https://u:p@Example.com:8080/a?b").as_deref(), Some("example.com"));
        assert_eq!(of_url("example.com/x").as_deref(), Some("example.com"));
        assert_eq!(of_url("http://[::1]:80/").as_deref(), Some("::1"));
        assert_eq!(of_url("a b"), None);
        assert_eq!(of_remote("git@host.org:team/x.git").as_deref(), Some("host.org"));
        assert_eq!(of_remote("./a:b"), None);
        assert_eq!(of_device("/dev/tcp/10.0.0.1/80").as_deref(), Some("10.0.0.1"));
    }
}
