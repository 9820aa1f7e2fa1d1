// The compiled computation of one target node. Order, buffers and calls are
// fixed in advance, so a run allocates no memory and makes no decisions.
//
// Values share a buffer when neither a gradient nor a Var reads the earlier one
// any more. Elementwise operations write over an input that nothing else reads,
// and chains of them run together, block by block.

#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "lamarck/graph/internal/graph_state.h"

namespace lamarck {

enum class PlanKind : std::uint8_t {
  Inference,  // No gradients.
  Training,
  // Training of a recurrent graph: also computes the next value of each memory,
  // and the gradients that flow into the memories.
  Step,
};

class Plan {
 public:
  // A memory, and the slot whose value it takes after a step.
  struct MemoryLink {
    NodeId memory = 0;
    std::size_t memory_slot = 0;
    std::size_t source_slot = 0;
  };

  // Compiles everything that `target` needs, for the current shapes of the
  // leaves.
  Plan(const GraphState& state, NodeId target, PlanKind kind,
       std::uint64_t serial);
  ~Plan();
  Plan(const Plan&) = delete;
  Plan& operator=(const Plan&) = delete;

  PlanKind kind() const { return kind_; }
  // Whether the plan is valid for the current topology, shapes and gradients.
  bool fits(const GraphState& state);
  NodeId largest_node() const;  // The largest id among its nodes.

  // Computes every node and publishes to `state` the values that Vars can read.
  void forward(GraphState& state);
  // Starts with a gradient of 1 at the target. REQUIRES: forward ran in this
  // pass.
  void backward(GraphState& state);
  float target_value() const;
  // The first node in topological order with a NaN in the last run; nullopt if
  // there is none. Computes the values again, without updating leaves.
  std::optional<NodeId> first_nan(GraphState& state);

  std::uint64_t computed_pass() const { return computed_pass_; }
  // The pass in which backward consumed the values; 0 if it has not yet.
  std::uint64_t consumed_pass() const { return consumed_pass_; }
  void set_consumed(std::uint64_t pass) { consumed_pass_ = pass; }

  // Backpropagation through time; for Step plans only.
  const std::vector<MemoryLink>& memories() const { return memories_; }
  // Copies the values of the last run into `record`.
  void record(const GraphState& state, StepRecord& record) const;
  // Restores the values of a recorded step.
  void recall(GraphState& state, const StepRecord& record);
  // Clears the gradients of the memories and of their sources, so that the
  // caller can add the gradients from the following step through `gradient`.
  void begin_step_backward(float target_gradient);
  void finish_step_backward(GraphState& state);
  // The value that a memory takes next.
  const Tensor& source_value(const GraphState& state,
                             const MemoryLink& link) const;
  Tensor& gradient(std::size_t slot);
  bool has_gradient(std::size_t slot) const;

  // The size of all value buffers, and of all gradient buffers, in floats.
  std::int64_t value_size() const { return values_.element_count(); }
  std::int64_t gradient_size() const { return gradients_.element_count(); }

 private:
  struct Slot;
  struct Step;
  struct Chain;

  void collect(const GraphState& state, NodeId target);
  void collect_from(const GraphState& state, NodeId root,
                    std::vector<char>& seen);
  void make_steps(const GraphState& state);
  void pool_before_relu();
  void find_lifetimes();
  void find_chains();
  void add_chain(Chain chain);
  static std::optional<std::int64_t> row_size_in_chain(const Step& step);
  bool has_blockwise_gradient(const Step& step) const;
  void place_values();
  void place_gradients();
  void point_value_calls();
  void point_gradient_calls();
  void place_scratch();
  std::size_t input_to_overwrite(const Step& step, std::size_t at) const;
  std::size_t gradient_to_overwrite(
      const Step& step, const std::vector<std::size_t>& reads) const;

  void bind_leaves(GraphState& state);
  void bind_value(Slot& slot, const float* value);
  void show(GraphState& state) const;
  void run_gradients(GraphState& state);
  void run_values(GraphState& state);
  void run_step(GraphState& state, Step& step) const;
  void run_chain(const Chain& chain);
  void run_chain_gradient(const Chain& chain);

  PlanKind kind_;
  std::uint64_t topology_;
  std::uint64_t serial_;
  std::uint64_t checked_gradient_flow_ = 0;
  std::size_t target_slot_ = 0;
  std::vector<Slot> slots_;  // In topological order.
  std::vector<Step> steps_;
  std::vector<Chain> chains_;        // In the order of their steps.
  std::vector<std::size_t> leaves_;  // The slots of the leaves.
  std::vector<MemoryLink> memories_;
  Tensor values_;     // Buffers of all values, and of what operations save.
  Tensor gradients_;  // Buffers of all gradients.
  Tensor scratch_;    // Shared by all steps, which run one after another.
  std::uint64_t run_ = 0;
  std::uint64_t computed_pass_ = 0;
  std::uint64_t consumed_pass_ = 0;
};

}  // namespace lamarck
