// The parts of a plan: slots, steps and chains. For plan*.cc only.

#pragma once

#include <limits>
#include <memory>
#include <vector>

#include "lamarck/graph/internal/buffer_planner.h"
#include "lamarck/graph/internal/plan.h"

namespace lamarck {

inline constexpr std::size_t kNone = std::numeric_limits<std::size_t>::max();

// One node of the plan: its value, its gradient and their lifetimes.
struct Plan::Slot {
  NodeId id = 0;
  std::uint64_t serial = 0;
  Shape shape;
  Shape node_shape;  // Differs from `shape` if the plan swapped operations.
  bool is_leaf = false;
  bool is_parameter = false;
  bool is_memory = false;  // Only in a Step plan.
  bool is_source = false;  // A memory takes its value after the step.
  bool is_detached = false;
  bool requires_gradient = false;  // As compiled; leaves only.
  bool needs_gradient = false;
  bool is_kept = false;  // A Var refers to it, or it is the target or a source.

  // The slot whose buffer holds the value; itself unless it is a view.
  std::size_t root = 0;
  // For a root: the last step that reads it, and whether the value must survive
  // that step, for a gradient or for a Var.
  std::size_t last_use = 0;
  bool is_pinned = false;
  std::size_t value_buffer = kNone;
  std::size_t gradient_buffer = kNone;

  Tensor value;     // Unused for leaves, whose node owns the value.
  Tensor gradient;  // Unused for leaves other than memories.

  // The pointers to update when the elements of a leaf move in memory.
  std::vector<ConstView*> value_uses;
  std::vector<float**> gradient_uses;
  const float* bound_value = nullptr;
  float* bound_gradient = nullptr;
  // For a leaf: the flag that decides whether the first contribution of a pass
  // is added to an existing gradient or overwrites it. Set before each pass.
  bool* first_accumulate = nullptr;
  // Target of first_accumulate where a step clears the gradient first: true
  // means that an earlier gradient exists, so there is nothing to clear.
  bool is_cleared_first = false;

  // Whether the node owns the gradient, so that it outlives the plan.
  bool has_own_gradient() const { return is_leaf && !is_memory; }
  // Whether the following time step contributes to the gradient before this
  // step's backward pass begins.
  bool is_filled_before() const { return is_memory || is_source; }
};

// One operation. Its calls point into its own vectors, so a step must not move
// once the plan is compiled.
struct Plan::Step {
  const Operation* operation = nullptr;
  std::size_t slot = 0;
  std::vector<std::size_t> input_slots;
  Attributes attributes;
  BroadcastPlan broadcast;
  std::int64_t saved_size = 0;
  std::size_t saved_buffer = kNone;
  std::int64_t scratch_size = 0;
  std::vector<ConstView> inputs;
  std::vector<float*> input_gradients;
  std::unique_ptr<bool[]> accumulate;
  ValueCall value_call;
  GradientCall gradient_call;
  bool has_gradient = false;
  // Slots that the step reads twice. Their gradients are cleared first and
  // every contribution is added, because the operation may compute them in any
  // order.
  std::vector<std::size_t> cleared_slots;
  // For a step in a chain: all steps of the chain run on each block in turn, so
  // a buffer that dies in the chain is not free before its end.
  std::size_t chain_end = 0;
  std::size_t gradient_chain_begin = kNone;
};

// Consecutive steps that run together, block by block.
struct Plan::Chain {
  std::size_t begin = 0;
  std::size_t end = 0;
  std::int64_t row_size = 0;  // Blocks hold whole rows of it; 0 for any size.
  bool has_gradient = false;  // Whether gradients run block by block as well.
};

}  // namespace lamarck
