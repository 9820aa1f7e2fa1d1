// An optimizer's state in a model's file, so that a training goes on where it
// stopped:
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

// Puts kind, steps and rate into the note `name`, and the memories into tensors
// "<name>/<parameter>.<memory>"; replaces what was there under that name.
// REQUIRES: the parameters' names differ; the name is not empty and has no '/'.
void add_optimizer(ModelExtras& extras, const Optimizer& optimizer,
                   const std::string& name = "optimizer");

// The optimizer is made before, with the loaded graph's parameters and the same
// options. What is missing, damaged or of another optimizer is an Error, and
// nothing is changed.
Result<void> restore_optimizer(const ModelExtras& extras, Optimizer& optimizer,
                               const std::string& name = "optimizer");

}  // namespace lamarck::optim
