//! The system calls that a command must not make: those that undo walls, and those that walls don't see.
//! A second wall, never the claim: a list of what is bad is never complete.

use std::collections::BTreeMap;
use std::io;

use seccompiler::{
    BpfProgram, SeccompAction, SeccompCmpArgLen as Len, SeccompCmpOp as Op, SeccompCondition as Condition,
    SeccompFilter, SeccompRule, TargetArch, apply_filter, sock_filter,
};

use crate::exec::policy::Network;

type Rules = BTreeMap<i64, Vec<SeccompRule>>;

/// New namespaces, in which a command would have capabilities again; mounts; the kernel's programs and keys;
/// and `io_uring`, which makes system calls that no filter sees.
const NEVER: [libc::c_long; 24] = [
    libc::SYS_setns,
    libc::SYS_mount,
    libc::SYS_umount2,
    libc::SYS_pivot_root,
    libc::SYS_open_tree,
    libc::SYS_move_mount,
    libc::SYS_fsopen,
    libc::SYS_fsconfig,
    libc::SYS_fsmount,
    libc::SYS_fspick,
    libc::SYS_mount_setattr,
    libc::SYS_bpf,
    libc::SYS_perf_event_open,
    libc::SYS_userfaultfd,
    libc::SYS_add_key,
    libc::SYS_request_key,
    libc::SYS_keyctl,
    libc::SYS_kexec_load,
    libc::SYS_init_module,
    libc::SYS_finit_module,
    libc::SYS_open_by_handle_at,
    libc::SYS_io_uring_setup,
    libc::SYS_io_uring_enter,
    libc::SYS_io_uring_register,
];

const NAMESPACES: [libc::c_int; 7] = [
    libc::CLONE_NEWUSER,
    libc::CLONE_NEWNS,
    libc::CLONE_NEWPID,
    libc::CLONE_NEWNET,
    libc::CLONE_NEWIPC,
    libc::CLONE_NEWUTS,
    libc::CLONE_NEWCGROUP,
];

/// `MPTCP`, which goes past rules about TCP; of `linux/in.h`.
const IPPROTO_MPTCP: u64 = 262;
/// The lower bits of a socket's type; above them are flags, as socket(2) has it.
const TYPE_MASK: u64 = 0xf;
/// `linux/tcp.h`: options that make a connection while data is sent.
const TCP_FASTOPEN_CONNECT: u64 = 30;

/// Whether the command may have UDP sockets.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Datagrams {
    /// In a network of its own they reach nobody else.
    Allowed,
    Refused,
}

/// Restricts this process for good. It has to have no new privileges already.
pub(super) fn restrict(network: Network, datagrams: Datagrams) -> io::Result<()> {
    refuse_foreign_calls()?;
    let mut forbidden = never()?;
    if network != Network::Open {
        fast_open(&mut forbidden)?;
    }
    install(forbidden, libc::EPERM)?;
    // As a kernel before 5.3 would answer: the C library then uses `clone`, whose flags can be seen.
    install(BTreeMap::from([(libc::SYS_clone3, Vec::new())]), libc::ENOSYS)?;
    if network != Network::Open {
        install(BTreeMap::from([(libc::SYS_socket, sockets(datagrams)?)]), libc::EPROTONOSUPPORT)?;
    }
    Ok(())
}

fn never() -> io::Result<Rules> {
    let mut rules: Rules = NEVER.iter().map(|call| (*call, Vec::new())).collect();
    for call in [libc::SYS_clone, libc::SYS_unshare] {
        let flags = NAMESPACES.iter().map(|flag| has_bits(0, *flag as u64));
        rules.insert(call, flags.collect::<io::Result<_>>()?);
    }
    // Types into a terminal as if a person had.
    rules.insert(libc::SYS_ioctl, vec![equals(1, libc::TIOCSTI)?, equals(1, libc::TIOCLINUX)?]);
    Ok(rules)
}

fn fast_open(rules: &mut Rules) -> io::Result<()> {
    let flag = libc::MSG_FASTOPEN as u64;
    rules.insert(libc::SYS_sendto, vec![has_bits(3, flag)?]);
    rules.insert(libc::SYS_sendmsg, vec![has_bits(2, flag)?]);
    rules.insert(libc::SYS_sendmmsg, vec![has_bits(3, flag)?]);
    let option = rule(vec![
        condition(1, Op::Eq, libc::IPPROTO_TCP as u64)?,
        condition(2, Op::Eq, TCP_FASTOPEN_CONNECT)?,
    ])?;
    rules.insert(libc::SYS_setsockopt, vec![option]);
    Ok(())
}

/// Sockets other than the plain ones: Unix, TCP and UDP over IP, and the one that lists interfaces.
fn sockets(datagrams: Datagrams) -> io::Result<Vec<SeccompRule>> {
    let other_family = [libc::AF_UNIX, libc::AF_INET, libc::AF_INET6, libc::AF_NETLINK]
        .into_iter()
        .map(|family| condition(0, Op::Ne, family as u64))
        .collect::<io::Result<_>>()?;
    let mut refused = vec![rule(other_family)?];
    for family in [libc::AF_INET, libc::AF_INET6] {
        let family = condition(0, Op::Eq, family as u64)?;
        refused.push(rule(vec![family.clone(), condition(2, Op::Eq, IPPROTO_MPTCP)?])?);
        let mut kinds = vec![libc::SOCK_RAW, libc::SOCK_SEQPACKET, libc::SOCK_RDM, libc::SOCK_DCCP];
        if datagrams == Datagrams::Refused {
            kinds.push(libc::SOCK_DGRAM);
        }
        for kind in kinds {
            let kind = condition(1, Op::MaskedEq(TYPE_MASK), kind as u64)?;
            refused.push(rule(vec![family.clone(), kind])?);
        }
    }
    let netlink = condition(0, Op::Eq, libc::AF_NETLINK as u64)?;
    refused.push(rule(vec![netlink, condition(2, Op::Ne, libc::NETLINK_ROUTE as u64)?])?);
    Ok(refused)
}

fn install(rules: Rules, errno: libc::c_int) -> io::Result<()> {
    let arch = TargetArch::try_from(std::env::consts::ARCH).map_err(io::Error::other)?;
    let refuse = SeccompAction::Errno(errno.cast_unsigned());
    let filter = SeccompFilter::new(rules, SeccompAction::Allow, refuse, arch).map_err(io::Error::other)?;
    let program = BpfProgram::try_from(filter).map_err(io::Error::other)?;
    apply_filter(&program).map_err(io::Error::other)
}

/// On x86-64 each call has a second number, for programs with short pointers, which the other filters don't know.
fn refuse_foreign_calls() -> io::Result<()> {
    /// `__X32_SYSCALL_BIT` of `asm/unistd.h`.
    const FOREIGN: u32 = 0x4000_0000;
    if !cfg!(target_arch = "x86_64") {
        return Ok(());
    }
    let step = |code: u32, k, jt| sock_filter { code: code as u16, jt, jf: 0, k };
    let program = [
        // The number of the call is the first field of `seccomp_data`.
        step(libc::BPF_LD | libc::BPF_W | libc::BPF_ABS, 0, 0),
        step(libc::BPF_JMP | libc::BPF_JGE | libc::BPF_K, FOREIGN, 1),
        step(libc::BPF_RET | libc::BPF_K, libc::SECCOMP_RET_ALLOW, 0),
        step(libc::BPF_RET | libc::BPF_K, libc::SECCOMP_RET_ERRNO | libc::ENOSYS.cast_unsigned(), 0),
    ];
    apply_filter(&program).map_err(io::Error::other)
}

fn has_bits(argument: u8, bits: u64) -> io::Result<SeccompRule> {
    rule(vec![condition(argument, Op::MaskedEq(bits), bits)?])
}

fn equals(argument: u8, value: u64) -> io::Result<SeccompRule> {
    rule(vec![condition(argument, Op::Eq, value)?])
}

/// Arguments are compared by their lower half, which is all that the kernel looks at for these calls.
fn condition(argument: u8, op: Op, value: u64) -> io::Result<Condition> {
    Condition::new(argument, Len::Dword, op, value).map_err(io::Error::other)
}

fn rule(conditions: Vec<Condition>) -> io::Result<SeccompRule> {
    SeccompRule::new(conditions).map_err(io::Error::other)
}
