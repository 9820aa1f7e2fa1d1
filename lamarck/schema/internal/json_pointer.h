// The parts of JSON pointers (RFC 6901).

#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "lamarck/base/json.h"

namespace lamarck::schema {

// Escapes a name for a pointer and prepends the slash: "a/b~" gives "/a~1b~0".
std::string pointer_token(std::string_view name);

// Splits "/a~1b/0" into {"a/b", "0"}. REQUIRES: empty or starts with '/'.
std::vector<std::string> split_pointer(std::string_view pointer);

// The child that one part of a pointer refers to, or null.
const Json* pointer_child(const Json& parent, const std::string& name);

}  // namespace lamarck::schema
