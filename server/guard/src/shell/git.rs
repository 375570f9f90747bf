//! git, command by command: what only reads, what reaches a remote, what loses work.

use swarm_wire::permission::Level;

use super::Place;
use super::command::Meaning;
use super::hosts;
use super::options::{Operands, Options, Spec};
use super::word::Word;

const LOG: &str = "oneline graph all decorate stat shortstat numstat name-only name-status patch no-patch no-merges merges \
                   reverse follow first-parent abbrev-commit no-color color summary raw date-order topo-order branches tags \
                   remotes cached staged word-diff check quiet cc minimal patience histogram relative no-renames \
                   ignore-all-space ignore-space-change no-ext-diff no-textconv full-history ancestry-path left-right \
                   cherry-pick no-prefix binary full-index no-abbrev-commit no-decorate show-pulls boundary \
                   max-count= skip= since= until= after= before= author= committer= grep= date= diff-filter= unified= \
                   abbrev= color= decorate= stat= inter-hunk-context= find-renames= diff-algorithm=";

const fn reads(names: &'static str, flags: &'static str, valued: &'static str, long: &'static str) -> Spec {
    let options = Options::Listed { flags, valued, long };
    Spec { names, options, operands: Operands::Files }
}

const fn lists(names: &'static str, flags: &'static str, long: &'static str) -> Spec {
    let options = Options::Listed { flags, valued: "", long };
    Spec { names, options, operands: Operands::None }
}

/// Commands that only read whatever their operands are, and those that only do so without any.
const READS: [Spec; 20] = [
    reads("log whatchanged", "pusmcn0123456789bwiEFL", "nLSG", LOG),
    reads("show", "pusmcqw0123456789", "nSG", LOG),
    reads("diff", "pusmcqwbaRz0123456789", "SGU", LOG),
    reads(
        "diff-tree diff-index diff-files",
        "prstcmz",
        "",
        "name-only name-status stat cached root no-commit-id",
    ),
    reads(
        "status",
        "sbuzv",
        "",
        "short branch porcelain long show-stash ignored untracked-files= porcelain= ignored=",
    ),
    reads("blame annotate", "lswpecfnt", "L", "porcelain line-porcelain show-email show-name root date="),
    reads("shortlog", "nsec", "", "numbered summary email all no-merges since= until= author="),
    reads("describe", "", "", "tags all long always dirty exact-match abbrev= match= first-parent"),
    reads(
        "rev-parse",
        "q",
        "",
        "verify short abbrev-ref show-toplevel show-prefix show-cdup git-dir is-inside-work-tree symbolic-full-name \
         is-bare-repository quiet git-common-dir short= all branches tags remotes",
    ),
    reads(
        "rev-list",
        "n",
        "n",
        "all count max-count= since= until= no-merges first-parent reverse author= objects",
    ),
    reads(
        "ls-files",
        "cdmosuzvt",
        "x",
        "cached deleted modified others stage exclude-standard full-name error-unmatch",
    ),
    reads("ls-tree", "rtdlz", "", "name-only long full-tree full-name"),
    reads("cat-file", "tspe", "", "batch-check"),
    reads("merge-base", "a", "", "all is-ancestor octopus fork-point independent"),
    reads(
        "name-rev show-ref for-each-ref",
        "d",
        "",
        "tags heads name-only format= sort= count= points-at= contains=",
    ),
    reads("check-ignore", "vqnz", "", "verbose quiet non-matching"),
    reads("count-objects", "vH", "", "verbose human-readable"),
    lists("branch", "avr", "all list remotes show-current verbose no-color"),
    lists("tag", "ln", "list"),
    lists("version", "", "build-options"),
];

/// Where a repository keeps addresses and headers, tokens in them included.
const CONFIGURATION: &str = ".git/config";

const LEAVES: &str =
    "push fetch pull clone ls-remote submodule send-email request-pull fetch-pack send-pack svn p4 lfs";

/// Words that make a command lose what is not committed, or published history.
const DESTROYS: [(&str, &str); 12] = [
    ("reset", "--hard --merge --keep"),
    ("checkout", "-- . -f --force"),
    ("switch", "-f --force --discard-changes"),
    ("branch", "-D -d --delete"),
    ("tag", "-d --delete"),
    ("stash", "drop clear"),
    ("push", "-f --force --force-with-lease --delete -d --mirror --prune"),
    ("reflog", "expire delete"),
    ("worktree", "remove prune"),
    ("update-ref", "-d --delete"),
    ("remote", "remove rm"),
    ("gc", "--prune=now"),
];
const ALWAYS_DESTROYS: &str = "clean rm filter-branch filter-repo restore prune";

pub(super) fn meaning(name: &str, arguments: &[Word], moved: bool) -> Option<Meaning> {
    if name != "git" {
        return None;
    }
    let global = |word: &&Word| matches!(word.known(), Some("--no-pager" | "-P" | "--no-optional-locks"));
    let skipped = arguments.iter().take_while(global).count();
    let plain = arguments.get(skipped..).unwrap_or_default();
    let behind = command_at(plain);
    let rest = behind.and_then(|at| plain.get(at..)).unwrap_or(plain);
    let Some((command, operands)) = rest.split_first() else { return Some(Meaning::runs("git")) };
    let Some(command) = command.known() else { return Some(Meaning::runs("git")) };
    let mut meaning = of_command(command, operands);
    let elsewhere = moved || behind != Some(0);
    if elsewhere && command != "--version" && meaning.level < Level::RunsCode {
        // Another directory's repository brings its own configuration, which can name programs to run.
        meaning.level = Level::RunsCode;
        meaning.why = "git may run what another repository or a configuration names".to_owned();
    }
    Some(meaning)
}

/// Where the command stands behind git's own options and their values.
fn command_at(words: &[Word]) -> Option<usize> {
    const VALUED: [&str; 6] = ["-C", "-c", "--git-dir", "--work-tree", "--namespace", "--config-env"];
    let mut at = 0;
    loop {
        match words.get(at)?.known() {
            Some(option) if VALUED.contains(&option) => at += 2,
            Some("--version") => return Some(at),
            Some(option) if option.starts_with('-') => at += 1,
            _ => return Some(at),
        }
    }
}

fn of_command(command: &str, operands: &[Word]) -> Meaning {
    let listed = |list: &str, word: &str| list.split_whitespace().any(|entry| entry == word);
    let loses = |word: &Word| {
        let Some(text) = word.known() else { return false };
        let forced = command == "push"
            && (text.starts_with('+') || text.starts_with(':') || text.starts_with("--force"));
        forced || DESTROYS.iter().any(|(name, words)| *name == command && listed(words, text))
    };
    if operands.iter().any(loses) || (listed(ALWAYS_DESTROYS, command) && !keeps(command, operands)) {
        return Meaning::new(Level::Destroys, format!("`git {command}` can lose work"));
    }
    let remote = command == "remote"
        && operands.iter().any(|word| matches!(word.known(), Some("update" | "show" | "prune")));
    if listed(LEAVES, command) || remote || (command == "archive" && operands.iter().any(names_remote)) {
        let mut meaning = Meaning::new(Level::LeavesMachine, format!("`git {command}` reaches a remote"));
        meaning.hosts = operands.iter().filter_map(|word| hosts::of_remote(word.known()?)).collect();
        return meaning;
    }
    if reads_only(command, operands) {
        let reads = READS.iter().find(|spec| listed(spec.names, command));
        let reads = reads.and_then(|spec| Some(spec.reads(spec.parse(operands)?))).unwrap_or_default();
        let mut reads: Vec<Place> = reads.into_iter().flat_map(in_revision).collect();
        if command == "config" && shows_keys(operands) {
            reads.push(Place::Known(CONFIGURATION.to_owned()));
        }
        return Meaning::read_only().reading(reads);
    }
    let output = operands.iter().filter_map(Word::known).find_map(|word| word.strip_prefix("--output="));
    match output {
        Some(path) if !operands.iter().any(Word::may_be_unknown_option) => {
            Meaning::new(Level::ChangesFiles, format!("`git {command}` writes a file"))
                .writing(vec![Place::Known(path.to_owned())])
        }
        _ => Meaning::new(Level::RunsCode, format!("it runs `git {command}`, hooks and filters included")),
    }
}

/// Whether a command of those that destroy only says what it would do, or leaves the files alone.
fn keeps(command: &str, operands: &[Word]) -> bool {
    let Some(words) = operands.iter().map(Word::known).collect::<Option<Vec<&str>>>() else { return false };
    // What takes a value or takes an option back could make the word that is looked for mean something else.
    let misleads = |word: &&str| {
        let short = word.starts_with('-') && !word.starts_with("--");
        word.starts_with("--no-") || word.starts_with("--ex") || (short && word.contains('e'))
    };
    if words.iter().any(misleads) {
        return false;
    }
    let options = || words.iter().take_while(|word| **word != "--").filter(|word| word.starts_with('-'));
    let has = |long: &str, short: char| {
        options().any(|word| *word == long || (!word.starts_with("--") && word.contains(short)))
    };
    match command {
        "clean" | "prune" => has("--dry-run", 'n'),
        "rm" => has("--dry-run", 'n') || options().any(|word| *word == "--cached"),
        "restore" => {
            has("--staged", 'S') && !has("--worktree", 'W') && !options().any(|word| word.starts_with("--w"))
        }
        _ => false,
    }
}

/// Whether `git config` shows values that may hold a token: all of them, those of a pattern, or one such key.
fn shows_keys(operands: &[Word]) -> bool {
    const TELLING: [&str; 7] = ["url", "header", "proxy", "helper", "token", "pass", "insteadof"];
    let words: Vec<String> = operands.iter().filter_map(Word::known).map(str::to_lowercase).collect();
    let one = words.first().is_some_and(|first| first == "--get" || first == "--get-all");
    !one || words.iter().any(|word| TELLING.iter().any(|part| word.contains(part)))
}

fn names_remote(word: &Word) -> bool {
    word.known().is_none_or(|text| text.starts_with("--remote"))
}

fn reads_only(command: &str, operands: &[Word]) -> bool {
    let words: Option<Vec<&str>> = operands.iter().map(Word::known).collect();
    let signed = operands.iter().any(|word| word.source.contains("%G") || word.source.contains("no-index"));
    if signed {
        return false;
    }
    match (command, words.as_deref()) {
        ("--version", Some([])) => true,
        ("remote", Some([] | ["-v" | "--verbose"] | ["get-url", _])) => true,
        ("stash", Some(["list" | "show"])) => true,
        ("worktree", Some(["list"] | ["list", "--porcelain"])) => true,
        ("reflog", Some([] | ["show"])) => true,
        ("clean", Some(_)) => keeps(command, operands),
        ("config", Some(["--get" | "--get-all" | "--get-regexp", _] | ["--list" | "-l"])) => true,
        ("log" | "show" | "reflog", Some(words)) if words.iter().any(|word| is_format(word)) => {
            let others: Vec<Word> =
                operands.iter().filter(|word| !word.known().is_some_and(is_format)).cloned().collect();
            !others.iter().any(|word| word.known().is_some_and(is_format)) && spec_allows(command, &others)
        }
        _ => spec_allows(command, operands),
    }
}

fn is_format(word: &str) -> bool {
    word.starts_with("--format=") || word.starts_with("--pretty")
}

fn spec_allows(command: &str, operands: &[Word]) -> bool {
    let spec = READS.iter().find(|spec| spec.names.split_whitespace().any(|name| name == command));
    spec.is_some_and(|spec| spec.parse(operands).is_some())
}

/// `commit:path` names a file, too; a revision such as `main..topic` is no path outside.
fn in_revision(place: Place) -> Vec<Place> {
    match place {
        Place::Known(text) => match text.split_once(':') {
            Some((_, path)) => vec![Place::Known(path.to_owned())],
            None => vec![Place::Known(text)],
        },
        other => vec![other],
    }
}
