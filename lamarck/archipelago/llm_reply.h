// Finds the function in a model's reply.
//
// Models, especially small ones, wrap code in fences and prose, repeat what
// they were shown, rename it, or return only a body or a single expression.

#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

namespace lamarck::archipelago {

// What the model was asked for.
struct WantedFunction {
  std::string name = "equation";
  std::string header;  // "def equation(x, params):"; put before a bare body.
  // The sources of the versions that were shown, each defining `name`. If the
  // reply calls one by its versioned name, the source is added to it.
  std::vector<std::string> versions;
};

// "equation_v2".
std::string versioned_name(std::string_view name, std::size_t index);

// Returns Python sources that the reply may mean, the most likely first. Each
// defines the function under `wanted.name`, with its helpers and imports.
// Returns an empty vector if nothing in the reply looks like code.
std::vector<std::string> function_candidates(std::string_view reply,
                                             const WantedFunction& wanted);

}  // namespace lamarck::archipelago
