#include "lamarck/base/one_line.h"

#include <fmt/format.h>

#include <cstdint>

#include "lamarck/base/unicode.h"

namespace lamarck {
namespace {

// The code point of one valid UTF-8 character.
std::uint32_t code_point(std::string_view character) {
  const auto byte = [&](std::size_t i) {
    return static_cast<std::uint32_t>(static_cast<unsigned char>(character[i]));
  };
  switch (character.size()) {
    case 1:
      return byte(0);
    case 2:
      return (byte(0) & 0x1F) << 6 | (byte(1) & 0x3F);
    case 3:
      return (byte(0) & 0x0F) << 12 | (byte(1) & 0x3F) << 6 | (byte(2) & 0x3F);
    default:
      return (byte(0) & 0x07) << 18 | (byte(1) & 0x3F) << 12 |
             (byte(2) & 0x3F) << 6 | (byte(3) & 0x3F);
  }
}

// Controls that a terminal obeys (C0, DEL, C1), marks that reorder text, which
// can make code look like different code, and separators that some programs
// treat as the end of a line.
bool is_unsafe(std::uint32_t code) {
  return code < 0x20 || (code >= 0x7F && code <= 0x9F) || code == 0x061C ||
         code == 0x200E || code == 0x200F ||
         (code >= 0x2028 && code <= 0x202E) ||
         (code >= 0x2066 && code <= 0x2069) || code == 0xFEFF;
}

std::string escaped(std::uint32_t code) {
  if (code == '\n') return "\\n";
  if (code == '\t') return "\\t";
  return code < 0x80 ? fmt::format("\\x{:02x}", code)
                     : fmt::format("\\u{:04x}", code);
}

// Escapes the unsafe characters of valid UTF-8, except those in `kept`.
std::string escape_unsafe(std::string_view text, std::string_view kept) {
  std::string safe;
  safe.reserve(text.size());
  while (!text.empty()) {
    const std::string_view character =
        text.substr(0, first_character_size(text));
    const std::uint32_t code = code_point(character);
    const bool is_kept =
        character.size() == 1 && kept.find(character) != std::string_view::npos;
    if (is_unsafe(code) && !is_kept) {
      safe += escaped(code);
    } else {
      safe += character;
    }
    text.remove_prefix(character.size());
  }
  return safe;
}

// XML forbids these characters even when escaped; U+007F is only invisible.
// The last two are U+FFFE and U+FFFF.
bool is_forbidden_in_xml(std::string_view character) {
  if (character.size() == 1) {
    const auto c = static_cast<unsigned char>(character.front());
    return (c < 0x20 && c != '\t' && c != '\n') || c == 0x7F;
  }
  return character == "\xEF\xBF\xBE" || character == "\xEF\xBF\xBF";
}

std::string_view markup_character(std::string_view character) {
  if (is_forbidden_in_xml(character)) return " ";
  if (character == "&") return "&amp;";
  if (character == "<") return "&lt;";
  if (character == ">") return "&gt;";
  if (character == "\"") return "&quot;";
  if (character == "'") return "&#39;";
  return character;
}

}  // namespace

std::string one_line(std::string_view text, std::size_t max_characters) {
  // Cut first, so that a huge text costs nothing. A UTF-8 character has at most
  // four bytes.
  return escape_unsafe(truncate_characters(make_valid_utf8(text.substr(
                                               0, 4 * max_characters + 4)),
                                           max_characters),
                       "");
}

std::string safe_lines(std::string_view text) {
  return escape_unsafe(make_valid_utf8(text), "\n\t");
}

std::string in_quotes(std::string_view text, std::size_t max_characters) {
  return "'" + one_line(text, max_characters) + "'";
}

std::string markup_text(std::string_view text) {
  const std::string valid = make_valid_utf8(text);
  std::string markup;
  markup.reserve(valid.size());
  for (std::string_view rest = valid; !rest.empty();) {
    const std::string_view character =
        rest.substr(0, first_character_size(rest));
    markup += markup_character(character);
    rest.remove_prefix(character.size());
  }
  return markup;
}

std::string dot_text(std::string_view text) {
  std::string dot;
  for (const char c : text) {
    if (c == '"' || c == '\\') dot += '\\';
    dot += c;
  }
  return dot;
}

}  // namespace lamarck
