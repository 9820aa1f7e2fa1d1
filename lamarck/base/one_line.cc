#include "lamarck/base/one_line.h"

#include <fmt/format.h>

#include "lamarck/base/unicode.h"

namespace lamarck {

std::string one_line(std::string_view text, std::size_t max_characters) {
  // Cut first, so that a huge text costs nothing. A UTF-8 character has at most
  // four bytes.
  const std::string cut = truncate_characters(
      make_valid_utf8(text.substr(0, 4 * max_characters + 4)), max_characters);
  std::string line;
  for (const char c : cut) {
    const auto byte = static_cast<unsigned char>(c);
    if (c == '\n') {
      line += "\\n";
    } else if (c == '\t') {
      line += "\\t";
    } else if (byte < 0x20 || byte == 0x7F) {
      line += fmt::format("\\x{:02x}", byte);
    } else {
      line += c;
    }
  }
  return line;
}

std::string in_quotes(std::string_view text, std::size_t max_characters) {
  return "'" + one_line(text, max_characters) + "'";
}

}  // namespace lamarck
