#include "lamarck/thought/token_estimate.h"

#include <algorithm>
#include <array>

#include "lamarck/base/ascii.h"
#include "lamarck/base/unicode.h"

namespace lamarck::thought {
namespace {

using ascii::is_digit;
using ascii::is_space;

// Costs are in hundredths of a token.
using Cost = std::int64_t;
constexpr Cost kToken = 100;
constexpr std::string_view kEllipsis = "\u2026";

// A word, a number, a sign or a run of white space, and its cost.
struct Piece {
  std::size_t size = 0;  // Bytes.
  Cost cost = 0;
};

bool is_lower(char c) { return c >= 'a' && c <= 'z'; }
bool is_upper(char c) { return c >= 'A' && c <= 'Z'; }
bool is_ascii(char c) { return static_cast<unsigned char>(c) < 0x80; }

// For each letter, a bit mask of the letters that often follow it in English.
// Words with other pairs are split into more tokens.
constexpr std::array<std::uint32_t, 26> kUsualFollowers = {
    0x1febd6f, 0x1164917, 0x01e4d95, 0x0164959, 0x1eff97f, 0x01a4931, 0x01669d1,
    0x00a4191, 0x2aef97f, 0x0100210, 0x0040510, 0x13cc919, 0x014d913, 0x13c6d7d,
    0x07efd7f, 0x11ec991, 0x0110000, 0x13efd7d, 0x11ccd95, 0x15ed99d, 0x01eb95f,
    0x0204111, 0x0446191, 0x0888114, 0x10cf110, 0x2000010};

bool is_usual_pair(char first, char second) {
  const auto index = [](char c) {
    return static_cast<unsigned>((c | 0x20) - 'a');
  };
  return (kUsualFollowers.at(index(first)) >> index(second) & 1U) != 0;
}

// A common word is about one token and grows slowly with its length. Each
// unusual pair adds most of a token.
Cost word_cost(std::string_view word) {
  static constexpr std::array<Cost, 13> kByLength = {
      0, 100, 100, 105, 110, 115, 120, 125, 135, 145, 155, 165, 175};
  const std::size_t known = std::min(word.size(), kByLength.size() - 1);
  Cost cost = kByLength.at(known) + 17 * static_cast<Cost>(word.size() - known);
  for (std::size_t i = 1; i < word.size(); ++i) {
    if (!is_usual_pair(word[i - 1], word[i])) cost += 85;
  }
  return cost;
}

// Letters up to the next change from lower to upper case, at most 24 at a time:
// vocabularies split camelCase there.
Piece word_at(std::string_view text, std::size_t at) {
  constexpr std::size_t kMaxLength = 24;
  const std::size_t max = std::min(text.size(), at + kMaxLength);
  std::size_t capitals = at;
  while (capitals < max && is_upper(text[capitals])) ++capitals;
  std::size_t end = capitals;
  while (end < max && is_lower(text[end])) ++end;
  const std::size_t capital_count = capitals - at;
  Piece piece{.size = end - at};
  if (capital_count <= 1) {
    piece.cost = word_cost(text.substr(at, end - at));
  } else {
    piece.cost = 50 * static_cast<Cost>(capital_count) +
                 word_cost(text.substr(capitals, end - capitals));
  }
  if (at > 0 && ascii::is_digit(text[at - 1])) piece.cost += 50;
  return piece;
}

// Vocabularies split numbers into groups of up to three digits.
Piece digits_at(std::string_view text, std::size_t at) {
  std::size_t end = at;
  while (end < text.size() && end < at + 3 && ascii::is_digit(text[end])) ++end;
  return {.size = end - at, .cost = kToken};
}

Cost tokens_of_run(std::size_t characters, std::size_t by_token) {
  return kToken * static_cast<Cost>((characters + by_token - 1) / by_token);
}

// Line ends form tokens of their own. The last blank before a word belongs to
// the token of the word.
Piece space_at(std::string_view text, std::size_t at) {
  std::size_t end = at;
  while (end < text.size() && ascii::is_space(text[end])) ++end;
  const std::string_view run = text.substr(at, end - at);
  const std::size_t last_line_end = run.rfind('\n');
  Piece piece{.size = run.size()};
  std::size_t blanks = run.size();
  if (last_line_end != std::string_view::npos) {
    blanks -= last_line_end + 1;
    piece.cost += tokens_of_run(last_line_end + 1, 16);
    if (run.substr(0, last_line_end).find_first_of(" \t") != run.npos) {
      piece.cost += kToken;
    }
  }
  if (blanks == 0) return piece;
  const bool is_absorbed =
      end < text.size() && run.back() == ' ' && !ascii::is_digit(text[end]);
  if (is_absorbed) --blanks;
  piece.cost += tokens_of_run(blanks, 64);
  const std::string_view tail = run.substr(run.size() - blanks);
  if (run.find('\t') != run.npos && tail.find(' ') != tail.npos) {
    piece.cost += kToken;
  }
  return piece;
}

bool is_sign(char c) {
  return is_ascii(c) && !ascii::is_space(c) && !ascii::is_digit(c) &&
         !is_lower(c) && !is_upper(c);
}

Piece sign_at(std::string_view text, std::size_t at) {
  const char sign = text[at];
  if (at > 0 && text[at - 1] == sign) return {1, 25};
  if (at > 0 && is_sign(text[at - 1])) return {1, 65};
  return {1, sign == '_' ? Cost{60} : kToken};
}

struct Script {
  std::uint32_t below;  // The first code point after the script.
  Cost cost;            // Cost of one character.
};

// Cost of one character in common texts, by script.
constexpr std::array kScripts = {
    Script{0x250, 110},     // Latin letters with marks.
    Script{0x300, 200},     // Phonetic signs.
    Script{0x370, 100},     // Combining marks.
    Script{0x400, 105},     // Greek.
    Script{0x530, 55},      // Cyrillic.
    Script{0x590, 200},     // Armenian.
    Script{0x600, 115},     // Hebrew.
    Script{0x700, 95},      // Arabic.
    Script{0x900, 200},     // Others.
    Script{0x980, 125},     // Devanagari.
    Script{0xe00, 300},     // Others.
    Script{0xe80, 120},     // Thai.
    Script{0x1e00, 300},    // Others.
    Script{0x1f00, 175},    // Vietnamese.
    Script{0x2010, 200},    // Others.
    Script{0x2026, 110},    // Dashes and quotes.
    Script{0x2027, 100},    // The ellipsis.
    Script{0x2040, 110},    // Others.
    Script{0x2c00, 200},    // Arrows, mathematics, boxes.
    Script{0x3000, 300},    // Others.
    Script{0x3040, 100},    // East Asian punctuation.
    Script{0x3100, 110},    // Kana.
    Script{0x4e00, 300},    // Others.
    Script{0xa000, 205},    // Ideographs.
    Script{0xac00, 300},    // Others.
    Script{0xd7b0, 145},    // Hangul.
    Script{0xff00, 300},    // Others.
    Script{0xff60, 110},    // Full width.
    Script{0x10000, 300},   // Others.
    Script{0x110000, 300},  // Emoji and the like.
};

std::uint32_t code_point(std::string_view character) {
  const auto byte = [&](std::size_t i) {
    return static_cast<std::uint32_t>(static_cast<unsigned char>(character[i]));
  };
  if (character.size() == 2) return (byte(0) & 0x1f) << 6 | (byte(1) & 0x3f);
  if (character.size() == 3) {
    return (byte(0) & 0xf) << 12 | (byte(1) & 0x3f) << 6 | (byte(2) & 0x3f);
  }
  return (byte(0) & 0x7) << 18 | (byte(1) & 0x3f) << 12 |
         (byte(2) & 0x3f) << 6 | (byte(3) & 0x3f);
}

Piece character_at(std::string_view text, std::size_t at) {
  const std::size_t size = first_character_size(text.substr(at, 4));
  if (size <= 1) return {1, kToken};
  const std::uint32_t code = code_point(text.substr(at, size));
  const auto script =
      std::ranges::upper_bound(kScripts, code, std::less(), &Script::below);
  return {size, script == kScripts.end() ? 4 * kToken : script->cost};
}

Piece piece_at(std::string_view text, std::size_t at) {
  const char c = text[at];
  if (ascii::is_space(c)) return space_at(text, at);
  if (ascii::is_digit(c)) return digits_at(text, at);
  if (is_lower(c) || is_upper(c)) return word_at(text, at);
  return is_ascii(c) ? sign_at(text, at) : character_at(text, at);
}

// The number of bytes of `text`, in whole pieces, that cost at most `max`.
std::size_t fitting_size(std::string_view text, Cost max) {
  std::size_t at = 0;
  while (at < text.size()) {
    const Piece piece = piece_at(text, at);
    max -= piece.cost;
    if (max < 0) break;
    at += piece.size;
  }
  return at;
}

std::string_view without_trailing_space(std::string_view text) {
  while (!text.empty() && ascii::is_space(text.back())) text.remove_suffix(1);
  return text;
}

}  // namespace

std::int64_t estimate_tokens(std::string_view text) {
  Cost cost = 0;
  for (std::size_t at = 0; at < text.size();) {
    const Piece piece = piece_at(text, at);
    cost += piece.cost;
    at += piece.size;
  }
  return (cost + kToken - 1) / kToken;
}

std::string truncate_tokens(std::string_view text, std::int64_t max) {
  // No byte costs more than 4 tokens; the clamp keeps `max * kToken` in range.
  max = std::clamp<std::int64_t>(max, 0, static_cast<Cost>(text.size()) * 4);
  if (fitting_size(text, max * kToken) == text.size()) {
    return std::string(text);
  }
  if (max == 0) return "";
  // One token is left for the ellipsis.
  const std::size_t size = fitting_size(text, (max - 1) * kToken);
  return std::string(without_trailing_space(text.substr(0, size))) +
         std::string(kEllipsis);
}

}  // namespace lamarck::thought
