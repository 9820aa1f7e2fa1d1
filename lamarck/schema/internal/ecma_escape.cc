#include "lamarck/schema/internal/ecma_escape.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <utility>
#include <fmt/core.h>

#include "lamarck/base/macros.h"
#include "lamarck/base/one_line.h"

namespace lamarck::schema {
namespace {

using Entry = std::pair<std::string_view, std::string_view>;

// The white space and line ends of ECMA-262. RE2's \s covers ASCII only.
constexpr std::string_view kSpaces =
    R"(\x09-\x0d\x20\x{a0}\x{1680}\x{2000}-\x{200a}\x{2028}\x{2029}\x{202f})"
    R"(\x{205f}\x{3000}\x{feff})";
constexpr std::string_view kNotSpaces =
    R"(\x00-\x08\x0e-\x1f\x21-\x{9f}\x{a1}-\x{167f}\x{1681}-\x{1fff}\x{200b}-)"
    R"(\x{2027}\x{202a}-\x{202e}\x{2030}-\x{205e}\x{2060}-\x{2fff}\x{3001}-)"
    R"(\x{fefe}\x{ff00}-\x{10ffff})";

constexpr std::array kSets = {Entry{"d", R"(\d)"}, Entry{"D", R"(\D)"},
                              Entry{"w", R"(\w)"}, Entry{"W", R"(\W)"},
                              Entry{"s", kSpaces}, Entry{"S", kNotSpaces}};

// RE2 knows only the short names of categories.
constexpr std::array kCategories = {
    Entry{"Other", "C"},
    Entry{"Control", "Cc"},
    Entry{"Format", "Cf"},
    Entry{"Private_Use", "Co"},
    Entry{"Surrogate", "Cs"},
    Entry{"Letter", "L"},
    Entry{"Lowercase_Letter", "Ll"},
    Entry{"Modifier_Letter", "Lm"},
    Entry{"Other_Letter", "Lo"},
    Entry{"Titlecase_Letter", "Lt"},
    Entry{"Uppercase_Letter", "Lu"},
    Entry{"Mark", "M"},
    Entry{"Combining_Mark", "M"},
    Entry{"Spacing_Mark", "Mc"},
    Entry{"Enclosing_Mark", "Me"},
    Entry{"Nonspacing_Mark", "Mn"},
    Entry{"Number", "N"},
    Entry{"Decimal_Number", "Nd"},
    Entry{"digit", "Nd"},
    Entry{"Letter_Number", "Nl"},
    Entry{"Other_Number", "No"},
    Entry{"Punctuation", "P"},
    Entry{"punct", "P"},
    Entry{"Connector_Punctuation", "Pc"},
    Entry{"Dash_Punctuation", "Pd"},
    Entry{"Close_Punctuation", "Pe"},
    Entry{"Final_Punctuation", "Pf"},
    Entry{"Initial_Punctuation", "Pi"},
    Entry{"Other_Punctuation", "Po"},
    Entry{"Open_Punctuation", "Ps"},
    Entry{"Symbol", "S"},
    Entry{"Currency_Symbol", "Sc"},
    Entry{"Modifier_Symbol", "Sk"},
    Entry{"Math_Symbol", "Sm"},
    Entry{"Other_Symbol", "So"},
    Entry{"Separator", "Z"},
    Entry{"Line_Separator", "Zl"},
    Entry{"Paragraph_Separator", "Zp"},
    Entry{"Space_Separator", "Zs"},
};

constexpr std::array kControls = {Entry{"t", "\t"}, Entry{"n", "\n"},
                                  Entry{"v", "\v"}, Entry{"f", "\f"},
                                  Entry{"r", "\r"}};

template <std::size_t Size>
const Entry* find_entry(const std::array<Entry, Size>& entries,
                        std::string_view name) {
  const auto* found = std::ranges::find(entries, name, &Entry::first);
  return found == entries.end() ? nullptr : found;
}

bool is_word_character(char c) {
  return (c >= '0' && c <= '9') || (c >= 'a' && c <= 'z') ||
         (c >= 'A' && c <= 'Z') || c == '_';
}

Result<PatternEscape> hex_escape(std::string_view text, std::size_t start,
                                 std::size_t end) {
  unsigned value = 0;
  const bool fits = start < end && end <= text.size();
  if (!fits ||
      std::from_chars(text.data() + start, text.data() + end, value, 16).ptr !=
          text.data() + end) {
    return pattern_error(fmt::format("the escape {} lacks hexadecimal digits",
                                     in_quotes(text.substr(0, 10))));
  }
  if (value > 0x10FFFF) return pattern_error("a character is above U+10FFFF");
  return PatternEscape{.character = value, .size_bytes = end};
}

// Handles \uXXXX, \u{X...} and surrogate pairs: \uD83D\uDE00 is one character.
Result<PatternEscape> unicode_escape(std::string_view text) {
  if (text.substr(2).starts_with('{')) {
    const std::size_t close = text.find('}');
    if (close == std::string_view::npos) {
      return pattern_error("the escape '\\u{' is not closed");
    }
    ASSIGN_OR_RETURN(PatternEscape escape, hex_escape(text, 3, close));
    ++escape.size_bytes;
    return escape;
  }
  ASSIGN_OR_RETURN(PatternEscape first, hex_escape(text, 2, 6));
  if (first.character < 0xD800 || first.character > 0xDFFF) return first;
  const std::string_view rest = text.substr(6);
  if (first.character <= 0xDBFF && rest.starts_with("\\u")) {
    ASSIGN_OR_RETURN(const PatternEscape second, hex_escape(rest, 2, 6));
    if (second.character >= 0xDC00 && second.character <= 0xDFFF) {
      first.character = 0x10000 + ((first.character - 0xD800) << 10) +
                        (second.character - 0xDC00);
      first.size_bytes = 12;
      return first;
    }
  }
  return pattern_error("it contains an unpaired surrogate");
}

std::string_view strip_prefix(
    std::string_view name, std::initializer_list<std::string_view> prefixes) {
  for (const std::string_view prefix : prefixes) {
    if (name.starts_with(prefix)) return name.substr(prefix.size());
  }
  return name;
}

Result<PatternEscape> property_escape(std::string_view text) {
  const std::size_t close = text.find('}');
  if (!text.substr(2).starts_with('{') || close == std::string_view::npos) {
    return pattern_error(
        "'\\p' needs a property in braces, such as '\\p{Letter}'");
  }
  // RE2 has no prefixes; categories and scripts share one namespace.
  std::string_view name = strip_prefix(
      text.substr(3, close - 3), {"General_Category=", "gc=", "Script=", "sc=",
                                  "Script_Extensions=", "scx="});
  if (!std::ranges::all_of(name, is_word_character) || name.empty()) {
    return pattern_error("'\\p' has an invalid property name");
  }
  const bool is_negated = text[1] == 'P';
  const std::size_t size = close + 1;
  if (name == "ASCII" || name == "Any") {
    const std::string end = name == "Any" ? "\\x{10ffff}" : "\\x7f";
    if (!is_negated) return PatternEscape{"\\x00-" + end, 0, size};
    return pattern_error("'\\P' of ASCII or Any is not supported");
  }
  if (const Entry* entry = find_entry(kCategories, name)) name = entry->second;
  return PatternEscape{fmt::format("\\{}{{{}}}", text[1], name), 0, size};
}

Result<PatternEscape> control_escape(std::string_view text) {
  const char letter = text.size() > 2 ? text[2] : '\0';
  if (!is_word_character(letter) || letter == '_' || letter <= '9') {
    return pattern_error("'\\c' needs a letter, such as '\\cJ'");
  }
  return PatternEscape{.character = static_cast<char32_t>(letter % 32),
                       .size_bytes = 3};
}

}  // namespace

Error pattern_error(std::string_view what_is_wrong) {
  return {ErrorCode::InvalidArgument, std::string(what_is_wrong)};
}

std::string pattern_character(char32_t character) {
  if (character < 128 && is_word_character(static_cast<char>(character))) {
    return {static_cast<char>(character)};
  }
  return fmt::format("\\x{{{:x}}}", static_cast<unsigned>(character));
}

Result<PatternEscape> read_escape(std::string_view text) {
  if (text.size() < 2) return pattern_error("it ends with a backslash");
  const std::string_view letter = text.substr(1, 1);
  const char c = text[1];
  if (const Entry* set = find_entry(kSets, letter)) {
    return PatternEscape{std::string(set->second), 0, 2};
  }
  if (const Entry* control = find_entry(kControls, letter)) {
    return PatternEscape{{}, static_cast<char32_t>(control->second.front()), 2};
  }
  if (c == 'p' || c == 'P') return property_escape(text);
  if (c == 'u') return unicode_escape(text);
  if (c == 'x') return hex_escape(text, 2, 4);
  if (c == 'c') return control_escape(text);
  if (c == '0') return PatternEscape{{}, 0, 2};
  if (c == 'k' || (c >= '1' && c <= '9')) {
    return pattern_error(
        "it contains a back reference, which cannot be matched in bounded "
        "time");
  }
  if ((is_word_character(c) && c != '_') || (c & 0x80) != 0) {
    return pattern_error(
        fmt::format("the escape {} is unknown", in_quotes(text.substr(0, 2))));
  }
  return PatternEscape{{}, static_cast<char32_t>(c), 2};
}

}  // namespace lamarck::schema
