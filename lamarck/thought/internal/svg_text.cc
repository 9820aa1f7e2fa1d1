#include "lamarck/thought/internal/svg_text.h"

#include "lamarck/base/unicode.h"

namespace lamarck::thought::internal {
namespace {

// Treats characters from U+1100 on as wide, except U+2000 to U+2E7F
// (punctuation, arrows, mathematics). UTF-8 sorts like code points, so bytes
// are compared.
std::size_t columns_of(std::string_view character) {
  if (character.size() < 3) return 1;
  const bool is_sign =
      character >= "\xe2\x80\x80" && character < "\xe2\xba\x80";
  return character >= "\xe1\x84\x80" && !is_sign ? 2 : 1;
}

// The number of bytes of `text` that fit into a line, and whether that is all
// of it.
struct Line {
  std::size_t size = 0;
  bool is_all = false;
};

Line first_line(std::string_view text, std::size_t columns) {
  std::size_t at = 0;
  std::size_t used = 0;
  std::size_t last_blank = 0;
  while (at < text.size()) {
    const std::size_t size = first_character_size(text.substr(at, 4));
    used += columns_of(text.substr(at, size));
    if (used > columns) break;
    if (text[at] == ' ') last_blank = at;
    at += size;
  }
  if (at >= text.size()) return {text.size(), true};
  if (text[at] == ' ') return {at, false};
  return {last_blank > 0 ? last_blank : at, false};
}

}  // namespace

std::vector<std::string> wrapped(std::string_view text, std::size_t columns,
                                 std::size_t max_lines) {
  std::vector<std::string> lines;
  while (!text.empty() && lines.size() < max_lines) {
    const bool is_last = lines.size() + 1 == max_lines;
    // The last line leaves one column for the ellipsis if text remains.
    Line line = first_line(text, columns);
    if (is_last && !line.is_all) line = first_line(text, columns - 1);
    lines.emplace_back(text.substr(0, line.size));
    if (is_last && !line.is_all) lines.back() += "\u2026";
    text.remove_prefix(line.size);
    while (text.starts_with(' ')) text.remove_prefix(1);
  }
  return lines;
}

}  // namespace lamarck::thought::internal
