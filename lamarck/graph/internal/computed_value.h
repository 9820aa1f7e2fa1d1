// For tests: what a node gives, or which mistake it tells of.

#pragma once

#include <functional>
#include <string>
#include <vector>

#include "lamarck/base/error.h"
#include "lamarck/graph/var.h"

namespace lamarck {

// The node's elements after a run.
inline std::vector<float> computed(const Var& var) {
  var.forward();
  return var.value().to_vector();
}

// The `kind` of the mistake that `work` is told of.
inline std::string kind_of_failure(const std::function<void()>& work) {
  try {
    work();
  } catch (const LogicError& caught) {
    return caught.error().fields().at("kind");
  }
  return "nothing was thrown";
}

}  // namespace lamarck
