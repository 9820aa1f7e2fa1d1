// The body of a function within text that has no function.

#pragma once

#include <string>
#include <string_view>

namespace lamarck::archipelago {

// The lines from the first that looks like code to the last `return`, or the
// only line as an expression to return; indented by four spaces. Empty if
// there is neither.
std::string function_body(std::string_view text);

}  // namespace lamarck::archipelago
