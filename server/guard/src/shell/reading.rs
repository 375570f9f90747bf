//! Commands that only read, each with the options that keep it so. An option that is not listed is not known.

use swarm_wire::permission::Level;

use super::Place;
use super::command::Meaning;
use super::options::{Operands, Options, Spec};
use super::word::Word;

const fn any(names: &'static str, operands: Operands) -> Spec {
    Spec { names, options: Options::Any, operands }
}

const fn listed(
    names: &'static str,
    flags: &'static str,
    valued: &'static str,
    long: &'static str,
    operands: Operands,
) -> Spec {
    Spec { names, options: Options::Listed { flags, valued, long }, operands }
}

const SPECS: [Spec; 18] = [
    any(
        "echo true false : seq basename dirname pwd whoami id groups uname arch nproc uptime tty logname printenv \
         sleep expr type which whereis times tr ps free lscpu lsblk vmstat locale getconf exit return break \
         continue shift",
        Operands::Text,
    ),
    any(
        "cat head tail wc ls stat du df nl tac rev cut paste fold expand unexpand fmt comm join cmp md5sum sha1sum \
         sha224sum sha256sum sha384sum sha512sum b2sum cksum sum od strings readlink realpath tsort column",
        Operands::Files,
    ),
    any("grep egrep fgrep", Operands::PatternThenFiles),
    // `jobs -x` runs a command, `wait -p` sets a variable.
    listed("jobs", "lnprs", "", "", Operands::Text),
    listed("wait", "nf", "", "", Operands::Text),
    listed("printf", "", "", "", Operands::TextAtOnce),
    listed("hostname", "fisdIA", "", "fqdn ip-address short", Operands::None),
    listed(
        "sort",
        "bdfgiMhnRrVcCmszu",
        "kt",
        "numeric-sort reverse unique ignore-case human-numeric-sort version-sort general-numeric-sort check \
         zero-terminated stable merge key= field-separator=",
        Operands::Files,
    ),
    listed(
        "uniq",
        "cdDiuz",
        "fsw",
        "count repeated unique ignore-case zero-terminated skip-fields= skip-chars= check-chars=",
        Operands::OneFile,
    ),
    listed(
        "diff",
        "abBcdeEHiNnpqrstTuwyZ",
        "CUWIxLF",
        "unified brief recursive side-by-side text new-file report-identical-files ignore-case ignore-all-space \
         ignore-space-change ignore-blank-lines minimal suppress-common-lines strip-trailing-cr no-dereference \
         color= exclude= label= width=",
        Operands::Files,
    ),
    listed(
        "rg",
        "ciIlLnNoPqsSuUvVwxFHpa0.",
        "ABCegmMtTdEfrj",
        "files hidden no-ignore no-ignore-vcs ignore-case smart-case case-sensitive count count-matches line-number \
         no-line-number files-with-matches files-without-match json stats multiline pcre2 only-matching heading \
         no-heading fixed-strings word-regexp line-regexp invert-match follow vimgrep with-filename no-filename trim \
         no-messages text unrestricted type-list passthru null column no-config version glob= iglob= type= \
         type-not= context= after-context= before-context= max-count= max-depth= max-columns= max-filesize= color= \
         colors= sort= sortr= replace= regexp= file= threads= encoding=",
        Operands::PatternThenFiles,
    ),
    listed(
        "fd fdfind",
        "HIugsiLpa0F",
        "tedEcjS",
        "hidden no-ignore type= extension= max-depth= min-depth= exclude= glob full-path absolute-path size= \
         changed-within= changed-before= color= fixed-strings case-sensitive ignore-case",
        Operands::PatternThenFiles,
    ),
    listed("tree", "adfiplsughDFNQrtcSvnC", "LPI", "dirsfirst noreport prune gitignore du", Operands::Files),
    listed(
        "file",
        "bihLNsk",
        "",
        "brief mime mime-type mime-encoding dereference no-dereference",
        Operands::Files,
    ),
    listed(
        "jq",
        "rcSnesaMCjR",
        "",
        "raw-output compact-output sort-keys null-input exit-status slurp tab raw-input ascii-output join-output \
         monochrome-output color-output",
        Operands::PatternThenFiles,
    ),
    listed("xxd", "bup", "cgls", "", Operands::OneFile),
    listed("hexdump", "bcCdovx", "ns", "", Operands::Files),
    listed("cal ncal", "13jmy", "", "", Operands::Text),
];

/// Programs that tell their version and do nothing else; those that a file in the workspace can redirect to
/// another program (such as toolchain proxies) are left out.
const VERSIONED: &str = "bash cc clang cmake curl docker g++ gcc git grep java javac jq ld make nginx node perl php \
                         python python3 rg ruby sed sqlite3 tar tmux wget";

/// What the command means when it is one of these with nothing but known options.
pub(super) fn meaning(name: &str, arguments: &[Word]) -> Option<Meaning> {
    if let [only] = arguments
        && only.known() == Some("--version")
        && VERSIONED.split_whitespace().any(|known| known == name)
    {
        return Some(Meaning::read_only());
    }
    let spec = SPECS.iter().find(|spec| spec.names.split_whitespace().any(|known| known == name))?;
    match spec.parse(arguments) {
        Some(parsed) if name == "printf" && sets_a_variable(&parsed.operands) => {
            Some(Meaning::new(Level::RunsCode, "`printf` sets a variable by `%n`"))
        }
        Some(parsed) => {
            let mut reads = spec.reads(parsed);
            if names_further(name, arguments) {
                reads.push(Place::Unknown);
            }
            Some(Meaning::read_only().reading(reads))
        }
        None => Some(unlisted(name, arguments)),
    }
}

/// Whether it reads files that stand in a file.
fn names_further(name: &str, arguments: &[Word]) -> bool {
    let sums = name.ends_with("sum") && name != "sum";
    arguments.iter().filter_map(Word::known).any(|option| {
        let checks = option.starts_with("--c")
            || (option.starts_with('-') && !option.starts_with("--") && option.contains('c'));
        (sums && checks) || (matches!(name, "wc" | "du" | "sort") && option.starts_with("--files0"))
    })
}

/// Whether a format has the conversion `n`, which stores how much was printed so far.
fn sets_a_variable(operands: &[&Word]) -> bool {
    let Some(format) = operands.first() else { return false };
    let Some(format) = format.known() else { return true };
    let mut rest = format;
    while let Some((_, behind)) = rest.split_once('%') {
        let of_conversion = |c: char| c.is_ascii_digit() || "-+ #.*'hlLqjzt".contains(c);
        let conversion = behind.trim_start_matches(of_conversion);
        if conversion.starts_with('n') {
            return true;
        }
        let end = conversion.chars().next().map_or(0, char::len_utf8);
        rest = conversion.get(end..).unwrap_or_default();
    }
    false
}

/// A known command with an option that is not listed: a file that it writes, or anything.
fn unlisted(name: &str, arguments: &[Word]) -> Meaning {
    let output = arguments.iter().position(|word| {
        let option = word.known().unwrap_or_default();
        let bundled = option.starts_with('-') && !option.starts_with("--") && option.contains('o');
        matches!(name, "sort" | "tree") && (bundled || option.starts_with("--output"))
    });
    let certain = arguments.iter().all(|word| !word.may_be_option() || word.known().is_some());
    let programs = |word: &Word| word.known().is_some_and(|option| option.starts_with("--c"));
    match output {
        Some(_) if certain && !arguments.iter().any(programs) => {
            Meaning::new(Level::ChangesFiles, format!("`{name}` writes a file")).writing(vec![Place::Unknown])
        }
        _ => Meaning::new(
            Level::RunsCode,
            format!("it gives `{name}` an option that is not known to only read"),
        ),
    }
}
