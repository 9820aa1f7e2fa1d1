// What a plan is made of; for plan.cc and plan_compile.cc.

#pragma once

#include <limits>
#include <memory>
#include <vector>

#include "lamarck/graph/internal/buffer_planner.h"
#include "lamarck/graph/internal/plan.h"

namespace lamarck {

inline constexpr std::size_t kNone = std::numeric_limits<std::size_t>::max();

// A node's place in the plan.
struct Plan::Slot {
  NodeId id = 0;
  std::uint64_t serial = 0;
  Shape shape;
  Shape node_shape;  // Differs if the plan swapped its operation.
  bool is_leaf = false;
  bool is_parameter = false;
  bool is_memory = false;  // Only in a Step plan.
  bool is_source = false;  // A memory takes it over.
  bool is_detached = false;
  bool requires_gradient = false;  // Of a leaf, as it was compiled.
  bool needs_gradient = false;
  bool is_kept = false;  // A Var names it, or it is the target.

  // The slot whose buffer it shows; itself unless it is a view.
  std::size_t root = 0;
  // Of a root: the last step that reads it, and whether it must stay beyond.
  std::size_t last_use = 0;
  bool is_pinned = false;
  std::size_t value_buffer = kNone;
  std::size_t gradient_buffer = kNone;

  Tensor value;     // Not of a leaf, which keeps its own.
  Tensor gradient;  // Likewise, but of a memory; only if needed.

  // What to mend when a leaf's elements move.
  std::vector<ConstView*> value_uses;
  std::vector<float**> gradient_uses;
  const float* bound_value = nullptr;
  float* bound_gradient = nullptr;
  // Of a leaf: whether its first contribution adds to an older gradient.
  bool* first_accumulate = nullptr;
  bool is_cleared_first = false;  // Stands in for it where a step clears.

  // Whether its gradient belongs to the node, beyond this plan.
  bool has_own_gradient() const { return is_leaf && !is_memory; }
  // Whether its gradient is filled from the step after before a step begins.
  bool is_filled_before() const { return is_memory || is_source; }
};

// One operation; its calls point into its own vectors.
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
  // Slots that it reads twice: their gradients are cleared first, and each
  // contribution is added, in whatever order it works them out.
  std::vector<std::size_t> cleared_slots;
  // Of a step in a chain: buffers that die in it are free only behind it.
  std::size_t chain_end = 0;
  std::size_t gradient_chain_begin = kNone;
};

// Steps that run together block by block.
struct Plan::Chain {
  std::size_t begin = 0;
  std::size_t end = 0;
  std::int64_t row_size = 0;  // Blocks hold whole rows of it; 0: any size.
  bool has_gradient = false;  // Gradients run together too.
};

}  // namespace lamarck
