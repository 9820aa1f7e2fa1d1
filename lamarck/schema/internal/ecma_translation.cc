#include "lamarck/schema/internal/ecma_translation.h"

#include <algorithm>
#include <charconv>
#include <optional>
#include <fmt/core.h>

#include "lamarck/base/macros.h"
#include "lamarck/base/one_line.h"
#include "lamarck/base/unicode.h"
#include "lamarck/schema/internal/ecma_escape.h"

namespace lamarck::schema {
namespace {

constexpr std::size_t kMaxExpressionBytes = 200'000;
constexpr std::size_t kMaxCount = 1000;  // RE2's limit for {n}.
constexpr std::size_t kNoMaximum = static_cast<std::size_t>(-1);

struct Repetition {
  std::size_t minimum = 0;
  std::size_t maximum = 0;
  std::size_t size_bytes = 0;
};

// Reads "{2}", "{2,}" or "{2,5}" at the start of `text`.
std::optional<Repetition> read_repetition(std::string_view text) {
  const char* at = text.data() + 1;
  const char* const end = text.data() + text.size();
  Repetition counts;
  auto [stop, failure] = std::from_chars(at, end, counts.minimum);
  if (failure != std::errc() || stop == end) return std::nullopt;
  counts.maximum = counts.minimum;
  if (*stop == ',') {
    counts.maximum = kNoMaximum;
    at = ++stop;
    if (at != end && *at != '}') {
      stop = std::from_chars(at, end, counts.maximum).ptr;
      if (stop == at) return std::nullopt;
    }
  }
  if (stop == end || *stop != '}') return std::nullopt;
  counts.size_bytes = static_cast<std::size_t>(stop - text.data()) + 1;
  return counts;
}

// Translates one expression. Groups become non-capturing, because back
// references are not supported.
class Translator {
 public:
  explicit Translator(std::string_view pattern) : rest_(pattern) {}

  Result<std::string> translate() {
    while (!rest_.empty()) {
      RETURN_IF_ERROR(translate_next());
      if (written_.size() > kMaxExpressionBytes) {
        return pattern_error("its repetitions are too large");
      }
    }
    return written_;
  }

 private:
  Result<void> translate_next() {
    switch (rest_.front()) {
      case '\\':
        return translate_escape();
      case '[':
        return translate_class();
      case '(':
        return translate_group();
      case '{':
        return translate_repetition();
      case ')':
        return close_group();
      case '.':
        write_atom(R"([^\n\r\x{2028}\x{2029}])", 1);
        return {};
      case '*':
      case '+':
      case '?':
      case '|':
      case '^':
      case '$':
        written_ += rest_.front();
        rest_.remove_prefix(1);
        return {};
      default:
        return translate_character();
    }
  }

  void write_atom(std::string_view text, std::size_t read_bytes) {
    atom_start_ = written_.size();
    written_ += text;
    rest_.remove_prefix(read_bytes);
  }

  Result<void> translate_character() {
    const std::size_t size = first_character_size(rest_);
    const std::string_view text = rest_.substr(0, size);
    if (size == 1) {
      write_atom(pattern_character(static_cast<unsigned char>(text[0])), 1);
    } else {
      write_atom(text, size);
    }
    return {};
  }

  Result<void> translate_escape() {
    if (rest_.starts_with("\\b") || rest_.starts_with("\\B")) {
      write_atom(rest_.substr(0, 2), 2);
      return {};
    }
    ASSIGN_OR_RETURN(const PatternEscape escape, read_escape(rest_));
    write_atom(escape.set.empty() ? pattern_character(escape.character)
                                  : "[" + escape.set + "]",
               escape.size_bytes);
    return {};
  }

  Result<void> translate_group() {
    std::size_t size = 1;
    if (rest_.starts_with("(?:")) {
      size = 3;
    } else if (rest_.starts_with("(?=") || rest_.starts_with("(?!") ||
               rest_.starts_with("(?<=") || rest_.starts_with("(?<!")) {
      return pattern_error(
          "it contains look-around other than look-ahead after a leading '^', "
          "which cannot be matched in bounded time");
    } else if (rest_.starts_with("(?<") &&
               rest_.find('>') != std::string_view::npos) {
      size = rest_.find('>') + 1;
    } else if (rest_.starts_with("(?")) {
      return pattern_error(fmt::format("the group {} is unknown",
                                       in_quotes(rest_.substr(0, 4))));
    }
    open_groups_.push_back(written_.size());
    written_ += "(?:";
    rest_.remove_prefix(size);
    return {};
  }

  Result<void> close_group() {
    if (open_groups_.empty()) return pattern_error("a ')' has no matching '('");
    atom_start_ = open_groups_.back();
    open_groups_.pop_back();
    written_ += ')';
    rest_.remove_prefix(1);
    return {};
  }

  // RE2 limits a repetition to 1000, so larger counts are split into several.
  Result<void> translate_repetition() {
    const std::optional<Repetition> counts = read_repetition(rest_);
    if (!counts.has_value()) return translate_character();
    if (atom_start_ >= written_.size()) {
      return pattern_error("a repetition has nothing to repeat");
    }
    const std::string atom = written_.substr(atom_start_);
    const bool is_unbounded = counts->maximum == kNoMaximum;
    const std::size_t more =
        is_unbounded ? 0 : counts->maximum - counts->minimum;
    if (counts->maximum < counts->minimum) {
      return pattern_error("the numbers of a repetition are out of order");
    }
    if ((counts->minimum + more) / kMaxCount * atom.size() >
        kMaxExpressionBytes) {
      return pattern_error("its repetitions are too large");
    }
    written_.resize(atom_start_);
    written_ += "(?:";
    write_counted(atom, counts->minimum, "{{{}}}");
    write_counted(atom, more, "{{0,{}}}");
    if (is_unbounded) written_ += atom + "*";
    written_ += ")";
    rest_.remove_prefix(counts->size_bytes);
    // Laziness does not change whether the text matches.
    if (rest_.starts_with('?')) rest_.remove_prefix(1);
    return {};
  }

  void write_counted(const std::string& atom, std::size_t count,
                     std::string_view form) {
    for (std::size_t done = 0; done < count; done += kMaxCount) {
      written_ += atom + fmt::format(fmt::runtime(form),
                                     std::min(kMaxCount, count - done));
    }
  }

  Result<void> translate_class() {
    std::size_t at = rest_.starts_with("[^") ? 2 : 1;
    std::string items;
    while (at < rest_.size() && rest_[at] != ']') {
      RETURN_IF_ERROR(translate_class_item(at, items));
    }
    if (at >= rest_.size()) return pattern_error("a '[' is not closed");
    const bool is_negated = rest_[1] == '^';
    // ECMA-262 allows [], which matches nothing, and [^]; RE2 rejects both.
    if (items.empty()) {
      write_atom(is_negated ? "[\\x00-\\x{10ffff}]" : "[^\\x00-\\x{10ffff}]",
                 at + 1);
    } else {
      write_atom((is_negated ? "[^" : "[") + items + "]", at + 1);
    }
    return {};
  }

  // Translates one character, set or range of a class at position `at`.
  Result<void> translate_class_item(std::size_t& at, std::string& items) {
    ASSIGN_OR_RETURN(const PatternEscape first, read_class_character(at));
    at += first.size_bytes;
    items += first.set.empty() ? pattern_character(first.character) : first.set;
    const bool is_range = at + 1 < rest_.size() && rest_[at] == '-' &&
                          rest_[at + 1] != ']' && first.set.empty();
    if (!is_range) return {};
    ASSIGN_OR_RETURN(const PatternEscape last, read_class_character(at + 1));
    at += 1 + last.size_bytes;
    // As in "a-\d": the hyphen is a character.
    if (!last.set.empty()) {
      items += "\\-" + last.set;
      return {};
    }
    if (last.character < first.character) {
      return pattern_error("the ends of a range are out of order");
    }
    items += "-" + pattern_character(last.character);
    return {};
  }

  Result<PatternEscape> read_class_character(std::size_t at) const {
    const std::string_view text = rest_.substr(at);
    if (text.starts_with("\\b")) return PatternEscape{{}, U'\b', 2};
    if (text.starts_with('\\')) return read_escape(text);
    const std::size_t size = first_character_size(text);
    return PatternEscape{{}, decode(text.substr(0, size)), size};
  }

  // REQUIRES: one character of valid UTF-8, or one byte.
  static char32_t decode(std::string_view text) {
    const auto lead = static_cast<unsigned char>(text.front());
    if (text.size() == 1) return lead;
    char32_t character = lead & (0xFFU >> (text.size() + 1));
    for (const char c : text.substr(1)) {
      character = (character << 6) | (static_cast<unsigned char>(c) & 0x3FU);
    }
    return character;
  }

  std::string_view rest_;
  std::string written_;
  std::size_t atom_start_ = 0;            // Where the last atom is in written_.
  std::vector<std::size_t> open_groups_;  // Starts in written_.
};

// `end` is the position after the group at the start of the text, or 0 if it is
// not closed. `has_outer_alternative`: there is a '|' outside of all groups.
struct GroupScan {
  std::size_t end = 0;
  bool has_outer_alternative = false;
};

GroupScan scan_groups(std::string_view text) {
  GroupScan scan;
  std::size_t depth = 0;
  bool is_in_class = false;
  for (std::size_t i = 0; i < text.size(); ++i) {
    const char c = text[i];
    if (c == '\\') {
      ++i;
    } else if (is_in_class) {
      is_in_class = c != ']';
    } else if (c == '[') {
      is_in_class = true;
    } else if (c == '(') {
      ++depth;
    } else if (c == ')' && depth > 0) {
      if (--depth == 0 && scan.end == 0) scan.end = i + 1;
    } else if (c == '|' && depth == 0) {
      scan.has_outer_alternative = true;
    }
  }
  return scan;
}

bool begins_with_look_ahead(std::string_view text) {
  return text.starts_with("(?=") || text.starts_with("(?!");
}

Result<PatternPart> translate_part(std::string_view pattern, bool is_wanted,
                                   bool is_anchored) {
  ASSIGN_OR_RETURN(std::string text, Translator(pattern).translate());
  if (is_anchored) text = "^(?:" + text + ")";
  return PatternPart{std::move(text), is_wanted};
}

}  // namespace

Result<std::vector<PatternPart>> translate_pattern(std::string_view pattern) {
  std::vector<PatternPart> parts;
  std::string_view rest = pattern;
  // With an outer '|', the '^' applies to the first alternative only.
  const bool is_anchored =
      pattern.starts_with('^') && !scan_groups(pattern).has_outer_alternative;
  if (is_anchored) rest.remove_prefix(1);
  while (is_anchored && begins_with_look_ahead(rest)) {
    const std::size_t end = scan_groups(rest).end;
    if (end == 0) return pattern_error("a '(' is not closed");
    ASSIGN_OR_RETURN(PatternPart part, translate_part(rest.substr(3, end - 4),
                                                      rest[2] == '=', true));
    parts.push_back(std::move(part));
    rest.remove_prefix(end);
  }
  ASSIGN_OR_RETURN(PatternPart part, translate_part(rest, true, is_anchored));
  parts.push_back(std::move(part));
  return parts;
}

}  // namespace lamarck::schema
