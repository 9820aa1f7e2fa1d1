#include "lamarck/base/json_quote.h"

#include <algorithm>
#include <nlohmann/json.hpp>

#include "lamarck/base/json.h"
#include "lamarck/base/unicode.h"

namespace lamarck {

std::string quote_json(std::string_view text) {
  const auto is_control = [](unsigned char c) { return c < ' '; };
  if (std::ranges::any_of(text, is_control) || !is_valid_utf8(text)) {
    return dump_json(Json(text));
  }
  std::string quoted(2 * text.size() + 2, '"');
  char* end = quoted.data() + 1;
  for (const char c : text) {
    if (c == '"' || c == '\\') *end++ = '\\';
    *end++ = c;
  }
  *end++ = '"';
  quoted.resize(static_cast<std::size_t>(end - quoted.data()));
  return quoted;
}

}  // namespace lamarck
