// Fast evaluation and gradients for networks of single neurons with any
// topology.
//
// A plan sorts the edges by target once. Each block of rows then passes through
// the network, forward and backward and through all steps of a sequence, while
// its values stay in registers and in the L1 cache.

#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "lamarck/evolution/neuron/neuron_program.h"
#include "lamarck/evolution/node_function.h"
#include "lamarck/tensor/storage.h"
#include "lamarck/tensor/tensor.h"

namespace lamarck::evolution {

struct NeuronPass;

// Inputs and nodes are numbered in order of computation ("places"): the inputs
// are 0 to inputs - 1, node i is inputs + i. The last `outputs` nodes are the
// outputs.
struct NeuronTopology {
  struct Node {
    Activation activation = Activation::Tanh;
    Aggregation aggregation = Aggregation::Sum;
  };
  struct Edge {
    std::uint32_t from = 0;
    std::uint32_t to = 0;  // Must not be an input.
    // Carries the value of `from` at the previous step, which is 0 at the first
    // step. A forward edge must have from < to.
    bool recurrent = false;
  };

  std::size_t inputs = 0;
  std::size_t outputs = 0;
  std::vector<Node> nodes;
  std::vector<Edge> edges;

  // One weight per edge, in order, then one bias per node.
  std::size_t weight_count() const { return edges.size() + nodes.size(); }
};

// Rows, or sequences of equal length, in the memory layout of plans. Each row
// and step has a weight in the loss: 0 for padding of short sequences, and a
// negative weight reverses the gradient.
class NeuronBatch {
 public:
  // `inputs` is [rows, features] or [rows, steps, features]. `targets` is
  // [rows, outputs] or [rows, steps, outputs], or empty if only outputs are
  // needed. `weights` is empty (all 1), [rows] or [rows, steps]. If the inputs
  // have steps and the targets do not, the targets belong to the last step.
  // Losses and gradients are weighted sums over rows and steps divided by
  // `scale`; if that is 0, by the sum of the weights of steps with a target; if
  // that sum is 0 too, by 1. Throws LogicError if the shapes do not match.
  NeuronBatch(const Tensor& inputs, const Tensor& targets,
              const Tensor& weights = Tensor(), double scale = 0);

  std::size_t rows() const { return rows_; }
  std::size_t steps() const { return steps_; }
  std::size_t inputs() const { return inputs_; }
  std::size_t outputs() const { return outputs_; }  // 0 without targets.

 private:
  friend class NeuronPlan;

  // Rows that pass through a network together. Lanes beyond `rows` are padding
  // of weight 0.
  struct Block {
    std::size_t first = 0;  // Index of its first row.
    std::size_t rows = 0;
    std::size_t width = 0;  // Number of lanes.
    std::size_t lane = 0;   // The sum of the widths of earlier blocks.
  };

  void set_sizes(const Tensor& inputs, const Tensor& targets);
  void split_rows();
  Tensor lay_out(const Tensor& from, std::size_t steps,
                 std::size_t features) const;
  Tensor make_importance(const Tensor& weights) const;
  double counted_weight(const Tensor& importance) const;

  std::size_t rows_ = 0;
  std::size_t steps_ = 1;
  std::size_t inputs_ = 0;
  std::size_t outputs_ = 0;
  bool has_steps_ = false;
  bool only_last_counts_ = false;
  std::vector<Block> blocks_;  // From wide to narrow.
  // One block after the other, each [steps, features, width]. Not modified
  // after construction, so copies may share the tensors.
  Tensor laid_inputs_;
  Tensor laid_targets_;
  Tensor laid_importance_;
};

// Losses and gradients do not allocate once the plan has seen a batch of that
// size. Thread safety: one thread at a time may use a plan; batches can be
// shared.
class NeuronPlan {
 public:
  // Throws LogicError if the topology is invalid. BinaryCrossEntropy needs
  // Sigmoid outputs, CrossEntropy needs Identity outputs.
  NeuronPlan(const NeuronTopology& topology, Loss loss);

  std::size_t weight_count() const { return program_.weight_count(); }

  // The functions below take weights in the order of the topology, and throw
  // LogicError if weights or batch do not match it.

  double loss(std::span<const float> weights, const NeuronBatch& batch);
  // Overwrites `gradient` and returns the loss.
  double loss_and_gradient(std::span<const float> weights,
                           const NeuronBatch& batch, std::span<float> gradient);
  // [rows, outputs], or [rows, steps, outputs] if the batch has steps. Values
  // after the activation; probabilities for CrossEntropy.
  Tensor outputs(std::span<const float> weights, const NeuronBatch& batch);
  // For each node, the sum of its squared values over all rows and steps whose
  // weight is not 0.
  std::vector<double> node_energies(std::span<const float> weights,
                                    const NeuronBatch& batch);

 private:
  // A buffer that only grows, with a prefix of zeros.
  struct Rows {
    FloatBuffer all;
    std::size_t zeros = 0;
    std::size_t size = 0;

    void reserve(std::size_t zeros_before, std::size_t count);
    float* begin() const { return all.get() + zeros; }
  };

  void check(std::span<const float> weights, const NeuronBatch& batch) const;
  void check_targets(const NeuronBatch& batch) const;
  void reserve(const NeuronBatch& batch, bool with_gradient);
  NeuronPass pass(std::span<const float> weights, const NeuronBatch& batch,
                  const NeuronBatch::Block& block, bool with_gradient) const;
  void copy_outputs(const NeuronPass& pass, const NeuronBatch::Block& block,
                    Tensor& to) const;

  NeuronProgram program_;
  Rows values_;
  Rows sums_;
  Rows deltas_;
  Rows slots_;
};

}  // namespace lamarck::evolution
