// Fills the references in the arguments of a step: {"$param": NAME},
// {"$result": {"step": N, "path": POINTER}} and {"$literal": VALUE}. Values are
// copied as data; nothing is spliced into text.

#pragma once

#include <functional>
#include <vector>

#include "lamarck/base/json.h"
#include "lamarck/base/result.h"

namespace lamarck::agent {

// What references point to.
struct StepValues {
  Json params;                // An object.
  std::vector<Json> results;  // Of the steps 1, 2, ... that are done.
};

// Fails with InvalidArgument for a missing parameter, step or path.
Result<Json> fill_arguments(const Json& arguments, const StepValues& values);

}  // namespace lamarck::agent
