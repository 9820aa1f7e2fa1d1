// A network of operations, built once and run many times.

#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

#include "lamarck/graph/init.h"
#include "lamarck/graph/var.h"

namespace lamarck {

struct StepOptions {
  // [batch] of 0 and 1. A 0 means that the sequence has ended: its row of every
  // memory keeps its value. Empty: all sequences continue.
  std::vector<float> active;
};

// The state of a graph at one moment; see Graph::snapshot. Cheap to copy.
class GraphSnapshot {
 private:
  friend class Graph;
  struct Contents;
  std::shared_ptr<const Contents> contents_;
};

// A handle: copies refer to the same graph. Thread safety: one thread at a time
// may use a graph; different graphs are independent.
class Graph {
 public:
  // The seed determines the initial values of the parameters.
  explicit Graph(std::uint64_t seed = 0);

  // Inputs. `set_value` changes their value, and their shape, between runs.
  Var input(const Tensor& value) const;
  Var input_named(const Tensor& value, const std::string& name) const;
  Var zeros(const Shape& shape) const;
  Var ones(const Shape& shape) const;
  Var rand(const Shape& shape) const;   // Uniform in [0, 1).
  Var randn(const Shape& shape) const;  // Standard normal.
  Var uniform(const Shape& shape, float low, float high) const;
  Var normal(const Shape& shape, float mean, float deviation) const;
  // Like an input, but exported as part of the model.
  Var constant(const Tensor& value) const;

  // A trainable leaf. Throws LogicError of code AlreadyExists if the name is
  // taken.
  Var parameter(const Shape& shape, Init init, const std::string& name) const;
  // In the order of their ids.
  std::vector<Var> parameters() const;
  // The inputs that operations update without gradients, such as the running
  // statistics of batch_norm.
  std::vector<Var> buffers() const;
  // Throws a LogicError that suggests the nearest name if there is no such
  // node.
  Var named(std::string_view name) const;

  // Runs `work` with gradients off and returns its result. Inside, backward
  // throws, and no gradient ever passes through the nodes that are built.
  template <class Work>
  auto no_grad(Work&& work) const -> std::invoke_result_t<Work> {
    const GradientsOff off(*this);
    return std::forward<Work>(work)();
  }
  void zero_grad() const;  // Clears the gradients of all parameters.

  // Topology. It may change between runs; plans are recompiled as needed. Ids
  // are stable, and using a Var of a removed node throws.
  std::vector<NodeId> node_ids() const;
  // Throws a LogicError of kind node_not_found if there is none.
  Var node(NodeId id) const;
  std::vector<Var> inputs_of(const Var& node) const;
  // The nodes that read `node`, each once.
  std::vector<Var> consumers_of(const Var& node) const;
  // Replaces one input. Throws LogicError (cycle, shape_mismatch, ...) and
  // changes nothing if the result would be invalid.
  void set_input(const Var& node, std::size_t index, const Var& input) const;
  // Adds or removes an input of an operation that takes any number of them
  // (`total`, `concat`).
  void add_edge(const Var& from, const Var& to) const;
  void remove_edge(const Var& from, const Var& to) const;
  // Throws a LogicError of kind in_use if another node reads it.
  void remove(const Var& node) const;

  // A memory is an input that holds, at each step, the value of another node at
  // the previous step. It starts with `initial`, which may have a single row
  // that fits any batch size.
  Var memory(const Tensor& initial, const std::string& name = "") const;
  void add_recurrent_edge(const Var& from, const Var& memory) const;
  void remove_recurrent_edge(const Var& memory) const;
  // Computes `target` and the sources of all memories, records what
  // backward_through_time needs (unless inside no_grad), and then advances the
  // memories.
  void step(const Var& target, const StepOptions& options = {}) const;
  // Resets all memories to their initial values and clears the recorded steps.
  void reset_state() const;
  // Resets only these rows of the memories; the recorded steps stay.
  void reset_state(std::span<const std::int64_t> rows) const;
  std::size_t recorded_steps() const;

  // Captures everything except computed values. Cheap: weights are shared until
  // one side writes them.
  GraphSnapshot snapshot() const;
  // Removes nodes that were added since. REQUIRES: the snapshot is of this
  // graph.
  void restore(const GraphSnapshot& snapshot) const;
  // An independent graph with the same nodes and values.
  Graph clone() const;

  // The number of threads that one run may use; 0 for one per core. The default
  // is 1, because callers usually run many graphs in parallel. The number does
  // not change results.
  void set_threads(std::size_t threads) const;

  std::size_t node_count() const;
  std::int64_t parameter_count() const;  // Counts elements, not tensors.
  // The number of plans compiled so far; constant in a steady training loop.
  std::size_t plan_count() const;

 private:
  friend class Var;
  friend struct GraphAccess;
  // Turns gradients off for its lifetime.
  class GradientsOff {
   public:
    explicit GradientsOff(const Graph& graph);
    ~GradientsOff();
    GradientsOff(const GradientsOff&) = delete;
    GradientsOff& operator=(const GradientsOff&) = delete;

   private:
    std::shared_ptr<GraphState> state_;
    bool before_;
  };
  explicit Graph(std::shared_ptr<GraphState> state);
  // Throws a LogicError of kind graph_mismatch if `var` is of another graph.
  void require_own(const Var& var, std::string_view function) const;

  std::shared_ptr<GraphState> state_;
};

}  // namespace lamarck
