// Teaching a network by examples, with gradients.

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

  Tensor inputs;   // [rows, numbers] or [rows, steps, numbers].
  Tensor targets;  // [rows, outputs] (of the last step) or with steps.
  // [rows] or [rows, steps]: how much each counts; 0 is padding. Empty: all 1.
  Tensor weights;

  std::size_t rows() const { return static_cast<std::size_t>(inputs.size(0)); }
  bool has_steps() const { return inputs.rank() == 3; }
};

enum class TrainingMethod : std::uint8_t {
  Auto,   // Lbfgs where there are few rows of neurons, else Adam.
  Adam,   // All rows at once for neurons, batches for layers.
  Lbfgs,  // All rows at once; of neurons only.
};

struct TrainingOptions {
  ConvergenceOptions convergence;
  TrainingMethod method = TrainingMethod::Auto;
  std::size_t most_steps = 250;  // For neurons.
  float rate = 0.03f;            // Adam's for neurons.
  std::size_t epochs = 0;        // For layers; 0 for what suits the rows.
  std::size_t batch = 64;        // For layers.
  float layer_rate = 0.004f;     // At first; falls to 0 along a cosine.
  float l2 = 0;                // How much weights are drawn to 0; of Adam only.
  bool keeps_moments = false;  // Adam goes on with what it remembers.
  // A candidate that will not come below this may stop early.
  double bar = std::numeric_limits<double>::infinity();
  std::function<bool()> should_stop;  // Looked at now and then. May be empty.
  std::uint64_t seed = 0;             // For the order of batches.
};

struct TrainingOutcome {
  double loss = std::numeric_limits<double>::infinity();  // Of the examples.
  // Of the rows kept aside, or the same if there are none.
  double check_loss = std::numeric_limits<double>::infinity();
  std::int64_t steps = 0;  // Gradients computed.
  bool is_finite = true;   // If not, the network is as it was.
  bool was_hopeless = false;
  bool was_stopped = false;
};

// Thread safety: all members may be called by several threads, each with a
// network of its own.
class Trainer {
 public:
  // With `check`, training keeps the weights that did best on those rows.
  explicit Trainer(Examples examples, std::optional<Examples> check = {});
  ~Trainer();

  const Examples& examples() const;

  TrainingOutcome train(Network& network, const TrainingOptions& options) const;
  double loss(const Network& network) const;
  // For MutationLimits::score_units: the part of the outputs' error that each
  // of these nodes would explain. Empty if the network is not narrow.
  std::vector<double> unit_scores(const Network& network,
                                  std::span<const UnitId> units) const;

 private:
  struct State;
  std::unique_ptr<const State> state_;
};

// What the outputs give: [rows, outputs], or [rows, steps, outputs] for
// sequences.
Tensor predict(const Network& network, const Tensor& inputs);

}  // namespace lamarck::evolution
