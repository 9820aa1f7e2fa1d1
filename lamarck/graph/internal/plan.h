// A target's computation, compiled: order, buffers and calls are fixed, so a
// run allocates nothing and decides nothing.
//
// Values share buffers where neither a gradient nor the user looks at them any
// more; operations on single elements work in place where nobody else reads
// their input, and chains of them run together block by block.

#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "lamarck/graph/internal/graph_state.h"

namespace lamarck {

enum class PlanKind : std::uint8_t {
  Inference,  // No gradients.
  Training,
  // Also computes what the memories take over, and gives gradients to them.
  Step,
};

class Plan {
 public:
  // A memory, and what it takes over after a step.
  struct MemoryLink {
    NodeId memory = 0;
    std::size_t memory_slot = 0;
    std::size_t source_slot = 0;
  };

  // Compiles what `target` needs, with the leaves' shapes as they are now.
  Plan(const GraphState& state, NodeId target, PlanKind kind,
       std::uint64_t serial);
  ~Plan();
  Plan(const Plan&) = delete;
  Plan& operator=(const Plan&) = delete;

  PlanKind kind() const { return kind_; }
  // Whether it was compiled for this topology and these shapes.
  bool fits(const GraphState& state);
  NodeId largest_node() const;

  // Computes every node and shows in `state` what Vars can ask for.
  void forward(GraphState& state);
  // From a gradient of 1 at the target. REQUIRES: forward ran in this pass.
  void backward(GraphState& state);
  float target_value() const;

  std::uint64_t computed_pass() const { return computed_pass_; }
  // The pass in which backward used the values up; 0 if it did not.
  std::uint64_t consumed_pass() const { return consumed_pass_; }
  void set_consumed(std::uint64_t pass) { consumed_pass_ = pass; }

  // Through time; of a Step plan.
  const std::vector<MemoryLink>& memories() const { return memories_; }
  void record(const GraphState& state, StepRecord& record) const;
  // Back to the values of a recorded step.
  void recall(GraphState& state, const StepRecord& record);
  // Clears the gradients of memories and of what they follow, so that
  // `gradient` can be filled with what comes from the step after.
  void begin_step_backward(float target_gradient);
  void finish_step_backward(GraphState& state);
  // What a memory takes over.
  const Tensor& source_value(const GraphState& state,
                             const MemoryLink& link) const;
  Tensor& gradient(std::size_t slot);
  bool has_gradient(std::size_t slot) const;

  // Floats of all values, and of all gradients.
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
  void run_chain(const Chain& chain);
  void run_chain_gradient(const Chain& chain);

  PlanKind kind_;
  std::uint64_t topology_;
  std::uint64_t serial_;
  std::uint64_t checked_gradient_flow_ = 0;
  std::size_t target_slot_ = 0;
  std::vector<Slot> slots_;  // In topological order.
  std::vector<Step> steps_;
  std::vector<Chain> chains_;        // In order.
  std::vector<std::size_t> leaves_;  // Their slots.
  std::vector<MemoryLink> memories_;
  Tensor values_;     // The buffers of all values and of what they save.
  Tensor gradients_;  // Likewise.
  Tensor scratch_;
  std::uint64_t run_ = 0;
  std::uint64_t computed_pass_ = 0;
  std::uint64_t consumed_pass_ = 0;
};

}  // namespace lamarck
