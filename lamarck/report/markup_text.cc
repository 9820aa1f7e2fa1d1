#include "lamarck/report/markup_text.h"

#include "lamarck/base/unicode.h"

namespace lamarck::report {
namespace {

void append_escaped(char c, std::string& out) {
  switch (c) {
    case '&':
      out += "&amp;";
      return;
    case '<':
      out += "&lt;";
      return;
    case '>':
      out += "&gt;";
      return;
    case '"':
      out += "&quot;";
      return;
    case '\'':
      out += "&#39;";
      return;
    default:
      // XML forbids control characters even when escaped.
      out += static_cast<unsigned char>(c) < ' ' || c == '\x7F' ? ' ' : c;
  }
}

}  // namespace

std::string markup_text(std::string_view text) {
  std::string out;
  for (const char c : make_valid_utf8(text)) append_escaped(c, out);
  return out;
}

std::string grouped_digits(std::int64_t number) {
  std::string digits = std::to_string(number);
  const std::size_t first = number < 0 ? 1 : 0;
  for (std::size_t at = digits.size(); at > first + 3;) {
    at -= 3;
    digits.insert(at, ",");
  }
  return digits;
}

}  // namespace lamarck::report
