//! Proof that a call was allowed. Only this crate makes it, so that a tool cannot run what nobody decided.

/// One decision that let one call through: from a rule or mode ([`crate::decide()`]), or from a person
/// ([`crate::Question::answered`]).
#[derive(Debug)]
pub struct Permit {
    because: String,
    sees_secrets: bool,
}

impl Permit {
    /// `sees_secrets`: the decision covers that secrets are read, which for plain reading it mostly does not.
    pub(crate) fn new(because: String, sees_secrets: bool) -> Self {
        Self { because, sees_secrets }
    }

    /// What let the call through, for a log and for a person.
    pub fn because(&self) -> &str {
        &self.because
    }
}

/// A prepared call together with the decision that allowed it. A tool's `run` takes nothing else.
#[derive(Debug)]
pub struct Granted<T> {
    call: T,
    sees_secrets: bool,
}

impl<T> Granted<T> {
    /// The call, for the tool that now runs it.
    pub fn into_inner(self) -> T {
        self.call
    }

    /// Whether the decision covers that the call reads secrets.
    pub fn sees_secrets(&self) -> bool {
        self.sees_secrets
    }
}

/// Joins a prepared call and its permit; the permit is used up.
pub fn admit<T>(prepared: T, permit: Permit) -> Granted<T> {
    Granted { call: prepared, sees_secrets: permit.sees_secrets }
}
