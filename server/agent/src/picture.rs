//! What is a picture, by its bytes, and which pictures models take.

use swarm_wire::picture::{MediaType, Picture};

/// The largest file: 5 MiB in base64, the most that Anthropic takes; others take more.
pub const PICTURE_MAX: u64 = 15 * 1024 * 1024 / 4;
/// The longest side that Anthropic takes, in pixels, where a request has no more than twenty pictures.
const SIDE_MAX: u32 = 8000;
/// The pixels to a token, and the most tokens of a picture: what Anthropic's page on vision says of its newest models,
/// which make larger ones smaller (December 2026). Others take about as many, or fewer.
const PIXELS_PER_TOKEN: u64 = 750;
const TOKENS_MAX: u64 = 4784;

/// The picture that these bytes are, whatever they are called; `None` where they are none. The error says what is wrong
/// with it and what would help, as the end of a sentence.
pub fn inspect_picture(bytes: &[u8]) -> Option<Result<Picture, String>> {
    media_type(bytes).map(|media_type| measured(media_type, bytes))
}

fn measured(media_type: MediaType, bytes: &[u8]) -> Result<Picture, String> {
    let kind = media_type.name();
    let length = bytes.len() as u64;
    if length > PICTURE_MAX {
        return Err(format!(
            "is a {kind} picture of {length} bytes; models take {PICTURE_MAX} at most. {SMALLER}"
        ));
    }
    let damaged = || format!("is a {kind} picture that is damaged: its size cannot be read.");
    let size = imagesize::blob_size(bytes).map_err(|_| damaged())?;
    let side = |side: usize| u32::try_from(side).ok().filter(|side| *side > 0).ok_or_else(damaged);
    let (width, height) = (side(size.width)?, side(size.height)?);
    if width.max(height) > SIDE_MAX {
        return Err(format!(
            "is a {kind} picture of {width}×{height} pixels; models take {SIDE_MAX} a side at most. {SMALLER}"
        ));
    }
    Ok(Picture { hash: swarm_store::picture_hash(bytes), media_type, width, height, bytes: length })
}

const SMALLER: &str =
    "Make a smaller copy with a command, such as `magick IN -resize 1500x1500 OUT`, and take that.";

/// Its kind, by how such files begin.
fn media_type(bytes: &[u8]) -> Option<MediaType> {
    match bytes {
        [0x89, b'P', b'N', b'G', b'\r', b'\n', 0x1a, b'\n', ..] => Some(MediaType::Png),
        [0xff, 0xd8, 0xff, ..] => Some(MediaType::Jpeg),
        [b'G', b'I', b'F', b'8', b'7' | b'9', b'a', ..] => Some(MediaType::Gif),
        [b'R', b'I', b'F', b'F', _, _, _, _, b'W', b'E', b'B', b'P', ..] => Some(MediaType::Webp),
        _ => None,
    }
}

/// How many tokens of a context it fills, roughly.
pub(crate) fn tokens(picture: &Picture) -> usize {
    let pixels = u64::from(picture.width) * u64::from(picture.height);
    usize::try_from((pixels / PIXELS_PER_TOKEN).clamp(1, TOKENS_MAX)).unwrap_or(usize::MAX)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The head of a PNG, which is all that is looked at.
    fn png(width: u32, height: u32) -> Vec<u8> {
        let mut bytes = b"\x89PNG\r\n\x1a\n\0\0\0\x0dIHDR".to_vec();
        bytes.extend(width.to_be_bytes());
        bytes.extend(height.to_be_bytes());
        bytes.extend([8, 2, 0, 0, 0]);
        bytes
    }

    #[test]
    fn a_picture_is_known_by_its_first_bytes_and_text_about_one_is_text() {
        let picture = inspect_picture(&png(640, 480)).unwrap().unwrap();
        assert_eq!(picture.to_string(), "picture, 640×480 PNG");
        assert_eq!(media_type(b"\xff\xd8\xff\xe0\0"), Some(MediaType::Jpeg));
        assert_eq!(media_type(b"GIF89a\x01\0"), Some(MediaType::Gif));
        assert_eq!(media_type(b"RIFF\x24\0\0\0WEBPVP8 "), Some(MediaType::Webp));
        for text in ["", "PNG", "GIF89", "GIF8 is a start", "RIFF of a WAVE file"] {
            assert_eq!(media_type(text.as_bytes()), None, "{text}");
        }
    }

    #[test]
    fn what_models_would_refuse_is_refused_with_what_would_help() {
        let why = |bytes: &[u8]| inspect_picture(bytes).unwrap().unwrap_err();
        assert!(why(&png(8001, 10)).contains("8001×10 pixels") && why(&png(8001, 10)).contains("-resize"));
        assert!(why(b"\x89PNG\r\n\x1a\n").contains("damaged"));
        assert!(why(&png(0, 10)).contains("damaged"));
        let mut large = png(10, 10);
        large.resize(PICTURE_MAX as usize + 1, 0);
        assert!(why(&large).contains("3932161 bytes"));
    }

    #[test]
    fn a_picture_fills_as_many_tokens_as_its_pixels_say_up_to_a_bound() {
        let of = |width, height| tokens(&inspect_picture(&png(width, height)).unwrap().unwrap());
        assert_eq!((of(1, 1), of(750, 1000), of(8000, 8000)), (1, 1000, 4784));
    }
}
