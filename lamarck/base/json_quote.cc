#include "lamarck/base/json_quote.h"

#include <nlohmann/json.hpp>

#include "lamarck/base/unicode.h"

namespace lamarck {
namespace {

bool is_plain(char c) {
  return static_cast<unsigned char>(c) >= ' ' && c != '"' && c != '\\';
}

void append_escape(std::string& out, char c) {
  constexpr std::string_view kCharacters = "\"\\\b\f\n\r\t";
  constexpr std::string_view kNames = "\"\\bfnrt";
  constexpr std::string_view kHex = "0123456789abcdef";
  out += '\\';
  const std::size_t index = kCharacters.find(c);
  if (index != std::string_view::npos) {
    out += kNames[index];
    return;
  }
  const auto code = static_cast<unsigned char>(c);
  out += "u00";
  out += kHex[code >> 4];
  out += kHex[code & 15];
}

}  // namespace

void append_quoted_json(std::string& out, std::string_view text) {
  if (!is_valid_utf8(text)) {
    constexpr auto kReplace = nlohmann::json::error_handler_t::replace;
    out += nlohmann::json(text).dump(-1, ' ', false, kReplace);
    return;
  }
  out += '"';
  std::size_t begin = 0;  // Start of the pending unescaped run.
  for (std::size_t i = 0; i < text.size(); ++i) {
    if (is_plain(text[i])) continue;
    out += text.substr(begin, i - begin);
    append_escape(out, text[i]);
    begin = i + 1;
  }
  out += text.substr(begin);
  out += '"';
}

std::string quote_json(std::string_view text) {
  std::string quoted;
  quoted.reserve(text.size() + text.size() / 8 + 2);
  append_quoted_json(quoted, text);
  return quoted;
}

}  // namespace lamarck
