//! A git worktree that a member is held to, by the text of paths alone.

use std::path::{Path, PathBuf};

/// A git worktree of a member's own. It stands in for the user's checkout, which the member does not reach.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Worktree {
    /// Its top folder; absolute, with symbolic links resolved.
    pub path: PathBuf,
    /// The branch that it was made with, such as `swarm/shop/ada`.
    pub branch: String,
    /// The top folder of the user's checkout; absolute, with symbolic links resolved.
    pub checkout: PathBuf,
}

impl Worktree {
    pub(super) fn holds(&self, path: &Path) -> bool {
        path.starts_with(&self.path)
    }

    /// Why a path in the user's checkout is refused, with the one to take instead; `None` for any other path.
    pub fn instead(&self, path: &Path) -> Option<String> {
        let inside = path.strip_prefix(&self.checkout).ok().filter(|_| !self.holds(path))?;
        let (named, own) = (path.display(), self.path.join(inside));
        Some(match inside.starts_with(".git") {
            true => format!("`{named}` is in the user's repository, which git alone changes for this member"),
            false => format!(
                "`{named}` is in the user's checkout, and this member works in a worktree of its own; take `{}`",
                own.display()
            ),
        })
    }
}

#[cfg(test)]
mod tests {
    use swarm_wire::permission::Mode;

    use super::*;
    use crate::decide::{Bounds, Verdict, decide};
    use crate::effect::Effect;
    use crate::rules::Rules;

    fn bounds(checkout: &str) -> Bounds {
        let worktree = Worktree {
            path: "/state/teams/shop/worktrees/ada".into(),
            branch: "swarm/shop/ada".into(),
            checkout: checkout.into(),
        };
        let mut bounds = Bounds::new(Mode::BypassPermissions, Rules::default(), worktree.path.clone());
        bounds.off_limits = vec!["/state".into()];
        bounds.worktree = Some(worktree);
        bounds
    }

    /// Why the call is denied, if it is.
    fn denied(tool: &str, key: &str, bounds: &Bounds) -> Option<String> {
        let effect = match tool {
            "Read" => Effect::Reads { paths: vec![key.into()] },
            "Bash" => Effect::Runs { command: key.into() },
            _ => Effect::Writes { paths: vec![key.into()] },
        };
        match decide(tool, &[key.to_owned()], &effect, bounds) {
            Verdict::Deny { why, .. } => Some(why),
            Verdict::Allow(_) | Verdict::Ask(_) => None,
        }
    }

    #[test]
    fn a_path_in_the_checkout_is_refused_with_the_one_to_take() {
        let bounds = bounds("/home/ada/shop");
        for (tool, key) in [
            ("Edit", "/home/ada/shop/src/a.rs"),
            ("Read", "/home/ada/shop/src/a.rs"),
            ("Bash", "echo x > /home/ada/shop/src/a.rs"),
            ("Bash", "cat /home/ada/shop/src/a.rs"),
        ] {
            let why = denied(tool, key, &bounds).unwrap();
            assert!(why.ends_with("take `/state/teams/shop/worktrees/ada/src/a.rs`"), "{tool} {key}: {why}");
        }
        let why = denied("Edit", "/home/ada/shop/.git/config", &bounds).unwrap();
        assert!(why.contains("git alone changes"), "{why}");
        assert_eq!(denied("Edit", "/home/ada/shop2/a.rs", &bounds), None);
    }

    #[test]
    fn of_the_teams_state_it_reaches_its_worktree_alone() {
        // Also where the checkout holds the state.
        for checkout in ["/home/ada/shop", "/"] {
            let bounds = bounds(checkout);
            for tool in ["Read", "Edit"] {
                assert_eq!(denied(tool, "/state/teams/shop/worktrees/ada/a.rs", &bounds), None);
                assert!(denied(tool, "/state/teams/shop/worktrees/bob/a.rs", &bounds).is_some());
                assert!(denied(tool, "/state/teams/shop.json", &bounds).is_some());
            }
        }
    }
}
