//! Whom a command wants to reach, and what kind of place that is.

use std::fmt;
use std::net::{IpAddr, Ipv4Addr, Ipv6Addr};
use std::str::FromStr;

/// The longest name that the domain name system knows (RFC 1035).
const MAX_NAME: usize = 253;

/// A host and a port.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct Target {
    /// In lower case, without brackets and without a final dot.
    host: String,
    port: u16,
}

/// Where a host is, seen from this machine.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Reach {
    /// Somewhere in the world.
    Public,
    /// In a network of one's own.
    Private,
    /// On the same wire, where clouds keep their machines' keys.
    LinkLocal,
    /// This machine.
    Loopback,
}

impl Target {
    /// None when it is no host or no port.
    pub fn new(host: &str, port: u16) -> Option<Self> {
        let host = host.strip_prefix('[').and_then(|host| host.strip_suffix(']')).unwrap_or(host);
        let host = host.strip_suffix('.').unwrap_or(host).to_ascii_lowercase();
        let plain = |c: char| c.is_ascii_alphanumeric() || "-._".contains(c);
        let name = !host.is_empty() && host.len() <= MAX_NAME && host.chars().all(plain);
        let known = name || host.parse::<Ipv6Addr>().is_ok();
        (known && port != 0).then_some(Self { host, port })
    }

    pub fn host(&self) -> &str {
        &self.host
    }

    pub fn port(&self) -> u16 {
        self.port
    }

    /// Where it is by its name alone; where the name leads is known only once it is looked up.
    pub fn reach(&self) -> Reach {
        if self.host == "localhost" || self.host.ends_with(".localhost") {
            return Reach::Loopback;
        }
        self.host.parse().map_or(Reach::Public, Reach::of)
    }
}

impl FromStr for Target {
    type Err = ();

    /// `host:port`, as in the first line of a CONNECT request.
    fn from_str(text: &str) -> Result<Self, ()> {
        let (host, port) = text.rsplit_once(':').ok_or(())?;
        Self::new(host, port.parse().map_err(|_| ())?).ok_or(())
    }
}

impl fmt::Display for Target {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}:{}", self.host, self.port)
    }
}

impl Reach {
    /// By the registries of special addresses (RFC 6890); what only looks like IPv6 is judged by the address within.
    pub fn of(address: IpAddr) -> Self {
        match address {
            IpAddr::V4(address) => Self::of_v4(address),
            IpAddr::V6(address) => Self::of_v6(address),
        }
    }

    fn of_v4(address: Ipv4Addr) -> Self {
        let [a, b, ..] = address.octets();
        match (a, b) {
            (127 | 0, _) => Reach::Loopback,
            (169, 254) => Reach::LinkLocal,
            // Carriers' networks, tests of networks, and all that is no single host.
            (100, 64..=127) | (192, 0) | (198, 18..=19) | (224.., _) => Reach::Private,
            _ if address.is_private() => Reach::Private,
            _ => Reach::Public,
        }
    }

    fn of_v6(address: Ipv6Addr) -> Self {
        let s = address.segments();
        let v4 = |high: u16, low: u16| Self::of_v4(Ipv4Addr::from((u32::from(high) << 16) | u32::from(low)));
        match s {
            [0, 0, 0, 0, 0, 0, 0, 0 | 1] => Reach::Loopback,
            // An IPv4 address mapped or compatible, behind a translator, or in a 6to4 address.
            [0, 0, 0, 0, 0, 0xffff | 0, high, low] | [0x64, 0xff9b, 0, 0, 0, 0, high, low] => v4(high, low),
            [0x2002, high, low, ..] => v4(high, low),
            [first, ..] if first & 0xffc0 == 0xfe80 => Reach::LinkLocal,
            // Unique local, the old site local, multicast, and translators of one's own.
            [first, ..] if first & 0xfe00 == 0xfc00 || first & 0xffc0 == 0xfec0 || first >= 0xff00 => {
                Reach::Private
            }
            [0x64, 0xff9b, 1, ..] => Reach::Private,
            _ => Reach::Public,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn addresses_are_told_apart_by_where_they_lead() {
        let check = |expected: Reach, addresses: &[&str]| {
            for address in addresses {
                assert_eq!(Reach::of(address.parse().unwrap()), expected, "{address}");
            }
        };
        check(Reach::Loopback, &["127.0.0.1", "127.9.9.9", "0.0.0.0", "::1", "::", "::ffff:127.0.0.1"]);
        check(Reach::LinkLocal, &["169.254.169.254", "fe80::1", "febf::1", "::ffff:169.254.169.254"]);
        check(Reach::Private, &["10.0.0.1", "172.16.0.1", "172.31.255.255", "192.168.1.1", "100.64.0.1"]);
        check(
            Reach::Private,
            &["224.0.0.1", "255.255.255.255", "198.18.0.1", "fc00::1", "fdff::1", "ff02::1"],
        );
        check(Reach::Private, &["64:ff9b::10.0.0.1", "2002:a00:1::1", "::ffff:10.0.0.1"]);
        check(Reach::Public, &["8.8.8.8", "172.32.0.1", "100.128.0.1", "2606:4700::1", "64:ff9b::8.8.8.8"]);
    }

    #[test]
    fn a_target_is_a_host_and_a_port_and_nothing_else() {
        let parse = |text: &str| text.parse::<Target>().ok().map(|target| target.to_string());
        assert_eq!(parse("Example.COM:443").as_deref(), Some("example.com:443"));
        assert_eq!(parse("example.com.:443").as_deref(), Some("example.com:443"));
        assert_eq!(parse("[::1]:80").as_deref(), Some("::1:80"));
        let none = [
            "",
            "host",
            "host:",
            "host:0",
            "host:99999",
            ":80",
            "a b:80",
            "a/b:80",
            "a@b:80",
            "fe80::1%eth0:80",
        ];
        for text in none {
            assert_eq!(parse(text), None, "{text}");
        }
        assert_eq!(parse(&format!("{}:80", "a".repeat(254))), None);
    }

    #[test]
    fn a_name_for_this_machine_is_known_without_looking_it_up() {
        for (host, reach) in [
            ("localhost", Reach::Loopback),
            ("db.localhost", Reach::Loopback),
            ("127.0.0.1", Reach::Loopback),
            ("[::1]", Reach::Loopback),
            ("169.254.169.254", Reach::LinkLocal),
            ("localhost.example.com", Reach::Public),
        ] {
            assert_eq!(Target::new(host, 80).unwrap().reach(), reach, "{host}");
        }
    }
}
