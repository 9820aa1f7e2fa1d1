#include "lamarck/optim/optimizer_state.h"

#include <cmath>

namespace lamarck::optim {
namespace {

Error restore_error(ErrorCode code, const std::string& what) {
  return Error(code, "Cannot restore the optimizer: " + what);
}

}  // namespace

Result<void> check_optimizer_state(const OptimizerState& state,
                                   const std::string& kind,
                                   const std::map<std::string, Shape>& wanted) {
  if (state.kind != kind) {
    return restore_error(ErrorCode::InvalidArgument,
                         "the state is of kind '" + state.kind +
                             "', but the optimizer is of kind '" + kind + "'.");
  }
  if (state.steps < 0 || !std::isfinite(state.rate) || state.rate < 0) {
    return restore_error(
        ErrorCode::DataDamaged,
        "steps and rate must be finite and not negative, got " +
            std::to_string(state.steps) + " steps and a rate of " +
            std::to_string(state.rate) + ".");
  }
  for (const auto& [name, shape] : wanted) {
    const auto found = state.tensors.find(name);
    if (found == state.tensors.end()) {
      return restore_error(ErrorCode::NotFound,
                           "the state has no tensor '" + name + "'.");
    }
    if (!(found->second.shape() == shape)) {
      return restore_error(ErrorCode::InvalidArgument,
                           "tensor '" + name + "' has shape " +
                               found->second.shape().to_string() +
                               ", but the parameter has shape " +
                               shape.to_string() + ".");
    }
  }
  // A leftover tensor means that the state was saved for other parameters.
  for (const auto& [name, tensor] : state.tensors) {
    if (!wanted.contains(name)) {
      return restore_error(
          ErrorCode::InvalidArgument,
          "tensor '" + name +
              "' does not belong to any parameter of the optimizer.");
    }
  }
  return {};
}

}  // namespace lamarck::optim
