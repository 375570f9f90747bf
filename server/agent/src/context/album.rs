//! The pictures of a history: which of them the model is shown, and their bytes. The text that a picture goes with stays in
//! the history, and says in its place why it is not shown.
//!
//! What is shown follows from the entries alone, so that a history that is taken up again is shown as it was.

use std::collections::HashMap;
use std::path::{Path, PathBuf};

use swarm_model::{Message, Picture as Shown, UserPart};
use swarm_wire::picture::Picture;

use crate::compact::BYTES_PER_TOKEN;
use crate::picture::tokens;

/// The most pictures of a request. Anthropic holds those of a request with more to 2000 pixels a side.
const PICTURES_MAX: usize = 20;
/// The most bytes of all their files: 20 MiB in base64, where Anthropic takes 32 MB with all else.
const BYTES_MAX: u64 = 15 * 1024 * 1024;
const OLDER: &str = "newer ones took its place; read the file again to see it";
const GONE: &str = "the file that it was kept in is gone or damaged";

#[derive(Debug)]
struct Placed {
    /// The message, and its part, that the picture goes with.
    message: usize,
    part: usize,
    picture: Picture,
    /// Why it is not shown any more.
    left_out: Option<String>,
}

/// The pictures of one history, oldest first.
#[derive(Debug)]
pub(crate) struct Album {
    /// Where their files are.
    outputs: PathBuf,
    placed: Vec<Placed>,
    /// By hash, those that were read; `None` where that failed.
    loaded: HashMap<String, Option<Shown>>,
    /// Why all are left out of the request that is tried now.
    tried_without: Option<String>,
}

impl Album {
    pub(crate) fn new(outputs: PathBuf) -> Self {
        Self { outputs, placed: Vec::new(), loaded: HashMap::new(), tried_without: None }
    }

    pub(super) fn outputs(&self) -> &Path {
        &self.outputs
    }

    /// Adds pictures that go with a part of a message. Where there are too many, the older half is left out, and not one at
    /// a time: each change is a prompt that the provider has not seen.
    pub(super) fn place(&mut self, message: usize, part: usize, pictures: &[Picture]) {
        for picture in pictures {
            self.placed.push(Placed { message, part, picture: picture.clone(), left_out: None });
            if !self.fits(PICTURES_MAX, BYTES_MAX) {
                while !self.fits(PICTURES_MAX / 2, BYTES_MAX / 2) {
                    self.leave_out_oldest();
                }
            }
        }
    }

    /// Those there are now are never shown again.
    pub(super) fn refused(&mut self, reason: &str) {
        let why = refusal(reason);
        self.placed.iter_mut().for_each(|placed| {
            placed.left_out.get_or_insert_with(|| why.clone());
        });
    }

    pub(super) fn clear(&mut self) {
        self.placed.clear();
        self.loaded.clear();
    }

    /// Leaves all of them out of what is shown next, with the provider's reason; with none, they are back.
    pub(crate) fn try_without(&mut self, reason: Option<&str>) {
        self.tried_without = reason.map(refusal);
    }

    /// Whether any is shown.
    pub(crate) fn shows_any(&self) -> bool {
        self.tried_without.is_none() && self.shown().next().is_some()
    }

    /// How much of the history's bytes is of pictures that are not shown any more.
    pub(super) fn bytes_left_out(&self) -> usize {
        let left_out = self.placed.iter().filter(|placed| placed.left_out.is_some());
        left_out.map(|placed| bytes_of(&placed.picture)).sum()
    }

    /// Reads the files of those that are shown, where that was not done yet.
    pub(crate) async fn load(&mut self) {
        let shown: HashMap<String, Picture> =
            self.shown().map(|placed| (placed.picture.hash.clone(), placed.picture.clone())).collect();
        self.loaded.retain(|hash, _| shown.contains_key(hash));
        let missing: Vec<Picture> =
            shown.into_values().filter(|picture| !self.loaded.contains_key(&picture.hash)).collect();
        if missing.is_empty() {
            return;
        }
        let outputs = self.outputs.clone();
        let read = tokio::task::spawn_blocking(move || {
            let read = |picture: Picture| {
                let bytes = swarm_store::read_picture(&outputs, &picture);
                let shown = bytes.map(|bytes| Shown::new(picture.media_type.as_str(), &bytes));
                (
                    picture.hash,
                    shown.inspect_err(|error| tracing::warn!(%error, "a picture is not shown")).ok(),
                )
            };
            missing.into_iter().map(read).collect::<Vec<_>>()
        });
        // What was not read is shown as its text, and read for the next request.
        self.loaded.extend(read.await.unwrap_or_default());
    }

    /// Puts the pictures into the messages of the history; with a reason, that in place of each.
    pub(super) fn put_into(&self, messages: &mut [Message], none: Option<&str>) {
        // From the last on, so that the places before stay what they are.
        for placed in self.placed.iter().rev() {
            let Some(Message::User(parts)) = messages.get_mut(placed.message) else { continue };
            match self.picture(placed, none) {
                Ok(picture) => match parts.get_mut(placed.part) {
                    Some(UserPart::ToolResult { pictures, .. }) => pictures.insert(0, picture),
                    Some(_) => parts.insert(placed.part + 1, UserPart::Picture(picture)),
                    None => {}
                },
                Err(why) => {
                    if let Some(UserPart::ToolResult { content: text, .. } | UserPart::Text(text)) =
                        parts.get_mut(placed.part)
                    {
                        text.push_str(&format!("\n[The picture is left out: {why}.]"));
                    }
                }
            }
        }
    }

    fn picture<'a>(&'a self, placed: &'a Placed, none: Option<&'a str>) -> Result<Shown, &'a str> {
        let left_out = placed.left_out.as_deref().or(none).or(self.tried_without.as_deref());
        match left_out {
            Some(why) => Err(why),
            None => self.loaded.get(&placed.picture.hash).cloned().flatten().ok_or(GONE),
        }
    }

    fn shown(&self) -> impl Iterator<Item = &Placed> {
        self.placed.iter().filter(|placed| placed.left_out.is_none())
    }

    fn fits(&self, count: usize, bytes: u64) -> bool {
        self.shown().count() <= count && self.shown().map(|placed| placed.picture.bytes).sum::<u64>() <= bytes
    }

    fn leave_out_oldest(&mut self) {
        let oldest = self.placed.iter_mut().find(|placed| placed.left_out.is_none());
        oldest.into_iter().for_each(|placed| placed.left_out = Some(OLDER.to_owned()));
    }
}

/// How much of a context a picture fills, as bytes of text.
pub(super) fn bytes_of(picture: &Picture) -> usize {
    tokens(picture) * BYTES_PER_TOKEN
}

fn refusal(reason: &str) -> String {
    format!("the provider refused it, as it said: {reason}")
}

#[cfg(test)]
mod tests {
    use swarm_wire::picture::MediaType;

    use super::*;

    fn picture(hash: usize, bytes: u64) -> Picture {
        Picture { hash: hash.to_string(), media_type: MediaType::Png, width: 10, height: 10, bytes }
    }

    /// What is shown of so many pictures of so many bytes.
    fn shown(count: usize, bytes: u64) -> Vec<String> {
        let mut album = Album::new(PathBuf::new());
        (0..count).for_each(|at| album.place(0, at, &[picture(at, bytes)]));
        album.shown().map(|placed| placed.picture.hash.clone()).collect()
    }

    #[test]
    fn the_older_half_makes_room_when_there_are_too_many_or_too_much() {
        assert_eq!(shown(20, 1).len(), 20);
        assert_eq!(shown(21, 1), (11..21).map(|at| at.to_string()).collect::<Vec<_>>());
        assert_eq!(shown(5, 3_932_160), ["3", "4"]);
    }

    #[test]
    fn a_text_says_why_its_picture_is_not_shown() {
        let mut album = Album::new(PathBuf::new());
        album.place(0, 0, &[picture(1, 1)]);
        let text = |album: &Album, none| {
            let mut messages = [Message::User(vec![UserPart::Text("picture".to_owned())])];
            album.put_into(&mut messages, none);
            let [Message::User(parts)] = &messages else { panic!() };
            let [UserPart::Text(text)] = parts.as_slice() else { panic!("{parts:?}") };
            text.clone()
        };
        assert!(text(&album, None).contains("gone or damaged"));
        assert!(text(&album, Some("this model takes text alone")).contains("takes text alone"));
        album.try_without(Some("no images here"));
        assert!(text(&album, None).contains("refused it, as it said: no images here"));
        assert!(!album.shows_any());
        album.try_without(None);
        album.refused("none at all");
        album.place(0, 0, &[picture(2, 1)]);
        assert_eq!(album.shown().count(), 1);
    }
}
