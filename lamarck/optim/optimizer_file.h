// Stores an optimizer's state in a model file, so that training can resume:
//
//   ModelExtras extras;
//   optim::add_optimizer(extras, adam);
//   save_model("digits.lamarck", graph, extras);

#pragma once

#include <string>

#include "lamarck/base/result.h"
#include "lamarck/graph/graph_file.h"
#include "lamarck/optim/optimizer.h"

namespace lamarck::optim {

// Writes kind, steps and rate to the note `name`, and the memories to tensors
// called "<name>/<parameter>.<memory>". Replaces what was stored under that
// name. REQUIRES: parameter names are unique; `name` is not empty and contains
// no '/'.
void add_optimizer(ModelExtras& extras, const Optimizer& optimizer,
                   const std::string& name = "optimizer");

// Restores the state into an optimizer that was constructed with the parameters
// of the loaded graph and the same options. Fails, and changes nothing, if the
// state is missing, damaged or of another kind.
Result<void> restore_optimizer(const ModelExtras& extras, Optimizer& optimizer,
                               const std::string& name = "optimizer");

}  // namespace lamarck::optim
