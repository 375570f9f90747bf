//! Commands whose arguments are a language of their own: find, sed, awk, test, read, set and declarations.

use swarm_wire::permission::Level;

use super::Place;
use super::command::{Inner, Meaning, assigned_name, harmless_name, place, places};
use super::word::Word;

mod sed;

pub(super) fn meaning(name: &str, arguments: &[Word]) -> Option<Meaning> {
    let meaning = match name {
        "find" => find(arguments),
        "sed" => sed::meaning(arguments),
        "awk" | "gawk" | "mawk" => awk(name, arguments),
        "test" | "[" => test(arguments),
        "read" => only_if(arguments_of_read(arguments), name),
        "set" => only_if(settings(arguments), name),
        "export" | "readonly" | "local" | "declare" | "typeset" => only_if(declares(arguments), name),
        "date" => only_if(dates(arguments), name),
        _ => return None,
    };
    Some(meaning)
}

fn only_if(harmless: bool, name: &str) -> Meaning {
    if harmless { Meaning::read_only() } else { Meaning::runs(name) }
}

/// What stands between a search's predicates.
const FIND_ALONE: &str = "-print -print0 -prune -o -a -or -and -not -depth -empty -xdev -mount -follow -ls -quit -true -false \
                          -readable -writable -executable -nouser -nogroup -daystart -noleaf -H -L -P ( ) ! ,";
const FIND_VALUED: &str = "-name -iname -path -ipath -wholename -iwholename -regex -iregex -type -xtype -maxdepth -mindepth \
                           -size -mtime -mmin -atime -amin -ctime -cmin -newer -anewer -cnewer -newermt -perm -user -group \
                           -uid -gid -links -inum -samefile -lname -ilname -printf -regextype -fstype -used";

fn find(arguments: &[Word]) -> Meaning {
    let mut meaning = Meaning::read_only();
    let listed = |list: &str, word: &str| list.split_whitespace().any(|entry| entry == word);
    let mut rest = arguments.iter();
    while let Some(word) = rest.next() {
        let Some(text) = word.known() else {
            if word.may_be_option() {
                raise(&mut meaning, Level::RunsCode, "a word of `find` may be any of its actions");
            }
            meaning.reads.push(place(word));
            continue;
        };
        match text {
            "-delete" => raise(&mut meaning, Level::Destroys, "`find -delete` removes files"),
            "-exec" | "-execdir" | "-ok" | "-okdir" => {
                let command = rest.by_ref().take_while(|word| !matches!(word.known(), Some(";" | "+")));
                let found = |word: &Word| match word.known() {
                    Some("{}") => Word::found_path(),
                    Some(text) if text.contains("{}") => Word { value: None, ..word.clone() },
                    _ => word.clone(),
                };
                meaning.inner.push(Inner::Words(command.map(found).collect()));
            }
            "-fprint" | "-fprint0" | "-fprintf" | "-fls" => {
                raise(&mut meaning, Level::ChangesFiles, "`find` writes a file");
                meaning.writes.push(rest.next().map_or(Place::Unknown, place));
            }
            text if listed(FIND_ALONE, text) => {}
            text if listed(FIND_VALUED, text) => {
                if rest.next().is_some_and(|value| value.known().is_none() && value.may_be_option()) {
                    raise(&mut meaning, Level::RunsCode, "a word of `find` may be any of its actions");
                }
            }
            text if text.starts_with('-') => {
                raise(&mut meaning, Level::RunsCode, "it gives `find` an action that is not known");
            }
            path => meaning.reads.push(Place::Known(path.to_owned())),
        }
    }
    meaning
}

fn raise(meaning: &mut Meaning, level: Level, why: &str) {
    if level > meaning.level {
        meaning.level = level;
        meaning.why = why.to_owned();
    }
}

/// Programs without output to files, pipes, other programs and other inputs.
fn awk(name: &str, arguments: &[Word]) -> Meaning {
    const REACHES: [&str; 8] = [">", "|", "@", "system", "getline", "ARGV", "ARGC", "/inet"];
    let mut rest = arguments.iter();
    let mut program = None;
    let mut files = Vec::new();
    while let Some(word) = rest.next() {
        match word.known() {
            Some("-F" | "-v") if program.is_none() => drop(rest.next()),
            Some("--") if program.is_none() => {}
            Some(option) if program.is_none() && option.starts_with("-F") => {}
            Some(option) if program.is_none() && option.starts_with('-') => return Meaning::runs(name),
            Some(text) if program.is_none() => program = Some(text),
            None if program.is_none() => return Meaning::runs(name),
            _ => files.push(word),
        }
    }
    let values_split = arguments.iter().any(|word| word.splits && !files.contains(&word));
    match program {
        Some(program) if !values_split && !REACHES.iter().any(|reach| program.contains(reach)) => {
            Meaning::read_only().reading(places(files))
        }
        _ => Meaning::runs(name),
    }
}

/// `test -v` and a test of numbers look at subscripts, which can run commands.
fn test(arguments: &[Word]) -> Meaning {
    const HARMLESS: &str = "-a -d -e -f -h -L -n -r -s -S -w -x -z -p -b -c -o ! = == != ( ) ]";
    let harmless = |word: &Word| match word.known() {
        Some(text) if text.starts_with('-') => HARMLESS.split_whitespace().any(|entry| entry == text),
        Some(_) => true,
        // An operand that turns out to be an operator is still one of a test without `-v`, unless it splits.
        None => !word.splits,
    };
    let may_look = arguments.len() > 1 && arguments.first().is_some_and(|word| word.known().is_none());
    only_if(arguments.iter().all(harmless) && !may_look, "test")
}

fn arguments_of_read(arguments: &[Word]) -> bool {
    let mut rest = arguments.iter().map(Word::known);
    while let Some(word) = rest.next() {
        match word {
            Some("-r" | "-s" | "-rs" | "-sr") => {}
            Some("-p" | "-d" | "-n" | "-N" | "-t" | "-u") => drop(rest.next()),
            Some("-d ''") => {}
            Some(name) if harmless_name(name) => {}
            _ => return false,
        }
    }
    !arguments.iter().any(|word| word.splits)
}

fn settings(arguments: &[Word]) -> bool {
    !arguments.is_empty()
        && arguments.iter().all(|word| match word.known() {
            Some("pipefail") => true,
            Some(option) => {
                let letters = option.strip_prefix(['-', '+']).unwrap_or_default();
                !letters.is_empty() && letters.chars().all(|letter| "euxo".contains(letter))
            }
            None => false,
        })
}

fn declares(arguments: &[Word]) -> bool {
    !arguments.is_empty()
        && arguments.iter().all(|word| {
            let name = assigned_name(word).or(word.plain()).unwrap_or_default();
            harmless_name(name)
        })
}

fn dates(arguments: &[Word]) -> bool {
    let mut rest = arguments.iter().map(|word| (word.known(), word.splits));
    while let Some((word, _)) = rest.next() {
        match word {
            Some("-u" | "-R" | "-I" | "--utc" | "--iso-8601" | "--rfc-email" | "--universal") => {}
            Some("-d" | "--date") => {
                if rest.next().is_none_or(|(_, splits)| splits) {
                    return false;
                }
            }
            Some(word)
                if word.starts_with('+')
                    || word.starts_with("--date=")
                    || word.starts_with("--iso-8601=")
                    || word.starts_with("-I")
                    || word.starts_with("--rfc-3339=") => {}
            _ => return false,
        }
    }
    true
}
