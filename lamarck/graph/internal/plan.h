// A target's computation, compiled: order, buffers and calls are fixed, so a
// run allocates nothing and decides nothing.

#pragma once

#include <cstdint>
#include <memory>
#include <vector>

#include "lamarck/graph/internal/graph_state.h"

namespace lamarck {

class Plan {
 public:
  // Compiles what `target` needs, with the leaves' shapes as they are now.
  Plan(const GraphState& state, NodeId target);
  ~Plan();

  // Whether it was compiled for this topology and these shapes.
  bool fits(const GraphState& state) const;

  // Computes every node and leaves the values in `state`.
  void forward(GraphState& state);
  // REQUIRES: forward ran in this pass.
  void backward(GraphState& state);

  std::uint64_t computed_pass() const { return computed_pass_; }
  // The pass in which backward used the values up; 0 if it did not.
  std::uint64_t consumed_pass() const { return consumed_pass_; }
  void set_consumed(std::uint64_t pass) { consumed_pass_ = pass; }

 private:
  struct Slot;
  struct Step;

  void collect(const GraphState& state, NodeId target);
  void make_steps(const GraphState& state);
  void make_gradients(const GraphState& state);
  void bind_leaves(GraphState& state);

  std::uint64_t topology_;
  std::vector<Slot> slots_;  // In topological order; the target is last.
  std::vector<std::unique_ptr<Step>> steps_;
  Tensor scratch_;
  std::uint64_t computed_pass_ = 0;
  std::uint64_t consumed_pass_ = 0;
};

}  // namespace lamarck
