#include "lamarck/server/mcp/internal/mcp_id_scan.h"

#include <algorithm>
#include <nlohmann/json.hpp>

#include "lamarck/base/json.h"

namespace lamarck::mcp {
namespace {

constexpr std::string_view kSpace = " \t\r\n";
constexpr std::size_t kMaxIdSize = 1000;

// The position after the string that starts at `begin`.
std::size_t string_end(std::string_view text, std::size_t begin) {
  for (std::size_t i = begin + 1; i < text.size(); ++i) {
    if (text[i] == '\\') {
      ++i;
    } else if (text[i] == '"') {
      return i + 1;
    }
  }
  return text.size();
}

// The string or integer that starts at `begin`, as JSON text; "" = neither.
std::string id_at(std::string_view text, std::size_t begin) {
  begin = text.find_first_not_of(kSpace, begin);
  if (begin == std::string_view::npos) return "";
  const std::size_t end = text[begin] == '"'
                              ? string_end(text, begin)
                              : text.find_first_of(",} \t\r\n", begin);
  if (end == std::string_view::npos || end - begin > kMaxIdSize) return "";
  const auto id = parse_json(text.substr(begin, end - begin));
  const bool is_id = id && (id->is_string() || id->is_number_integer());
  return is_id ? dump_json(*id) : "";
}

}  // namespace

std::string scan_request_id(std::string_view text) {
  std::string id;
  std::size_t ids = 0;
  bool has_method = false;
  std::size_t depth = 0;
  // Not a parser: it only tracks strings and nesting, so it also works on text
  // that is too deep or truncated.
  if (!text.substr(std::min(text.find_first_not_of(kSpace), text.size()))
           .starts_with('{')) {
    return "";
  }
  for (std::size_t i = 0; i < text.size(); ++i) {
    if (text[i] == '{' || text[i] == '[') ++depth;
    if ((text[i] == '}' || text[i] == ']') && --depth == 0) break;
    if (text[i] != '"') continue;
    const std::size_t end = string_end(text, i);
    const std::size_t colon = text.find_first_not_of(kSpace, end);
    const bool is_name =
        depth == 1 && colon != std::string_view::npos && text[colon] == ':';
    const std::string_view name = text.substr(i, end - i);
    if (is_name && name == R"("method")") has_method = true;
    if (is_name && name == R"("id")" && ++ids == 1) id = id_at(text, colon + 1);
    i = end - 1;
  }
  return has_method && ids == 1 ? id : "";
}

}  // namespace lamarck::mcp
