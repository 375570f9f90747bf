//! The results: a table for people, JSON for what compares runs.

use std::path::Path;
use std::time::Duration;

use serde_json::{Value, json};

#[derive(Default)]
pub(crate) struct Figures(Vec<Figure>);

struct Figure {
    what: String,
    ours: f64,
    /// The JSON array's, measured in the same run.
    array: Option<f64>,
    aim: Option<f64>,
    more_is_better: bool,
}

/// Measured times, from short to long.
pub(crate) struct Times(Vec<Duration>);

impl Times {
    pub(crate) fn new(mut times: Vec<Duration>) -> Self {
        times.sort();
        Self(times)
    }

    /// The time within which `share` of them lie, in milliseconds.
    pub(crate) fn at(&self, share: f64) -> f64 {
        let index = (self.0.len() as f64 * share).ceil() as usize;
        self.0[index.clamp(1, self.0.len()) - 1].as_secs_f64() * 1e3
    }
}

impl Figures {
    pub(crate) fn more(&mut self, what: &str, ours: f64, array: Option<f64>, aim: Option<f64>) {
        self.0.push(Figure { what: what.to_owned(), ours, array, aim, more_is_better: true });
    }

    pub(crate) fn less(&mut self, what: &str, ours: f64, array: Option<f64>, aim: Option<f64>) {
        self.0.push(Figure { what: what.to_owned(), ours, array, aim, more_is_better: false });
    }

    pub(crate) fn print(&self) {
        println!("{:<62} {:>10} {:>10} {:>8} {:>14}", "", "mailbox", "array", "better", "aim");
        for figure in &self.0 {
            let array = figure.array.map_or("-".to_owned(), number);
            let better = figure.better().map_or("-".to_owned(), |times| format!("{}x", number(times)));
            let aim = figure.aim.map_or("-".to_owned(), |aim| {
                format!("{} {}", number(aim), if figure.is_met(aim) { "met" } else { "MISSED" })
            });
            println!("{:<62} {:>10} {array:>10} {better:>8} {aim:>14}", figure.what, number(figure.ours));
        }
    }

    pub(crate) fn save(&self, path: &Path) {
        let figures: Vec<Value> = self.0.iter().map(Figure::json).collect();
        std::fs::write(path, serde_json::to_string_pretty(&figures).unwrap()).unwrap();
    }
}

impl Figure {
    /// How many times better the mailbox does than the array.
    fn better(&self) -> Option<f64> {
        let array = self.array?;
        Some(if self.more_is_better { self.ours / array } else { array / self.ours })
    }

    fn is_met(&self, aim: f64) -> bool {
        if self.more_is_better { self.ours >= aim } else { self.ours <= aim }
    }

    fn json(&self) -> Value {
        let met = self.aim.map(|aim| self.is_met(aim));
        json!({
            "what": self.what, "mailbox": self.ours, "array": self.array, "better": self.better(),
            "aim": self.aim, "met": met,
        })
    }
}

fn number(value: f64) -> String {
    if value >= 100.0 { format!("{value:.0}") } else { format!("{value:.3}") }
}
