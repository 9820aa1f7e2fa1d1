#include "lamarck/server/rest/query_string.h"

#include <algorithm>
#include <optional>
#include <string>
#include <utility>
#include <nlohmann/json.hpp>

#include "lamarck/base/macros.h"
#include "lamarck/base/one_line.h"
#include "lamarck/base/string_split.h"
#include "lamarck/server/mcp/internal/uri_template.h"

namespace lamarck::server {
namespace {

Result<std::string> decoded_part(std::string_view text) {
  std::string spaced(text);
  std::ranges::replace(spaced, '+', ' ');
  std::optional<std::string> decoded = mcp::percent_decoded(spaced);
  if (decoded) return std::move(*decoded);
  return invalid_argument("The query has an invalid %-escape in " +
                          in_quotes(text) + ".");
}

}  // namespace

Result<Json> parse_query_string(std::string_view query) {
  Json parameters = Json::object();
  if (query.empty()) return parameters;
  for (const std::string_view part : split_text(query, '&')) {
    if (part.empty()) continue;
    const std::size_t equals = part.find('=');
    const bool has_value = equals != std::string_view::npos;
    ASSIGN_OR_RETURN(const std::string name,
                     decoded_part(part.substr(0, equals)));
    ASSIGN_OR_RETURN(std::string value,
                     decoded_part(has_value ? part.substr(equals + 1) : ""));
    if (parameters.contains(name)) {
      return invalid_argument("The query parameter " + in_quotes(name) +
                              " must be given once.");
    }
    parameters[name] = std::move(value);
  }
  return parameters;
}

}  // namespace lamarck::server
