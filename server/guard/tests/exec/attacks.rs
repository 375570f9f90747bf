//! System calls that get out where the walls have a hole. Each ends with success only when it got through.

use std::ffi::{CString, OsString};
use std::io::{self, Write};
use std::net::{SocketAddr, TcpStream, UdpSocket};
use std::os::linux::net::SocketAddrExt;
use std::os::unix::net::{SocketAddr as UnixAddr, UnixDatagram, UnixStream};
use std::process::ExitCode;
use std::ptr::null;

use libc::{c_int, c_long};

/// Tries the attack that the first argument names, on what the second one says.
pub(crate) fn run(mut args: impl Iterator<Item = OsString>) -> ExitCode {
    let Some(name) = args.next() else { return ExitCode::FAILURE };
    let target = args.next().unwrap_or_default().to_string_lossy().into_owned();
    match attempt(&name.to_string_lossy(), &target) {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            // Only for whoever wonders why a test failed.
            let _ = writeln!(io::stderr(), "{}: {error}", name.display());
            ExitCode::FAILURE
        }
    }
}

fn attempt(name: &str, target: &str) -> io::Result<()> {
    match name {
        "connect" => connect(target),
        "udp" => UdpSocket::bind("0.0.0.0:0")?.send_to(b"x", target).map(drop),
        "unix" => UnixStream::connect(target).map(drop),
        "unix-datagram" => UnixDatagram::unbound()?.send_to(b"x", target).map(drop),
        "abstract" => UnixStream::connect_addr(&UnixAddr::from_abstract_name(target)?).map(drop),
        "raw" => socket(libc::AF_INET, libc::SOCK_RAW, libc::IPPROTO_ICMP),
        "packet" => socket(libc::AF_PACKET, libc::SOCK_RAW, 0),
        "mptcp" => socket(libc::AF_INET, libc::SOCK_STREAM, 262),
        "vsock" => socket(libc::AF_VSOCK, libc::SOCK_STREAM, 0),
        "fast-open" => fast_open(),
        "trace-init" => call(libc::SYS_ptrace, [libc::PTRACE_ATTACH as c_long, 1, 0, 0, 0]),
        "user-namespace" => call(libc::SYS_unshare, [libc::CLONE_NEWUSER.into(), 0, 0, 0, 0]),
        "mount-namespace" => call(libc::SYS_unshare, [libc::CLONE_NEWNS.into(), 0, 0, 0, 0]),
        "clone-namespace" => clone_namespace(),
        "clone3" => call(libc::SYS_clone3, [0; 5]),
        "unmount" => unmount(target),
        "move-tree" => call(libc::SYS_open_tree, [libc::AT_FDCWD.into(), c"/".as_ptr() as c_long, 1, 0, 0]),
        "chroot" => call(libc::SYS_chroot, [c"/".as_ptr() as c_long, 0, 0, 0, 0]),
        "io-uring" => io_uring(),
        "keys" => call(libc::SYS_keyctl, [0, -4, 0, 0, 0]),
        "bpf" => call(libc::SYS_bpf, [0; 5]),
        "x32" => call(0x4000_0000 + libc::SYS_getpid, [0; 5]),
        "type" => call(libc::SYS_ioctl, [0, libc::TIOCSTI as c_long, c"x".as_ptr() as c_long, 0, 0]),
        "set-id" => call(libc::SYS_setuid, [1, 0, 0, 0, 0]),
        _ => Err(io::ErrorKind::Unsupported.into()),
    }
}

fn connect(target: &str) -> io::Result<()> {
    let address: SocketAddr = target.parse().map_err(io::Error::other)?;
    TcpStream::connect(address).map(drop)
}

fn socket(family: c_int, kind: c_int, protocol: c_int) -> io::Result<()> {
    call(libc::SYS_socket, [family.into(), kind.into(), protocol.into(), 0, 0])
}

fn call(number: c_long, a: [c_long; 5]) -> io::Result<()> {
    // SAFETY: the pointers among the arguments are to constants, and nothing is written through them.
    if unsafe { libc::syscall(number, a[0], a[1], a[2], a[3], a[4]) } < 0 {
        return Err(io::Error::last_os_error());
    }
    Ok(())
}

fn unmount(target: &str) -> io::Result<()> {
    let path = CString::new(target)?;
    call(libc::SYS_umount2, [path.as_ptr() as c_long, libc::MNT_DETACH.into(), 0, 0, 0])
}

/// A child in a namespace of its own would be there to mount what it likes.
fn clone_namespace() -> io::Result<()> {
    let flags = c_long::from(libc::CLONE_NEWUSER | libc::SIGCHLD);
    // SAFETY: a plain fork; the child ends at once.
    let pid = unsafe { libc::syscall(libc::SYS_clone, flags, 0, 0, 0, 0) };
    match pid {
        0 => {
            // SAFETY: nothing is used afterwards.
            unsafe { libc::_exit(0) }
        }
        pid if pid < 0 => Err(io::Error::last_os_error()),
        _ => Ok(()),
    }
}

fn io_uring() -> io::Result<()> {
    let mut parameters = [0_u8; 256];
    call(libc::SYS_io_uring_setup, [1, parameters.as_mut_ptr() as c_long, 0, 0, 0])
}

fn fast_open() -> io::Result<()> {
    let socket =
        rustix::net::socket(rustix::net::AddressFamily::INET, rustix::net::SocketType::STREAM, None)?;
    use std::os::fd::AsRawFd;
    let flag = libc::MSG_FASTOPEN;
    // SAFETY: an empty message to no address.
    let sent = unsafe { libc::sendto(socket.as_raw_fd(), null(), 0, flag, null(), 0) };
    // Without the filter it is the missing address that is complained of.
    let error = io::Error::last_os_error();
    if sent < 0 && error.raw_os_error() == Some(libc::EPERM) { Err(error) } else { Ok(()) }
}
