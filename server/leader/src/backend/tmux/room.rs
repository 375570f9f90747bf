//! Where there is room for one more pane. It knows sizes only, and must not run tmux.

/// The least that a teammate's pane is of use with, in columns and lines.
const LEAST: (u32, u32) = (28, 6);

/// One pane, as tmux has it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Pane {
    pub(super) id: String,
    pub(super) process: Option<u32>,
    pub(super) session: String,
    pub(super) window: String,
    /// In columns and lines.
    pub(super) size: (u32, u32),
    /// Of its window.
    pub(super) window_size: (u32, u32),
    /// Whether one pane has the whole window for now.
    pub(super) is_zoomed: bool,
}

/// How a list of panes is asked for, a pane a line.
pub(super) const FORMAT: &str = "#{pane_id} #{pane_pid} #{session_id} #{window_id} #{pane_width} #{pane_height} #{window_width} #{window_height} #{window_zoomed_flag}";

impl Pane {
    /// Reads a line of the list; `None` for one that is none.
    pub(super) fn read(line: &str) -> Option<Self> {
        let mut words = line.split(' ');
        let mut word = || words.next();
        let (id, process, session, window) = (word()?, word()?, word()?, word()?);
        let mut number = || word()?.parse().ok();
        let (size, window_size) = ((number()?, number()?), (number()?, number()?));
        Some(Self {
            id: id.to_owned(),
            process: process.parse().ok(),
            session: session.to_owned(),
            window: window.to_owned(),
            size,
            window_size,
            is_zoomed: word()? == "1",
        })
    }

    fn area(&self) -> u32 {
        self.size.0 * self.size.1
    }
}

/// Where a pane goes.
#[derive(Debug, PartialEq, Eq)]
pub(super) enum Room {
    /// Beside a pane, or below it, with this much of its room, in percent.
    Split { pane: String, beside: bool, percent: u32 },
    /// Into a window where all panes are of one size.
    Tiled { pane: String, window: String },
    /// Nowhere that is there.
    Window,
}

/// Room for one more beside `ours`, those of them that are to be seen. With the `leader`'s pane, the first takes
/// `share` percent of it, and later ones share what the first took.
pub(super) fn find(ours: &[&Pane], leader: Option<&Pane>, share: u32) -> Room {
    if let Some(leader) = leader {
        let near: Vec<&&Pane> = ours.iter().filter(|pane| pane.window == leader.window).collect();
        let near_room = if near.is_empty() {
            split(leader, true, share)
        } else {
            // In turn below and beside, so that what is there keeps its shape.
            let beside = near.len().is_multiple_of(2);
            let mut near = near;
            near.sort_by_key(|pane| std::cmp::Reverse(pane.area()));
            near.iter()
                .find_map(|pane| split_to(pane, beside, 50))
                .or_else(|| near.iter().find_map(|pane| split_to(pane, !beside, 50)))
        };
        if let Some(room) = near_room {
            return room;
        }
    }
    let elsewhere: Vec<&&Pane> =
        ours.iter().filter(|pane| leader.is_none_or(|leader| pane.window != leader.window)).collect();
    let tiled = elsewhere.iter().find_map(|pane| {
        let count = elsewhere.iter().filter(|other| other.window == pane.window).count() as u32;
        if !is_tiled_enough(pane.window_size, count + 1) {
            return None;
        }
        let largest =
            elsewhere.iter().filter(|other| other.window == pane.window).max_by_key(|pane| pane.area());
        Some(Room::Tiled { pane: largest?.id.clone(), window: pane.window.clone() })
    });
    tiled.unwrap_or(Room::Window)
}

/// Beside or below, whichever leaves both of use; beside where both do.
fn split(pane: &Pane, beside: bool, percent: u32) -> Option<Room> {
    split_to(pane, beside, percent).or_else(|| split_to(pane, !beside, percent))
}

fn split_to(pane: &Pane, beside: bool, percent: u32) -> Option<Room> {
    let (has, least) = if beside { (pane.size.0, LEAST.0) } else { (pane.size.1, LEAST.1) };
    let other = if beside { (pane.size.1, LEAST.1) } else { (pane.size.0, LEAST.0) };
    let taken = has * percent / 100;
    // A line between them.
    let left = has.saturating_sub(taken + 1);
    let is_enough = taken >= least && left >= least && other.0 >= other.1;
    is_enough.then(|| Room::Split { pane: pane.id.clone(), beside, percent })
}

/// Whether so many panes of one size are of use in a window, laid out as tmux does it.
fn is_tiled_enough((width, height): (u32, u32), count: u32) -> bool {
    let (mut columns, mut rows) = (1, 1);
    while columns * rows < count {
        rows += 1;
        if columns * rows < count {
            columns += 1;
        }
    }
    // A line beside each, and one with its name above it.
    (width + 1) / columns > LEAST.0 && (height + 1) / rows > LEAST.1
}

#[cfg(test)]
mod tests {
    use super::*;

    fn pane(id: &str, window: &str, size: (u32, u32), window_size: (u32, u32)) -> Pane {
        let (id, window, session) = (id.to_owned(), window.to_owned(), "$0".to_owned());
        Pane { id, process: None, session, window, size, window_size, is_zoomed: false }
    }

    fn split_of(pane: &str, beside: bool, percent: u32) -> Room {
        Room::Split { pane: pane.to_owned(), beside, percent }
    }

    #[test]
    fn the_first_is_beside_the_leader_and_later_ones_alternate() {
        let size = (200, 50);
        let leader = pane("%0", "@0", size, size);
        assert_eq!(find(&[], Some(&leader), 30), split_of("%0", true, 30));
        let one = pane("%1", "@0", (60, 50), size);
        assert_eq!(find(&[&one], Some(&leader), 30), split_of("%1", false, 50));
        let (wide, lower) = (pane("%1", "@0", (80, 25), size), pane("%2", "@0", (80, 24), size));
        assert_eq!(find(&[&lower, &wide], Some(&leader), 30), split_of("%1", true, 50));
    }

    #[test]
    fn a_small_screen_is_split_the_other_way_and_then_left_alone() {
        let size = (80, 23);
        let leader = pane("%0", "@0", size, size);
        assert_eq!(find(&[], Some(&leader), 30), split_of("%0", false, 30));
        let one = pane("%1", "@0", (80, 6), size);
        assert_eq!(find(&[&one], Some(&leader), 30), split_of("%1", true, 50));
        let (one, two) = (pane("%1", "@0", (40, 6), size), pane("%2", "@0", (39, 6), size));
        assert_eq!(find(&[&one, &two], Some(&leader), 30), Room::Window);
    }

    #[test]
    fn a_window_of_its_own_is_filled_and_then_there_is_a_further_one() {
        let mut there: Vec<Pane> = Vec::new();
        let mut windows = 0;
        for number in 0..16 {
            let ours: Vec<&Pane> = there.iter().collect();
            let window = match find(&ours, None, 30) {
                Room::Tiled { window, .. } => window,
                Room::Window => {
                    windows += 1;
                    format!("@{windows}")
                }
                other => panic!("{other:?}"),
            };
            there.push(pane(&format!("%{number}"), &window, (40, 7), (80, 23)));
        }
        assert!((2..=4).contains(&windows), "{windows}");
    }

    #[test]
    fn a_line_of_the_list_is_read() {
        let read = Pane::read("%3 4711 $1 @2 80 24 160 48 1").unwrap();
        assert_eq!((read.process, read.size, read.window_size), (Some(4711), (80, 24), (160, 48)));
        assert!(read.is_zoomed);
        assert_eq!(Pane::read("no pane"), None);
    }
}
