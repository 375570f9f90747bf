//! The harness for tests that drive the built binary.
