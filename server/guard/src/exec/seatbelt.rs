//! The walls of a policy as a profile for `sandbox-exec` of macOS. Text only: it is tested as text, and was
//! **not run on a Mac**. The last rule that matches wins, so that what is stricter comes later.

use std::fmt::Write;
use std::path::Path;

use super::policy::{Network, Policy};

/// What programs need of the system to start at all.
const SYSTEM: &str = "\
(version 1)
(deny default)
(allow process-exec process-fork)
(allow signal (target same-sandbox))
(allow process-info* (target same-sandbox))
(allow sysctl-read)
(allow mach-lookup (global-name \"com.apple.system.opendirectoryd.libinfo\"))
(allow pseudo-tty)
(allow file-read*)
(allow file-write* (literal \"/dev/null\") (literal \"/dev/zero\") (literal \"/dev/tty\"))
(allow file-ioctl (regex #\"^/dev/tty\"))
";

/// The profile of `policy`; `proxy` is the port of the leader's proxy on the loopback, where the policy has one.
pub fn profile(policy: &Policy, proxy: Option<u16>) -> String {
    let mut text = SYSTEM.to_owned();
    let mut rule = |rule: &str, path: &Path| {
        // A `String` takes all that is written to it.
        let _ = writeln!(text, "({rule} (subpath {}))", quoted(path));
    };
    for root in policy.writable_roots().chain(policy.temp.as_deref()) {
        rule("allow file-write*", root);
    }
    for root in policy.writable_roots() {
        for protected in &policy.readonly_within {
            rule("deny file-write*", &root.join(protected.path()));
        }
    }
    for hidden in &policy.hidden {
        rule("deny file-read* file-write*", hidden);
    }
    // A writable root beneath a hidden place is there all the same.
    for root in policy.writable_roots() {
        if policy.hidden.iter().any(|hidden| root.starts_with(hidden) && root != hidden) {
            rule("allow file-read* file-write*", root);
            for protected in &policy.readonly_within {
                rule("deny file-write*", &root.join(protected.path()));
            }
        }
    }
    match (policy.network, proxy) {
        (Network::Open, _) => text.push_str("(allow network*)\n"),
        (Network::Proxy, Some(port)) => {
            let _ = writeln!(text, "(allow network-outbound (remote ip \"localhost:{port}\"))");
        }
        (Network::Proxy | Network::None, _) => {}
    }
    text
}

/// A path as a string of the profile's language, in which a quote and a backslash are escaped.
fn quoted(path: &Path) -> String {
    let escaped = path.to_string_lossy().replace('\\', "\\\\").replace('"', "\\\"");
    format!("\"{escaped}\"")
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::exec::policy::{Confinement, Protected};

    fn policy() -> Policy {
        Policy {
            workspace: "/Users/ada/work".into(),
            home: "/Users/ada".into(),
            writable: Vec::new(),
            readonly_within: vec![Protected::File(".git/config".into())],
            hidden: vec!["/Users/ada/.ssh".into()],
            caches: None,
            temp: Some("/private/tmp/team".into()),
            network: Network::Proxy,
            confinement: Confinement::Full,
        }
    }

    #[test]
    fn a_policy_becomes_a_profile_with_the_stricter_rules_last() {
        let text = profile(&policy(), Some(4711));
        let expected = "\
(allow file-write* (subpath \"/Users/ada/work\"))
(allow file-write* (subpath \"/private/tmp/team\"))
(deny file-write* (subpath \"/Users/ada/work/.git/config\"))
(deny file-read* file-write* (subpath \"/Users/ada/.ssh\"))
(allow network-outbound (remote ip \"localhost:4711\"))
";
        assert_eq!(text.strip_prefix(SYSTEM), Some(expected));
    }

    #[test]
    fn a_root_beneath_a_hidden_place_comes_back_and_what_is_protected_in_it_stays_so() {
        let mut policy = policy();
        policy.hidden = vec!["/Users".into()];
        policy.network = Network::None;
        let text = profile(&policy, None);
        assert!(text.ends_with(
            "(deny file-read* file-write* (subpath \"/Users\"))\n\
             (allow file-read* file-write* (subpath \"/Users/ada/work\"))\n\
             (deny file-write* (subpath \"/Users/ada/work/.git/config\"))\n"
        ));
        assert!(!text.contains("network"));
    }

    #[test]
    fn a_path_cannot_end_its_string_and_go_on_as_a_rule() {
        let mut policy = policy();
        policy.workspace = "/a\"))(allow default)(x \"\\".into();
        assert!(profile(&policy, None).contains(r#"(subpath "/a\"))(allow default)(x \"\\")"#));
    }
}
