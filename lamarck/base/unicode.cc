#include "lamarck/base/unicode.h"

#include <cstdint>
#include <cstring>

namespace lamarck {
namespace {

struct Character {
  std::size_t size = 0;  // In bytes.
  char32_t code = 0;     // U+FFFD for an invalid byte.
  bool is_valid = false;
};

bool is_continuation(char c) {
  return (static_cast<unsigned char>(c) & 0xC0) == 0x80;
}

// Decodes by RFC 3629: no overlong forms, no surrogates, at most U+10FFFF.
Character first_character(std::string_view text) {
  constexpr Character kInvalid{1, 0xFFFD, false};
  if (text.empty()) return {};
  const auto lead = static_cast<unsigned char>(text[0]);
  if (lead < 0x80) return {1, lead, true};
  std::size_t size = 0;
  char32_t code = 0;
  char32_t min_code = 0;
  if ((lead & 0xE0) == 0xC0) {
    size = 2, code = lead & 0x1F, min_code = 0x80;
  } else if ((lead & 0xF0) == 0xE0) {
    size = 3, code = lead & 0x0F, min_code = 0x800;
  } else if ((lead & 0xF8) == 0xF0) {
    size = 4, code = lead & 0x07, min_code = 0x10000;
  } else {
    return kInvalid;
  }
  if (text.size() < size) return kInvalid;
  for (std::size_t i = 1; i < size; ++i) {
    if (!is_continuation(text[i])) return kInvalid;
    code = (code << 6) | (static_cast<unsigned char>(text[i]) & 0x3F);
  }
  const bool is_surrogate = code >= 0xD800 && code <= 0xDFFF;
  if (code < min_code || is_surrogate || code > 0x10FFFF) return kInvalid;
  return {size, code, true};
}

// The length of an ASCII prefix, rounded down to a multiple of 8. Eight bytes
// at a time make ASCII text cheap to check.
std::size_t ascii_prefix(std::string_view text) {
  constexpr std::uint64_t kHighBits = 0x8080808080808080;
  std::size_t size = 0;
  for (; size + 8 <= text.size(); size += 8) {
    std::uint64_t eight = 0;
    std::memcpy(&eight, text.data() + size, 8);
    if ((eight & kHighBits) != 0) break;
  }
  return size;
}

// Accents, variation selectors and joiners that attach to the character before.
bool is_combining(char32_t code) {
  return (code >= 0x0300 && code <= 0x036F) ||
         (code >= 0x1AB0 && code <= 0x1AFF) ||
         (code >= 0x1DC0 && code <= 0x1DFF) ||
         (code >= 0x20D0 && code <= 0x20FF) ||
         (code >= 0xFE00 && code <= 0xFE0F) ||
         (code >= 0xFE20 && code <= 0xFE2F) ||
         (code >= 0x1F3FB && code <= 0x1F3FF) || code == 0x200D;
}

}  // namespace

std::size_t first_character_size(std::string_view text) {
  return first_character(text).size;
}

std::size_t unicode_length(std::string_view text) {
  std::size_t length = 0;
  while (!text.empty()) {
    const std::size_t plain = ascii_prefix(text);
    const std::size_t next = first_character(text.substr(plain)).size;
    text.remove_prefix(plain + next);
    length += plain + (next > 0 ? 1 : 0);
  }
  return length;
}

std::string truncate_characters(std::string_view text,
                                std::size_t max_characters,
                                std::string_view ellipsis) {
  // A text has at most as many characters as bytes.
  if (text.size() <= max_characters) return std::string(text);
  const std::size_t reserved = unicode_length(ellipsis);
  const std::size_t available =
      max_characters > reserved ? max_characters - reserved : 0;
  std::size_t characters = 0;
  std::size_t position = 0;
  std::size_t cut = 0;  // Where to cut if the text is too long.
  while (position < text.size()) {
    const Character next = first_character(text.substr(position));
    if (characters <= available && !is_combining(next.code)) cut = position;
    if (characters == max_characters) {
      if (max_characters < reserved) return "";
      return std::string(text.substr(0, cut)) + std::string(ellipsis);
    }
    position += next.size;
    ++characters;
  }
  return std::string(text);
}

bool is_valid_utf8(std::string_view text) {
  for (;;) {
    text.remove_prefix(ascii_prefix(text));
    if (text.empty()) return true;
    const Character next = first_character(text);
    if (!next.is_valid) return false;
    text.remove_prefix(next.size);
  }
}

std::string make_valid_utf8(std::string_view text) {
  std::string valid;
  valid.reserve(text.size());
  while (!text.empty()) {
    const Character next = first_character(text);
    valid += next.is_valid ? text.substr(0, next.size)
                           : std::string_view("\xEF\xBF\xBD");
    text.remove_prefix(next.size);
  }
  return valid;
}

}  // namespace lamarck
