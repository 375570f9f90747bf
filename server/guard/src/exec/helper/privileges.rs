//! Gives up what a command must not have: every capability, and every way to a new one.

use std::io;

use rustix::thread::{CapabilitySet, CapabilitySets};

/// The highest capability that a kernel can know of: the sets are 64 bits wide.
const CAPABILITIES: u32 = 64;

/// Drops all capabilities for good. User 0 is no exception: the bounding set is emptied before the program is started.
pub(super) fn drop_all() -> io::Result<()> {
    empty_bounding_set()?;
    drop_held()
}

/// Drops them where the process may not be allowed to empty the bounding set, since it has none in the first place.
pub(super) fn drop_what_can_be() -> io::Result<()> {
    match empty_bounding_set() {
        Err(error) if error.kind() == io::ErrorKind::PermissionDenied => {}
        done => done?,
    }
    drop_held()
}

fn empty_bounding_set() -> io::Result<()> {
    for capability in 0..CAPABILITIES {
        // SAFETY: this call reads plain numbers.
        if unsafe { libc::prctl(libc::PR_CAPBSET_DROP, capability, 0, 0, 0) } != 0 {
            let error = io::Error::last_os_error();
            // The first number that the kernel does not know.
            if error.raw_os_error() == Some(libc::EINVAL) && capability > 0 {
                break;
            }
            return Err(error);
        }
    }
    Ok(())
}

fn drop_held() -> io::Result<()> {
    rustix::thread::clear_ambient_capability_set()?;
    let none = CapabilitySet::empty();
    let sets = CapabilitySets { effective: none, permitted: none, inheritable: none };
    rustix::thread::set_capabilities(None, sets)?;
    rustix::thread::set_no_new_privs(true)?;
    Ok(())
}
