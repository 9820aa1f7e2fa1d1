// JSON pointers (RFC 6901), piece by piece.

#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "lamarck/base/json.h"

namespace lamarck::schema {

// "a/b~" as it stands in a pointer: "/a~1b~0", with the slash.
std::string pointer_token(std::string_view name);

// The names in "/a~1b/0": {"a/b", "0"}. REQUIRES: empty or begins with '/'.
std::vector<std::string> split_pointer(std::string_view pointer);

// The child that one name of a pointer leads to, or null.
const Json* pointer_child(const Json& parent, const std::string& name);

}  // namespace lamarck::schema
