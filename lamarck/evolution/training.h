// Trains a network on examples with gradients.

#pragma once

#include <cstdint>
#include <functional>
#include <limits>
#include <memory>
#include <optional>
#include <span>
#include <vector>

#include "lamarck/data/dataset.h"
#include "lamarck/evolution/convergence.h"
#include "lamarck/evolution/network.h"
#include "lamarck/tensor/tensor.h"

namespace lamarck::evolution {

// Rows, or sequences of equal length.
struct Examples {
  Examples(const data::Dataset& rows)  // NOLINT: a data set is examples.
      : inputs(rows.inputs()), targets(rows.targets()) {}
  Examples(Tensor given, Tensor wanted, Tensor importance = Tensor())
      : inputs(std::move(given)),
        targets(std::move(wanted)),
        weights(std::move(importance)) {}

  Tensor inputs;  // [rows, numbers] or [rows, steps, numbers].
  // [rows, outputs], which belong to the last step, or [rows, steps, outputs].
  Tensor targets;
  // [rows] or [rows, steps]: the weight in the loss; 0 for padding. Empty: all
  // are 1.
  Tensor weights;

  std::size_t rows() const { return static_cast<std::size_t>(inputs.size(0)); }
  bool has_steps() const { return inputs.rank() == 3; }
};

enum class TrainingMethod : std::uint8_t {
  Auto,   // Lbfgs for neurons with few rows and no check rows, else Adam.
  Adam,   // Full batch for neurons, mini-batches for layers.
  Lbfgs,  // Full batch; for neurons only, layers always use Adam.
};

// What the run decides about a training.
struct LearningContext {
  ConvergenceOptions convergence;
  // Training may stop early if it will not reach a loss below this.
  double bar = std::numeric_limits<double>::infinity();
  std::function<bool()> should_stop;  // Polled every few steps. May be empty.
  std::uint64_t seed = 0;             // For all randomness in training.
  // Adam continues with the moments of inherited weights.
  bool keeps_moments = false;
};

struct TrainingOptions {
  LearningContext context;
  TrainingMethod method = TrainingMethod::Auto;
  std::size_t max_steps = 250;  // For neurons.
  float rate = 0.03f;           // Adam's rate for neurons.
  std::size_t epochs = 0;       // For layers; 0: depends on the rows.
  std::size_t batch = 64;       // For layers.
  float layer_rate = 0.004f;    // Initial rate; cosine decay to 0.
  float l2 = 0;                 // L2 regularization; for Adam only.
  // For layers: training stops after this many epochs without a lower loss on
  // the check rows.
  std::size_t flat_epochs = 6;
};

struct TrainingOutcome {
  // On the training examples.
  double loss = std::numeric_limits<double>::infinity();
  // On the check rows. A task without check rows may leave it NaN; candidates
  // are then compared by `loss`.
  double check_loss = std::numeric_limits<double>::quiet_NaN();
  std::int64_t steps = 0;          // Gradients computed.
  bool is_finite = true;           // If false, the network is unchanged.
  bool was_stopped_early = false;  // Stopped early because of the bar.
  bool was_stopped = false;        // Stopped early by should_stop.
};

// Trains any number of networks on the same examples. Thread safety: several
// threads may call all members at once, each with its own network.
class Trainer {
 public:
  // With `check`, training keeps the weights with the lowest loss on those
  // held-out rows.
  explicit Trainer(Examples examples, std::optional<Examples> check = {});
  ~Trainer();

  const Examples& examples() const;

  TrainingOutcome train(Network& network, const TrainingOptions& options) const;
  double loss(const Network& network) const;
  // For MutationLimits::score_units: how much of the outputs' error each node
  // would explain. Empty if the network has layers.
  std::vector<double> unit_scores(const Network& network,
                                  std::span<const UnitId> units) const;

 private:
  struct State;
  std::unique_ptr<const State> state_;
};

// The outputs for `inputs`: [rows, outputs], or [rows, steps, outputs] for
// sequences. With a cross-entropy head they are probabilities.
Tensor predict(const Network& network, const Tensor& inputs);

}  // namespace lamarck::evolution
