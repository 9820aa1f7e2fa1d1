// Converts trees and models of the genetic engine to and from JSON without
// loss, for checkpoints.

#pragma once

#include "lamarck/base/json.h"
#include "lamarck/base/result.h"
#include "lamarck/gp/gp_fit.h"
#include "lamarck/gp/gp_tree.h"

namespace lamarck::gp {

Json gp_tree_to_json(const GpTree& tree);
// Returns an error if an input index is not below `inputs`.
Result<GpTree> gp_tree_from_json(const Json& json, std::size_t inputs);

Json gp_model_to_json(const GpModel& model);
Result<GpModel> gp_model_from_json(const Json& json, std::size_t inputs);

}  // namespace lamarck::gp
