//! Byte arrays as lower-case hexadecimal text.

use serde::{Deserialize, Deserializer, Serializer, de};

pub(crate) fn encode(bytes: &[u8]) -> String {
    bytes.iter().map(|byte| format!("{byte:02x}")).collect()
}

pub(super) fn decode<const N: usize>(text: &str) -> Option<[u8; N]> {
    let digits = text.as_bytes();
    if digits.len() != 2 * N {
        return None;
    }
    let mut bytes = [0; N];
    for (byte, pair) in bytes.iter_mut().zip(digits.chunks_exact(2)) {
        *byte = u8::try_from(16 * digit(pair.first())? + digit(pair.last())?).ok()?;
    }
    Some(bytes)
}

pub(super) fn serialize<S: Serializer, const N: usize>(
    bytes: &[u8; N],
    serializer: S,
) -> Result<S::Ok, S::Error> {
    serializer.serialize_str(&encode(bytes))
}

pub(super) fn deserialize<'de, D: Deserializer<'de>, const N: usize>(
    deserializer: D,
) -> Result<[u8; N], D::Error> {
    let text = String::deserialize(deserializer)?;
    decode(&text).ok_or_else(|| de::Error::custom(format!("{N} bytes in hexadecimal are expected")))
}

fn digit(character: Option<&u8>) -> Option<u32> {
    char::from(*character?).to_digit(16)
}
