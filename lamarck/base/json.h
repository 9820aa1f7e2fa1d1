// JSON that comes from outside, checked; JSON that goes out, always valid.
//
// Only the forward declaration is included here: a source that builds or reads
// values includes <nlohmann/json.hpp> itself.

#pragma once

#include <cstddef>
#include <string>
#include <string_view>
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

// The field `name` of an object as T: bool, int64_t, double, std::string or
// Json. The error names the field, what it should be and what it is.
template <class T>
Result<T> json_field(const Json& object, std::string_view name);

// Likewise, but `otherwise` where the object has no such field or null.
template <class T>
Result<T> json_field_or(const Json& object, std::string_view name, T otherwise);

// The error as {"code", "message", "fields"}.
Json error_to_json(const Error& error);

}  // namespace lamarck
