// The loss of a network with layers on rows of examples, as a graph.

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

// A network's graph with a loss on top of it. REQUIRES: the network outlives
// it.
class LossGraph {
 public:
  explicit LossGraph(const Network& network);

  const Graph& graph() const { return graph_; }

  // The loss of these rows as a share of `scale`; with gradients if asked.
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

// Examples in which every row, and every step, has a weight. Copies nothing
// that is contiguous already.
class RowSource {
 public:
  explicit RowSource(const Examples& examples);

  std::size_t size() const {
    return static_cast<std::size_t>(all_.inputs.size(0));
  }
  // Copies that lie in `room` until the next ones do.
  Rows rows(std::span<const std::size_t> which, Rows& room) const;
  // Of all rows, or of the first ones, as their weighted mean.
  double loss(LossGraph& graph) const { return loss(graph, size()); }
  double loss(LossGraph& graph, std::size_t most) const;

 private:
  Rows rows_between(std::size_t begin, std::size_t end) const;

  Rows all_;
};

}  // namespace lamarck::evolution
