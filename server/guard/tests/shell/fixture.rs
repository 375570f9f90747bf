//! The commands that the tests know, with the level of each.

use swarm_wire::permission::Level;

/// The commands of `levels.txt` with the level that each must have.
pub(crate) fn commands() -> Vec<(Level, String)> {
    let lines = include_str!("levels.txt").lines();
    lines
        .filter(|line| !line.is_empty() && !line.starts_with("# ") && !line.starts_with('['))
        .map(entry)
        .collect()
}

fn entry(line: &str) -> (Level, String) {
    let (level, command) = line.split_once(' ').expect("a level and a command");
    let level = match level {
        "read-only" => Level::ReadOnly,
        "changes-files" => Level::ChangesFiles,
        "runs-code" => Level::RunsCode,
        "leaves-machine" => Level::LeavesMachine,
        "destroys" => Level::Destroys,
        other => panic!("`{other}` is no level"),
    };
    (level, unescaped(command))
}

fn unescaped(text: &str) -> String {
    let text = text.replace('⏎', "\n").replace('⇥', "\t");
    let mut pieces = text.split("⟨U+");
    let mut command = pieces.next().unwrap().to_owned();
    for piece in pieces {
        let (code, rest) = piece.split_once('⟩').expect("a character is closed");
        command.push(char::from_u32(u32::from_str_radix(code, 16).unwrap()).unwrap());
        command.push_str(rest);
    }
    command
}
