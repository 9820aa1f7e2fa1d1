// The list of moves by which the genetic engine changes a model.

#pragma once

#include <array>
#include <cstddef>
#include <optional>
#include <span>
#include <string_view>

#include "lamarck/base/rng.h"
#include "lamarck/gp/gp_fit.h"
#include "lamarck/gp/gp_library.h"
#include "lamarck/gp/gp_options.h"

namespace lamarck::gp {

struct GpMoveContext {
  const GpData& data;
  const GpLibrary& library;
  const GpOptions& options;
  GpFitter& fitter;
  const GpModel& mate;  // Another model, for crossovers.
  Rng& rng;
};

// Returns a changed copy, neither normalized nor fitted, or nullopt if the move
// does not apply to the model.
using GpMoveFunction = std::optional<GpModel> (*)(const GpModel& model,
                                                  GpMoveContext& context);

struct GpMove {
  std::string_view name;
  double weight;  // How often it is chosen, relative to the others.
  GpMoveFunction apply;
};

std::span<const GpMove> gp_moves();

}  // namespace lamarck::gp
