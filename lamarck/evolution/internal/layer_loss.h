// Computes the loss of a network with layers on rows of examples, as a graph.

#pragma once

#include <span>

#include "lamarck/evolution/training.h"
#include "lamarck/graph/graph.h"

namespace lamarck::evolution {

struct Rows {
  Tensor inputs;
  Tensor targets;
  Tensor weights;  // [rows] or [rows, steps]

  double weight_sum() const;
};

// A network's graph with the loss of its head on top. REQUIRES: the network
// outlives this object.
class LossGraph {
 public:
  explicit LossGraph(const Network& network);

  const Graph& graph() const { return graph_; }

  // The weighted sum of the rows' losses, divided by `scale`. With
  // `with_gradient`, also adds to the gradients of the graph's parameters.
  double run(const Rows& rows, double scale, bool with_gradient);
  Tensor outputs(const Tensor& inputs);

 private:
  Var row_losses() const;
  double run_steps(const Rows& rows, bool with_gradient);

  const Network& network_;
  Graph graph_;
  Var input_;
  Var logits_;
  Var output_;
  Var target_;
  Var weight_;
  Var scale_;
  Var loss_;
};

// Examples with a weight for every row and step. Does not copy tensors that are
// already contiguous.
class RowSource {
 public:
  explicit RowSource(const Examples& examples);

  std::size_t size() const {
    return static_cast<std::size_t>(all_.inputs.size(0));
  }
  // Copies the given rows into `buffer`, which must outlive the result and is
  // overwritten by the next call.
  Rows rows(std::span<const std::size_t> which, Rows& buffer) const;
  // The weighted mean loss of all rows, or of the first `max_rows` rows.
  double loss(LossGraph& graph) const { return loss(graph, size()); }
  double loss(LossGraph& graph, std::size_t max_rows) const;

 private:
  Rows rows_between(std::size_t begin, std::size_t end) const;

  Rows all_;
};

}  // namespace lamarck::evolution
