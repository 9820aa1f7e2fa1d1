// Checked parsing of untrusted JSON, and output that is always valid.
//
// This header includes only nlohmann's forward declaration; a source that
// builds or reads values includes <nlohmann/json.hpp> itself.

#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <type_traits>
#include <nlohmann/json_fwd.hpp>

#include "lamarck/base/result.h"

namespace lamarck {

using Json = nlohmann::json;

struct JsonLimits {
  std::size_t size_bytes = std::size_t{64} << 20;
  std::size_t depth = 256;  // Nesting of arrays and objects.
};

// Parses one UTF-8 JSON text. A syntax error names the line and column.
Result<Json> parse_json(std::string_view text, JsonLimits limits = {});

// Writes JSON on one line, or indented by `indent` spaces. Never fails: invalid
// UTF-8 becomes U+FFFD, and NaN and infinities become null.
std::string dump_json(const Json& json, int indent = -1);

// The types that `json_field` can return.
template <class T>
concept JsonFieldType = std::is_same_v<T, bool> ||
    std::is_same_v<T, std::int64_t> || std::is_same_v<T, double> ||
    std::is_same_v<T, std::string> || std::is_same_v<T, Json>;

// Returns the field `name` of an object as T. The error names the field, the
// expected type and the value.
template <JsonFieldType T>
Result<T> json_field(const Json& object, std::string_view name);

// Like `json_field`, but returns `otherwise` if the field is missing or null.
template <JsonFieldType T>
Result<T> json_field_or(const Json& object, std::string_view name,
                        std::type_identity_t<T> otherwise);

// The error as {"code", "message", "fields"}.
Json error_to_json(const Error& error);

}  // namespace lamarck
