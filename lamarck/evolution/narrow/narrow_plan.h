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

#include "lamarck/evolution/narrow/narrow_program.h"
#include "lamarck/evolution/node_function.h"
#include "lamarck/tensor/storage.h"
#include "lamarck/tensor/tensor.h"

namespace lamarck::evolution {

struct NarrowPass;

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
  // that is 0, by the sum of the weights that count; if that is 0 too, by 1.
  // Throws LogicError if the shapes do not fit.
  NarrowBatch(const Tensor& inputs, const Tensor& targets,
              const Tensor& weights = Tensor(), double scale = 0);

  std::size_t rows() const { return rows_; }
  std::size_t steps() const { return steps_; }
  std::size_t inputs() const { return inputs_; }
  std::size_t outputs() const { return outputs_; }  // 0 without targets.

 private:
  friend class NarrowPlan;

  // Rows that pass through a network together; `width` of them, of which the
  // last may be padding that counts nothing.
  struct Block {
    std::size_t first = 0;
    std::size_t rows = 0;
    std::size_t width = 0;
    std::size_t lane = 0;  // The sum of the widths before it.
  };

  void set_sizes(const Tensor& inputs, const Tensor& targets);
  void split_rows();
  Tensor laid_out(const Tensor& from, std::size_t steps,
                  std::size_t features) const;
  Tensor given_importance(const Tensor& weights) const;
  double sum_that_counts(const Tensor& importance) const;

  std::size_t rows_ = 0;
  std::size_t steps_ = 1;
  std::size_t inputs_ = 0;
  std::size_t outputs_ = 0;
  bool has_steps_ = false;
  bool only_last_counts_ = false;
  std::vector<Block> blocks_;  // From wide to narrow.
  // Block after block, each [steps, features, width]. Never written again, so
  // that copies may share them.
  Tensor laid_inputs_;
  Tensor laid_targets_;
  Tensor laid_importance_;
};

// Allocates nothing for losses and gradients once it has seen a batch as large.
// Thread safety: one plan belongs to one thread at a time; batches are shared.
class NarrowPlan {
 public:
  // Throws LogicError if the topology breaks its promises. With
  // BinaryCrossEntropy the outputs are Sigmoid, with CrossEntropy Identity.
  NarrowPlan(const NarrowTopology& topology, Loss loss);

  std::size_t weight_count() const { return program_.weight_count(); }

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
  // Floats that only grow; zeros stand before the first of each.
  struct Rows {
    FloatBuffer all;
    std::size_t zeros = 0;
    std::size_t size = 0;

    void reserve(std::size_t zeros_before, std::size_t count);
    float* begin() const { return all.get() + zeros; }
  };

  void check(std::span<const float> weights, const NarrowBatch& batch) const;
  void check_targets(const NarrowBatch& batch) const;
  void reserve(const NarrowBatch& batch, bool way_back);
  NarrowPass pass(std::span<const float> weights, const NarrowBatch& batch,
                  const NarrowBatch::Block& block, bool way_back) const;
  void copy_outputs(const NarrowPass& pass, const NarrowBatch::Block& block,
                    Tensor& to) const;

  NarrowProgram program_;
  Rows values_;
  Rows sums_;
  Rows deltas_;
  Rows slots_;
};

}  // namespace lamarck::evolution
