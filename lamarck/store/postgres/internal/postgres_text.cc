#include "lamarck/store/postgres/internal/postgres_text.h"

#include <algorithm>
#include <charconv>

#include <fmt/format.h>

#include "lamarck/base/unicode.h"

namespace lamarck::store::internal {
namespace {

constexpr char kTextEscape = '\x10';

}  // namespace

std::string to_postgres_text(std::string_view text) {
  const std::string_view special("\0\x10", 2);
  const bool is_plain = text.find_first_of(special) == std::string_view::npos;
  if (is_plain && is_valid_utf8(text)) return std::string(text);
  std::string stored;
  while (!text.empty()) {
    const std::string_view letter = text.substr(0, first_character_size(text));
    text.remove_prefix(letter.size());
    const bool is_special = special.find(letter[0]) != std::string_view::npos;
    if (!is_special && is_valid_utf8(letter)) {
      stored += letter;
      continue;
    }
    for (const char byte : letter) {
      stored +=
          fmt::format("{}{:02x}", kTextEscape,
                      static_cast<unsigned>(static_cast<unsigned char>(byte)));
    }
  }
  return stored;
}

std::string from_postgres_text(std::string_view stored) {
  std::string text;
  for (;;) {
    const auto escape = stored.find(kTextEscape);
    text += stored.substr(0, escape);
    if (escape == std::string_view::npos) return text;
    const std::string_view digits = stored.substr(escape + 1, 2);
    unsigned byte = 0;
    std::from_chars(digits.data(), digits.data() + digits.size(), byte, 16);
    text += static_cast<char>(byte);
    stored.remove_prefix(escape + 1 + digits.size());
  }
}

// In JSON, the characters appear as \\u0000 and \\u0010. A backslash before
// them may itself be escaped.
std::string to_postgres_json(std::string_view json) {
  std::string stored;
  while (!json.empty()) {
    const std::size_t size = json[0] == '\\' ? 2 : 1;
    const bool is_code = json.starts_with("\\u");
    stored += json.substr(0, size);
    json.remove_prefix(std::min(size, json.size()));
    if (!is_code) continue;
    const std::string_view digits = json.substr(0, 4);
    json.remove_prefix(digits.size());
    const bool is_special = digits == "0000" || digits == "0010";
    if (is_special) stored += "0010";
    stored += is_special ? digits.substr(2) : digits;
  }
  return stored;
}

std::string from_postgres_json(std::string_view stored) {
  constexpr std::string_view kEscaped = "\\u0010";
  std::string json;
  while (!stored.empty()) {
    if (stored.starts_with(kEscaped)) {
      json += "\\u00";
      stored.remove_prefix(kEscaped.size());
      continue;
    }
    const std::size_t size = stored[0] == '\\' ? 2 : 1;
    json += stored.substr(0, size);
    stored.remove_prefix(std::min(size, stored.size()));
  }
  return json;
}

}  // namespace lamarck::store::internal
