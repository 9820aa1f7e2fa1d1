// The function within what a model says.
//
// Models, small ones above all, wrap code in fences and chatter, repeat what
// they were shown, rename it, or give only its body or a single expression.

#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

namespace lamarck::archipelago {

// What the model was asked for.
struct WantedFunction {
  std::string name = "equation";
  std::string header;  // "def equation(x, params):", for a bare body.
  // The versions that were shown, named `name`: 0, 1 ... A function that calls
  // one of them by its versioned name gets its text.
  std::vector<std::string> versions;
};

// "equation_v2".
std::string versioned_name(std::string_view name, std::size_t index);

// Python texts that may be meant, the likeliest first, each with the function
// under its own name, its helpers, its imports and little else. Empty if the
// reply has nothing that looks like code.
std::vector<std::string> function_candidates(std::string_view reply,
                                             const WantedFunction& wanted);

}  // namespace lamarck::archipelago
