// For tests: the value of a node, or the kind of error that an action throws.

#pragma once

#include <functional>
#include <string>
#include <vector>

#include "lamarck/base/error.h"
#include "lamarck/graph/var.h"

namespace lamarck {

// Runs the node and returns its elements.
inline std::vector<float> computed(const Var& var) {
  var.forward();
  return var.value().to_vector();
}

// Returns the field `kind` of the LogicError that `work` throws.
inline std::string kind_of_failure(const std::function<void()>& work) {
  try {
    work();
  } catch (const LogicError& caught) {
    return caught.error().fields().at("kind");
  }
  return "nothing was thrown";
}

}  // namespace lamarck
