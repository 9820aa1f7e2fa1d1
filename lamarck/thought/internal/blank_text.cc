#include "lamarck/thought/internal/blank_text.h"

#include <algorithm>
#include <array>

#include "lamarck/base/unicode.h"

namespace lamarck::thought::internal {
namespace {

// White space and zero-width characters beyond ASCII: U+0085, U+00A0, U+1680,
// U+2000 to U+200D, U+2028, U+2029, U+202F, U+205F, U+2060, U+3000, U+FEFF.
constexpr std::array<std::string_view, 24> kBlanks = {
    "\xC2\x85",     "\xC2\xA0",     "\xE1\x9A\x80", "\xE2\x80\x80",
    "\xE2\x80\x81", "\xE2\x80\x82", "\xE2\x80\x83", "\xE2\x80\x84",
    "\xE2\x80\x85", "\xE2\x80\x86", "\xE2\x80\x87", "\xE2\x80\x88",
    "\xE2\x80\x89", "\xE2\x80\x8A", "\xE2\x80\x8B", "\xE2\x80\x8C",
    "\xE2\x80\x8D", "\xE2\x80\xA8", "\xE2\x80\xA9", "\xE2\x80\xAF",
    "\xE2\x81\x9F", "\xE2\x81\xA0", "\xE3\x80\x80", "\xEF\xBB\xBF"};

bool is_blank_character(std::string_view character) {
  if (character.size() == 1) {
    return character == " " || (character[0] >= '\t' && character[0] <= '\r');
  }
  return std::ranges::find(kBlanks, character) != kBlanks.end();
}

}  // namespace

bool is_blank(std::string_view text) {
  while (!text.empty()) {
    const std::size_t size = first_character_size(text);
    if (!is_blank_character(text.substr(0, size))) return false;
    text.remove_prefix(size);
  }
  return true;
}

}  // namespace lamarck::thought::internal
