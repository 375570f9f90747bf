//! The pictures of a request, as a provider looks at them before its model does: by their base64, their kind and their size.

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use imagesize::ImageType;
use serde_json::Value;

use crate::fields::string;
use crate::format::Refused;

/// The bounds of Anthropic: base64 in bytes, pixels a side, and pixels a side where there are more than so many pictures.
const BASE64_MAX: usize = 5 * 1024 * 1024;
const SIDE_MAX: usize = 8000;
const MANY: usize = 20;
const SIDE_MAX_OF_MANY: usize = 2000;

/// The pictures of one request of Anthropic's format.
#[derive(Debug, Default)]
pub(crate) struct Pictures {
    /// The longer side of each, in pixels.
    sides: Vec<usize>,
}

impl Pictures {
    pub(crate) fn block(&mut self, block: &Value, at: &str) -> Result<(), Refused> {
        let source = block.get("source").unwrap_or(&Value::Null);
        let at = format!("{at}.source");
        if string(source, "type", &at)? != "base64" {
            return Ok(());
        }
        let (media_type, data) = (string(source, "media_type", &at)?, string(source, "data", &at)?);
        let side = longer_side(media_type, data, &at)?;
        if data.len() > BASE64_MAX {
            let length = data.len();
            return Err(Refused::invalid(format!(
                "{at}.base64: image exceeds 5 MB maximum: {length} bytes > {BASE64_MAX} bytes"
            )));
        }
        if side > SIDE_MAX {
            return Err(Refused::invalid(format!("{at}.base64.data: the image exceeds {SIDE_MAX} pixels")));
        }
        self.sides.push(side);
        Ok(())
    }

    /// What holds for all of them together.
    pub(crate) fn check(&self) -> Result<(), Refused> {
        if self.sides.len() > MANY && self.sides.iter().any(|side| *side > SIDE_MAX_OF_MANY) {
            return Err(Refused::invalid(format!(
                "messages: an image exceeds the {SIDE_MAX_OF_MANY} pixels of requests with many images"
            )));
        }
        Ok(())
    }
}

/// An address that an image is at: one on the web, or the image itself.
pub(crate) fn check_url(url: &str, at: &str) -> Result<(), Refused> {
    if url.starts_with("https://") || url.starts_with("http://") {
        return Ok(());
    }
    let parts = url.strip_prefix("data:").and_then(|rest| rest.split_once(";base64,"));
    let Some((media_type, data)) = parts else {
        return Err(Refused::invalid(format!("{at}: is neither an address nor a base64 data URL")));
    };
    longer_side(media_type, data, at).map(drop)
}

fn longer_side(media_type: &str, data: &str, at: &str) -> Result<usize, Refused> {
    let expected = match media_type {
        "image/png" => ImageType::Png,
        "image/jpeg" => ImageType::Jpeg,
        "image/gif" => ImageType::Gif,
        "image/webp" => ImageType::Webp,
        _ => return Err(Refused::invalid(format!("{at}: {media_type:?} is no media type of an image"))),
    };
    let bytes = STANDARD.decode(data);
    let bytes = bytes.map_err(|error| Refused::invalid(format!("{at}: is no valid base64: {error}")))?;
    if imagesize::image_type(&bytes).ok() != Some(expected) {
        return Err(Refused::invalid(format!("{at}: the image is no {media_type}, as it says it is")));
    }
    let size = imagesize::blob_size(&bytes);
    let size = size.map_err(|_| Refused::invalid(format!("{at}: the image could not be processed")))?;
    Ok(size.width.max(size.height))
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    /// The head of a PNG, which is all that is looked at.
    fn png(width: u32, height: u32) -> String {
        STANDARD.encode(head(width, height))
    }

    fn head(width: u32, height: u32) -> Vec<u8> {
        let mut bytes = b"\x89PNG\r\n\x1a\n\0\0\0\x0dIHDR".to_vec();
        bytes.extend(width.to_be_bytes());
        bytes.extend(height.to_be_bytes());
        bytes.extend([8, 2, 0, 0, 0]);
        bytes
    }

    fn block(media_type: &str, data: &str) -> Value {
        json!({"type": "image", "source": {"type": "base64", "media_type": media_type, "data": data}})
    }

    #[test]
    fn a_picture_is_refused_for_what_a_provider_refuses() {
        let mut long = head(1, 1);
        long.resize(BASE64_MAX / 4 * 3 + 1, 0);
        let long = STANDARD.encode(long);
        let cases = [
            ("no valid base64", block("image/png", "*")),
            ("no media type", block("image/bmp", &png(1, 1))),
            ("as it says it is", block("image/jpeg", &png(1, 1))),
            ("exceeds 8000 pixels", block("image/png", &png(8001, 1))),
            ("exceeds 5 MB", block("image/png", &long)),
        ];
        for (expected, block) in cases {
            let refused = Pictures::default().block(&block, "x").unwrap_err();
            assert!(refused.message.contains(expected), "{expected}: {}", refused.message);
        }
        assert!(check_url(&format!("data:image/gif;base64,{}", png(1, 1)), "x").is_err());
        assert!(check_url(&format!("data:image/png;base64,{}", png(1, 1)), "x").is_ok());
        assert!(check_url("/tmp/x.png", "x").is_err());
    }

    #[test]
    fn many_pictures_are_held_to_fewer_pixels() {
        let mut pictures = Pictures::default();
        pictures.block(&block("image/png", &png(2001, 1)), "x").unwrap();
        (1..MANY).for_each(|_| pictures.block(&block("image/png", &png(1, 1)), "x").unwrap());
        assert!(pictures.check().is_ok());
        pictures.block(&block("image/png", &png(1, 1)), "x").unwrap();
        assert!(pictures.check().is_err());
    }
}
