//! A picture that a model is shown beside a text. Its bytes are a file of the member's `outputs`, under its hash.

use std::fmt;

use serde::{Deserialize, Serialize};

/// What is known of a picture without its bytes.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
#[serde(rename_all = "camelCase")]
pub struct Picture {
    /// The SHA-256 of its bytes, in hexadecimal digits.
    pub hash: String,
    pub media_type: MediaType,
    /// In pixels.
    pub width: u32,
    /// In pixels.
    pub height: u32,
    /// How large its file is.
    pub bytes: u64,
}

/// The kinds of pictures that models read.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub enum MediaType {
    #[serde(rename = "image/png")]
    Png,
    #[serde(rename = "image/jpeg")]
    Jpeg,
    #[serde(rename = "image/gif")]
    Gif,
    #[serde(rename = "image/webp")]
    Webp,
}

impl MediaType {
    /// As it is written in requests.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Png => "image/png",
            Self::Jpeg => "image/jpeg",
            Self::Gif => "image/gif",
            Self::Webp => "image/webp",
        }
    }

    /// As people write it.
    pub fn name(self) -> &'static str {
        match self {
            Self::Png => "PNG",
            Self::Jpeg => "JPEG",
            Self::Gif => "GIF",
            Self::Webp => "WebP",
        }
    }
}

impl Picture {
    /// What its file in `outputs` is called.
    pub fn file_name(&self) -> String {
        format!("{}.{}", self.hash, self.media_type.name().to_ascii_lowercase())
    }
}

/// Stands for the picture where there is text only.
impl fmt::Display for Picture {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "picture, {}×{} {}", self.width, self.height, self.media_type.name())
    }
}
