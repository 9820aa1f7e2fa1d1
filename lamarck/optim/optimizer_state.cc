#include "lamarck/optim/optimizer_state.h"

#include <cmath>

namespace lamarck::optim {
namespace {

Error wrong(ErrorCode code, const std::string& what) {
  return Error(code, "The optimizer's state cannot be restored: " + what);
}

}  // namespace

Result<void> check_optimizer_state(const OptimizerState& state,
                                   const std::string& kind,
                                   const std::map<std::string, Shape>& wanted) {
  if (state.kind != kind) {
    return wrong(ErrorCode::InvalidArgument, "it is of kind '" + state.kind +
                                                 "', and the optimizer is '" +
                                                 kind + "'.");
  }
  if (state.steps < 0 || !std::isfinite(state.rate) || state.rate < 0) {
    return wrong(ErrorCode::DataDamaged,
                 "it has " + std::to_string(state.steps) +
                     " steps and the rate " + std::to_string(state.rate) +
                     ", and neither is negative.");
  }
  for (const auto& [name, shape] : wanted) {
    const auto found = state.tensors.find(name);
    if (found == state.tensors.end()) {
      return wrong(ErrorCode::NotFound, "it has no '" + name + "'.");
    }
    if (!(found->second.shape() == shape)) {
      return wrong(ErrorCode::InvalidArgument,
                   "'" + name + "' has the shape " +
                       found->second.shape().to_string() +
                       ", and the parameter " + shape.to_string() + ".");
    }
  }
  for (const auto& [name, tensor] : state.tensors) {
    if (!wanted.contains(name)) {
      return wrong(
          ErrorCode::InvalidArgument,
          "its '" + name + "' belongs to none of the optimizer's parameters.");
    }
  }
  return {};
}

}  // namespace lamarck::optim
