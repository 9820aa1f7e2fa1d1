// Finds the body of a function in text that does not define one.

#pragma once

#include <string>
#include <string_view>

namespace lamarck::archipelago {

// Returns the lines from the first that looks like code to the last `return`,
// or "return" and the only line; indented by four spaces. Returns an empty
// string if there is neither.
std::string function_body(std::string_view text);

}  // namespace lamarck::archipelago
