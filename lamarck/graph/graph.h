// A network of operations, built once and run many times.

#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "lamarck/graph/init.h"
#include "lamarck/graph/var.h"

namespace lamarck {

struct StepOptions {
  // [batch] of 0 and 1: where it is 0 a sequence has ended, and its row of
  // every memory stays as it is. Empty: all go on.
  std::vector<float> active;
};

class GraphSnapshot {
 private:
  friend class Graph;
  struct Contents;
  std::shared_ptr<const Contents> contents_;
};

// A handle: copies are the same graph. Thread safety: one graph belongs to one
// thread at a time; different graphs run side by side.
class Graph {
 public:
  // The seed decides what parameters begin with.
  explicit Graph(std::uint64_t seed = 0);

  // Inputs; `set_value` changes them between runs, also in shape.
  Var input(const Tensor& value) const;
  Var input_named(const Tensor& value, const std::string& name) const;
  Var zeros(const Shape& shape) const;
  Var ones(const Shape& shape) const;
  Var rand(const Shape& shape) const;   // Uniform in [0, 1).
  Var randn(const Shape& shape) const;  // Normal, deviation 1.
  // Like an input, but exported with the model rather than asked for.
  Var constant(const Tensor& value) const;

  // A name that is taken throws LogicError of code AlreadyExists.
  Var parameter(const Shape& shape, Init init, const std::string& name) const;
  // In the order in which they were made.
  std::vector<Var> parameters() const;
  // Throws LogicError, with the nearest name, if there is none of that name.
  Var named(std::string_view name) const;

  // Runs `work` with gradients off: backward is an error in it.
  void no_grad(const std::function<void()>& work) const;
  void zero_grad() const;  // Of all parameters.

  // The topology, which may change between runs; plans follow by themselves.
  // Ids stay as they are; a Var of a removed node throws when it is used.
  std::vector<NodeId> node_ids() const;
  // Throws LogicError of kind node_not_found if there is none.
  Var node(NodeId id) const;
  std::vector<Var> inputs_of(const Var& node) const;
  std::vector<Var> consumers_of(const Var& node) const;  // Each once.
  // Another input in its place. Shapes and order are checked first: a mistake
  // throws LogicError (cycle, shape_mismatch, ...) and changes nothing.
  void set_input(const Var& node, std::size_t index, const Var& input) const;
  // One more input for an operation that takes any number of them (`total`,
  // `concat`), or one less.
  void add_edge(const Var& from, const Var& to) const;
  void remove_edge(const Var& from, const Var& to) const;
  // REQUIRES: nothing reads it; else LogicError of kind in_use.
  void remove(const Var& node) const;

  // Memory: an input that holds at each step what another node had at the step
  // before. It begins with `initial`, which may have one row for any batch.
  Var memory(const Tensor& initial, const std::string& name = "") const;
  void add_recurrent_edge(const Var& from, const Var& memory) const;
  void remove_recurrent_edge(const Var& memory) const;
  // Computes `target` and whatever memories follow, notes what backward through
  // time needs (unless in no_grad), and lets the memories take over.
  void step(const Var& target, const StepOptions& options = {}) const;
  // All memories begin anew and the notes are gone; or only some rows do.
  void reset_state() const;
  void reset_state(std::span<const std::int64_t> rows) const;
  std::size_t recorded_steps() const;

  // Everything as it is now, except for what was computed. Cheap: weights are
  // shared until one side writes them.
  GraphSnapshot snapshot() const;
  // Nodes made since are removed. REQUIRES: the snapshot is of this graph.
  void restore(const GraphSnapshot& snapshot) const;
  // A graph of its own with the same nodes and values.
  Graph clone() const;

  // How many threads its own computations use: 1 at first, because many graphs
  // run side by side; 0 for one on each core. Results stay the same.
  void set_threads(std::size_t threads) const;

  std::size_t node_count() const;
  std::int64_t parameter_count() const;  // Elements of all parameters.
  // How often a plan was compiled; stays constant in a training loop.
  std::size_t plan_count() const;

 private:
  friend class Var;
  friend struct GraphAccess;
  explicit Graph(std::shared_ptr<GraphState> state);
  // Throws LogicError of kind graph_mismatch unless the node is of this graph.
  void require_own(const Var& var, std::string_view function) const;

  std::shared_ptr<GraphState> state_;
};

}  // namespace lamarck
