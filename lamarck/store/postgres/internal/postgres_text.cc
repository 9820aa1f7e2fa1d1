#include "lamarck/store/postgres/internal/postgres_text.h"

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

}  // namespace lamarck::store::internal
