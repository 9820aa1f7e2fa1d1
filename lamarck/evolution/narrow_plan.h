// Networks of single neurons, however irregular, made ready to compute fast.
//
// The edges are sorted by their target once; after that a whole block of rows
// passes through the network with its values in registers and in the first
// cache, forward and backward, through all steps of a sequence.

#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "lamarck/evolution/node_function.h"
#include "lamarck/tensor/tensor.h"

namespace lamarck::evolution {

// Places: the inputs are 0 .. inputs - 1, node i is inputs + i. The last
// `outputs` nodes are the outputs.
struct NarrowTopology {
  struct Node {
    Activation activation = Activation::Tanh;
    Aggregation aggregation = Aggregation::Sum;
  };
  struct Edge {
    std::uint32_t from = 0;
    std::uint32_t to = 0;  // No input.
    // Carries what `from` had at the step before, 0 at the first. If not,
    // from < to.
    bool recurrent = false;
  };

  std::size_t inputs = 0;
  std::size_t outputs = 0;
  std::vector<Node> nodes;
  std::vector<Edge> edges;

  // The weights are those of the edges in their order, then a bias of each
  // node.
  std::size_t weight_count() const { return edges.size() + nodes.size(); }
};

// Rows, or sequences of the same number of steps, laid out for plans. What
// counts less or not at all, such as the padding of short sequences, has a
// smaller weight or 0; a negative one turns the gradient around.
class NarrowBatch {
 public:
  // `inputs` is [rows, features] or [rows, steps, features]; `targets` is
  // [rows, outputs] or [rows, steps, outputs], or empty where only outputs are
  // asked for; `weights` is empty (all 1), [rows] or [rows, steps]. Targets
  // without steps beside inputs with steps belong to the last step alone.
  // Losses and gradients are sums over rows and steps divided by `scale`; if
  // that is 0, by the sum of the weights.
  NarrowBatch(const Tensor& inputs, const Tensor& targets,
              const Tensor& weights = Tensor(), double scale = 0);

  std::size_t rows() const { return rows_; }
  std::size_t steps() const { return steps_; }
  std::size_t inputs() const { return inputs_; }
  std::size_t outputs() const { return outputs_; }

 private:
  friend class NarrowPlan;

  std::size_t rows_ = 0;
  std::size_t steps_ = 1;
  std::size_t inputs_ = 0;
  std::size_t outputs_ = 0;
};

// Thread safety: one plan belongs to one thread at a time; batches are shared.
class NarrowPlan {
 public:
  // Throws LogicError if the topology breaks its promises. With
  // BinaryCrossEntropy the outputs are Sigmoid, with CrossEntropy Identity.
  NarrowPlan(const NarrowTopology& topology, Loss loss);

  std::size_t weight_count() const { return weight_count_; }

  // What follows takes weights in the order of the topology, and a batch that
  // fits it.

  double loss(std::span<const float> weights, const NarrowBatch& batch);
  // Writes the gradient of the loss (does not add to it).
  double loss_and_gradient(std::span<const float> weights,
                           const NarrowBatch& batch, std::span<float> gradient);
  // [rows, outputs], or [rows, steps, outputs] if the batch has steps: after
  // the activation; with CrossEntropy the probabilities.
  Tensor outputs(std::span<const float> weights, const NarrowBatch& batch);
  // The sum over rows and steps (where the weight is not 0) of the square of
  // each node's value.
  std::vector<double> node_energies(std::span<const float> weights,
                                    const NarrowBatch& batch);

 private:
  std::size_t weight_count_ = 0;
};

}  // namespace lamarck::evolution
