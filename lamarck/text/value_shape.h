// The shape of a short text: what kind of characters it has, not which. Values
// of one parameter tend to have the same shape.

#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace lamarck::text {

// A keyword of JSON Schema: the shapes that values of a string have had. It is
// a hint for models that copy values and no condition.
inline constexpr const char* kShapesKeyword = "x-shapes";

// Runs of letters become "W" if they begin with a capital, otherwise "w"; runs
// of digits become "9"; other ASCII characters stay: "Ada Lovelace" -> "W W",
// "#team" -> "#w", "13:25" -> "9:9", "W1105" -> "W9".
std::string value_shape(std::string_view text);

// Whether `text` has one of the shapes. Capitals matter only if all shapes
// begin with one.
bool has_shape(std::string_view text, const std::vector<std::string>& shapes);

}  // namespace lamarck::text
