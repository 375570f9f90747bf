//! Grep: lines of files by a regular expression.

use std::path::{Path, PathBuf};

use async_trait::async_trait;
use grep_regex::{RegexMatcher, RegexMatcherBuilder};
use grep_searcher::{BinaryDetection, Searcher, SearcherBuilder, Sink, SinkContext, SinkMatch};
use schemars::JsonSchema;
use serde::Deserialize;
use swarm_guard::{Effect, Granted, Sight};
use tokio_util::sync::CancellationToken;

use super::ToolContext;
use super::tool::{Preview, Tool, ToolError};
use super::walk::{Names, walk};

/// How many bytes of hits are shown, to the end of a line.
const SHOWN_MAX: usize = 40_000;
/// The longest line shown whole, in bytes.
const LINE_MAX: usize = 500;
const CONTEXT_MAX: usize = 20;

pub(super) struct Grep;

#[derive(Deserialize, JsonSchema)]
pub(super) struct Input {
    /// A regular expression.
    pattern: String,
    /// The folder or file to search; the working directory without it.
    path: Option<String>,
    /// Only files of such names, as Glob takes them.
    glob: Option<String>,
    #[serde(default)]
    ignore_case: bool,
    #[serde(default)]
    output: Form,
    /// Lines around each hit, 20 at most.
    #[serde(default)]
    context: usize,
}

/// What is shown of the hits.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
enum Form {
    /// The lines, with file and number.
    #[default]
    Lines,
    /// The files that have any.
    Files,
    /// How many each file has.
    Counts,
}

pub(super) struct Plan {
    matcher: RegexMatcher,
    names: Option<Names>,
    root: PathBuf,
    form: Form,
    context: usize,
}

#[async_trait]
impl Tool for Grep {
    const NAME: &'static str = "Grep";
    const DESCRIPTION: &'static str = include_str!("grep.md");
    /// What is shown, with a last line, its file's name, and what was left out.
    const RESULT_MAX: usize = SHOWN_MAX + 6_000;
    type Input = Input;
    type Plan = Plan;

    async fn prepare(&self, input: Input, context: &ToolContext) -> Result<(Preview, Plan), ToolError> {
        let Input { pattern, path, glob, ignore_case, output, context: around } = input;
        let matcher = RegexMatcherBuilder::new()
            .case_insensitive(ignore_case)
            .line_terminator(Some(b'\n'))
            .build(&pattern)
            .map_err(|error| ToolError::tell(format!("`{pattern}` is no regular expression: {error}")))?;
        let names = glob.as_deref().map(Names::read).transpose()?;
        let path = path.as_deref().unwrap_or(".");
        let root = context.files.resolve(path).await.map_err(ToolError::tell)?;
        let preview = Preview {
            effect: Effect::Reads { paths: vec![root.clone()] },
            description: format!("Search {} for {pattern}", context.shown(&root)),
            keys: vec![root.display().to_string()],
            change: None,
        };
        Ok((preview, Plan { matcher, names, root, form: output, context: around.min(CONTEXT_MAX) }))
    }

    async fn run(&self, call: Granted<Plan>, context: &ToolContext) -> Result<String, ToolError> {
        let plan = call.into_inner();
        if !plan.root.exists() {
            return Err(ToolError::tell(format!("{} is not there.", context.shown(&plan.root))));
        }
        let (cwd, sight, turn) = (context.cwd.clone(), context.sight(), context.turn.clone());
        let searched = tokio::task::spawn_blocking(move || search(&plan, &cwd, &sight, &turn));
        searched.await.map_err(|lost| ToolError::tell(lost.to_string()))?
    }
}

/// Searches, and says what of it was left out. Blocks.
fn search(plan: &Plan, cwd: &Path, sight: &Sight, turn: &CancellationToken) -> Result<String, ToolError> {
    let walked = walk(&plan.root, plan.names.as_ref(), turn)?;
    let mut searcher = SearcherBuilder::new()
        .binary_detection(BinaryDetection::quit(0))
        .line_number(true)
        .before_context(plan.context)
        .after_context(plan.context)
        .build();
    let mut found = Found { text: String::new(), form: plan.form, hits: 0, full: false };
    let (mut hidden, mut with_hits, mut left) = (0_usize, 0_usize, 0_usize);
    for (at, path) in walked.files.iter().enumerate() {
        if turn.is_cancelled() {
            return Err(ToolError::Aborted);
        }
        // One that is named itself was decided by its name.
        if *path != plan.root && sight.hides(path) {
            hidden += 1;
            continue;
        }
        if found.full {
            left = walked.files.len() - at;
            break;
        }
        let shown = path.strip_prefix(cwd).unwrap_or(path).display().to_string();
        let mut sink = Hits { found: &mut found, shown: &shown, count: 0 };
        // A file that goes away or cannot be read has no hits.
        let _ = searcher.search_path(&plan.matcher, path, &mut sink);
        let count = sink.count;
        with_hits += usize::from(count > 0);
        match plan.form {
            Form::Files if count > 0 => found.push(&format!("{shown}\n")),
            Form::Counts if count > 0 => found.push(&format!("{shown}: {count}\n")),
            _ => {}
        }
    }
    let Found { mut text, hits, .. } = found;
    if text.is_empty() {
        text.push_str("[Nothing was found.]\n");
    } else {
        text.push_str(&format!("[{hits} lines in {with_hits} files]\n"));
    }
    if left > 0 || walked.cut {
        text.push_str(
            "[The result is long, so the search stopped; narrow it by `path`, `glob` or the pattern.]\n",
        );
    }
    if hidden > 0 {
        text.push_str(&format!(
            "[{hidden} files that may hold secrets, or that a rule keeps from you, were not searched.]\n"
        ));
    }
    Ok(text)
}

/// The hits of all files.
struct Found {
    text: String,
    form: Form,
    hits: usize,
    full: bool,
}

impl Found {
    fn push(&mut self, line: &str) {
        self.text.push_str(line);
        self.full |= self.text.len() >= SHOWN_MAX;
    }

    fn line(&mut self, shown: &str, number: Option<u64>, mark: char, bytes: &[u8]) {
        let line = String::from_utf8_lossy(bytes);
        let line = line.trim_end_matches(['\n', '\r']);
        let cut = line.floor_char_boundary(LINE_MAX);
        let more = if cut < line.len() { " […]" } else { "" };
        let number = number.unwrap_or_default();
        self.push(&format!("{shown}{mark}{number}{mark}{}{more}\n", &line[..cut]));
    }
}

/// The hits of one file, on their way to all of them.
struct Hits<'a> {
    found: &'a mut Found,
    shown: &'a str,
    count: usize,
}

impl Sink for Hits<'_> {
    type Error = std::io::Error;

    fn matched(&mut self, _: &Searcher, hit: &SinkMatch<'_>) -> Result<bool, Self::Error> {
        self.count += 1;
        self.found.hits += 1;
        if self.found.form == Form::Lines {
            self.found.line(self.shown, hit.line_number(), ':', hit.bytes());
        }
        Ok(!self.found.full)
    }

    fn context(&mut self, _: &Searcher, line: &SinkContext<'_>) -> Result<bool, Self::Error> {
        if self.found.form == Form::Lines {
            self.found.line(self.shown, line.line_number(), '-', line.bytes());
        }
        Ok(!self.found.full)
    }
}
