// Finds the body of a function in text that does not define one.

#pragma once

#include <string>
#include <string_view>

namespace lamarck::archipelago {

// Returns the body indented by four spaces: the lines from the first one that
// looks like code to the last `return` or, if the text is a single expression,
// "return" and that expression. Returns an empty string if there is neither.
std::string function_body(std::string_view text);

}  // namespace lamarck::archipelago
