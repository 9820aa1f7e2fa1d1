// JSON that comes from outside, checked; JSON that goes out, always valid.
//
// Only the forward declaration is included here: a source that builds or reads
// values includes <nlohmann/json.hpp> itself.

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
  std::size_t depth = 256;  // Of nested arrays and objects.
};

// One JSON text, UTF-8. The error names the line and column.
Result<Json> parse_json(std::string_view text, JsonLimits limits = {});

// On one line, or indented by `indent` spaces. Bytes that are not UTF-8 become
// U+FFFD and numbers that JSON lacks become null, so it never fails.
std::string dump_json(const Json& json, int indent = -1);

// What a field can be read as.
template <class T>
concept JsonFieldType = std::is_same_v<T, bool> ||
    std::is_same_v<T, std::int64_t> || std::is_same_v<T, double> ||
    std::is_same_v<T, std::string> || std::is_same_v<T, Json>;

// The field `name` of an object as T. The error names the field, what it should
// be and what it is.
template <JsonFieldType T>
Result<T> json_field(const Json& object, std::string_view name);

// Likewise, but `otherwise` where the object has no such field or null.
template <JsonFieldType T>
Result<T> json_field_or(const Json& object, std::string_view name,
                        std::type_identity_t<T> otherwise);

// The error as {"code", "message", "fields"}.
Json error_to_json(const Error& error);

}  // namespace lamarck
