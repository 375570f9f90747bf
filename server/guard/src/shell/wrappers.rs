//! Commands that start other commands: what they start is looked at by itself.

use swarm_wire::permission::Level;

use super::Place;
use super::command::{Inner, Meaning, assigned_name, harmless_name, place};
use super::word::Word;

pub(super) fn meaning(name: &str, arguments: &[Word]) -> Option<Meaning> {
    let meaning = match name {
        "env" => env(arguments),
        "nohup" | "builtin" | "setsid" => started(name, arguments, "", ""),
        "time" => started(name, arguments, "p", ""),
        "nice" => started(name, arguments, "", "n"),
        "ionice" => started(name, arguments, "t", "cn"),
        "stdbuf" => started(name, arguments, "", "ioe"),
        "exec" => started(name, arguments, "cl", "a"),
        "command" => command(arguments),
        "timeout" => timeout(arguments),
        "sudo" | "doas" => other_user(name, arguments),
        "xargs" | "parallel" => from_input(name, arguments),
        "eval" => eval(arguments),
        "trap" => trap(arguments),
        "bash" | "sh" | "dash" | "zsh" | "ksh" | "ash" => shell(name, arguments),
        "cd" => cd(arguments),
        _ => return None,
    };
    Some(meaning)
}

/// A wrapper that does nothing itself, with these options before the command.
fn started(name: &str, arguments: &[Word], flags: &str, valued: &str) -> Meaning {
    match behind_options(arguments, flags, valued) {
        Some(command) => starts(name, command),
        None => unclear(name, arguments),
    }
}

fn starts(name: &str, command: &[Word]) -> Meaning {
    let mut meaning = Meaning::new(Level::ReadOnly, format!("`{name}` starts a command"));
    if !command.is_empty() {
        meaning.inner.push(Inner::Words(command.to_vec()));
    }
    meaning
}

/// Options that are not known: the command cannot be told from their values, so each word may be one.
fn unclear(name: &str, arguments: &[Word]) -> Meaning {
    let mut meaning = Meaning::new(Level::RunsCode, format!("`{name}` starts a command"));
    meaning.unclear = Some(format!("which command `{name}` starts is not clear"));
    meaning.inner = commands_within(arguments);
    meaning
}

/// Every tail that begins with a plain word, the first few: one of them is what runs.
fn commands_within(arguments: &[Word]) -> Vec<Inner> {
    let plain =
        |at: &usize| arguments.get(*at).and_then(Word::plain).is_some_and(|word| !word.starts_with('-'));
    let tails = (0..arguments.len()).filter(plain).take(4);
    tails.filter_map(|at| arguments.get(at..)).map(|tail| Inner::Words(tail.to_vec())).collect()
}

/// The words behind known options. `None` for an option that is not known.
fn behind_options<'w>(arguments: &'w [Word], flags: &str, valued: &str) -> Option<&'w [Word]> {
    let mut rest = arguments;
    while let Some((word, behind)) = rest.split_first() {
        if !word.may_be_option() {
            return Some(rest);
        }
        let option = word.known()?;
        if option == "--" {
            return Some(behind);
        }
        let letters = option.strip_prefix('-').filter(|letters| !letters.starts_with('-'))?;
        let number = !valued.is_empty() && letters.bytes().all(|b| b.is_ascii_digit());
        rest = behind;
        for (at, letter) in letters.char_indices() {
            if valued.contains(letter) {
                if letters.len() == at + letter.len_utf8() {
                    let (value, behind) = rest.split_first()?;
                    value.known()?;
                    rest = behind;
                }
                break;
            }
            if !flags.contains(letter) && !number {
                return None;
            }
        }
    }
    Some(rest)
}

fn env(arguments: &[Word]) -> Meaning {
    let Some(rest) = behind_options(arguments, "i0", "u") else { return unclear("env", arguments) };
    let assigned = rest.iter().take_while(|word| word.source.contains('=')).count();
    let (assignments, command) = rest.split_at(assigned);
    let mut meaning = starts("env", command);
    if !assignments.iter().all(|word| assigned_name(word).is_some_and(harmless_name)) {
        meaning.level = Level::RunsCode;
        meaning.why = "it sets a variable that other programs may look at".to_owned();
    }
    meaning
}

fn command(arguments: &[Word]) -> Meaning {
    let asks = arguments.first().and_then(Word::known).is_some_and(|option| matches!(option, "-v" | "-V"));
    if asks { Meaning::read_only() } else { started("command", arguments, "p", "") }
}

fn timeout(arguments: &[Word]) -> Meaning {
    match behind_options(arguments, "v", "ks").and_then(<[Word]>::split_first) {
        Some((duration, command)) if duration.known().is_some() => starts("timeout", command),
        _ => unclear("timeout", arguments),
    }
}

fn other_user(name: &str, arguments: &[Word]) -> Meaning {
    let mut meaning = match behind_options(arguments, "nEHSkbi", "ugpCrtTD") {
        Some(command) => starts(name, command),
        None => unclear(name, arguments),
    };
    meaning.level = Level::RunsCode;
    meaning.why = format!("`{name}` runs a command as another user");
    meaning
}

fn from_input(name: &str, arguments: &[Word]) -> Meaning {
    let known = if name == "xargs" { behind_options(arguments, "0rtx", "nIPLsdE") } else { None };
    let Some(command) = known else {
        let mut meaning = unclear(name, arguments);
        for inner in &mut meaning.inner {
            if let Inner::Words(words) = inner {
                words.push(Word::from_input());
            }
        }
        return meaning;
    };
    let options = arguments.get(..arguments.len() - command.len()).unwrap_or_default();
    let mut words = match command {
        [] => vec![Word::literal("echo")],
        _ => command.to_vec(),
    };
    if let Some(mark) = replaced(options) {
        // What is read takes the place of the mark wherever it stands, in the middle of a script too.
        for word in &mut words {
            if word.known().is_none_or(|text| text.contains(mark)) {
                *word = Word::from_input();
            }
        }
    }
    words.push(Word::from_input());
    starts(name, &words)
}

/// The mark that `xargs -I` replaces; its options are known to be well formed.
fn replaced(options: &[Word]) -> Option<&str> {
    let mut mark = None;
    let mut rest = options.iter();
    while let Some(word) = rest.next() {
        let letters = word.known()?.strip_prefix('-')?;
        let Some(at) = letters.find(|letter| "nIPLsdE".contains(letter)) else { continue };
        let value = letters.get(at + 1..).filter(|value| !value.is_empty());
        let value = value.or_else(|| rest.next().and_then(Word::known));
        if letters.get(at..)?.starts_with('I') {
            mark = value;
        }
    }
    mark
}

/// The values of all words, joined by blanks, when all are known.
fn joined(words: &[Word]) -> Option<String> {
    words.iter().map(Word::known).collect::<Option<Vec<_>>>().map(|values| values.join(" "))
}

fn eval(arguments: &[Word]) -> Meaning {
    match joined(arguments) {
        Some(script) => scripted("eval", script),
        None => unclear("eval", &[]),
    }
}

fn scripted(name: &str, script: String) -> Meaning {
    let mut meaning = Meaning::new(Level::ReadOnly, format!("`{name}` runs a script"));
    meaning.inner.push(Inner::Script(script));
    meaning
}

fn trap(arguments: &[Word]) -> Meaning {
    match arguments {
        [script, ..] if !script.may_be_option() && script.known().is_some() => {
            scripted("trap", script.known().unwrap_or_default().to_owned())
        }
        _ => unclear("trap", &[]),
    }
}

/// A shell with a script in its words. Anything else that it runs is not looked into.
fn shell(name: &str, arguments: &[Word]) -> Meaning {
    // The others read some words otherwise than bash does.
    let mut plain = matches!(name, "bash" | "sh" | "dash" | "ash");
    let mut rest = arguments;
    while let Some((word, behind)) = rest.split_first() {
        let Some(option) = word.known().filter(|option| option.starts_with('-')) else { break };
        rest = behind;
        if matches!(option, "--norc" | "--noprofile") {
            continue;
        }
        let letters = option.strip_prefix('-').unwrap_or_default();
        plain &= !letters.is_empty() && letters.chars().all(|letter| "ceux".contains(letter));
        if !option.starts_with("--") && letters.contains('c') {
            return with_script(name, rest, plain);
        }
    }
    if matches!(arguments, [only] if only.known() == Some("--version")) {
        return Meaning::read_only();
    }
    Meaning::runs(name)
}

fn with_script(name: &str, rest: &[Word], plain: bool) -> Meaning {
    let Some(script) = rest.first().and_then(Word::known) else { return unclear(name, &[]) };
    let mut meaning = scripted(name, script.to_owned());
    // What follows the script are its `$0`, `$1` …: unknown to the script's reading, as any variable.
    if !plain {
        meaning.level = Level::RunsCode;
        meaning.why = format!("`{name}` may read the script otherwise than bash does");
    }
    meaning
}

fn cd(arguments: &[Word]) -> Meaning {
    let mut meaning = Meaning::new(Level::ReadOnly, "it changes the directory");
    let operands: Vec<&Word> =
        arguments.iter().filter(|word| !matches!(word.known(), Some("--" | "-P" | "-L"))).collect();
    meaning.moves = match operands.as_slice() {
        [] => vec![Place::Known("~".to_owned())],
        [only] if !only.may_be_option() && only.known() != Some("-") => vec![place(only)],
        _ => vec![Place::Unknown],
    };
    meaning
}
