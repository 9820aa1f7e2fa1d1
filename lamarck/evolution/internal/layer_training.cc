#include "lamarck/evolution/internal/layer_training.h"

#include <algorithm>
#include <cmath>
#include <numbers>

#include "lamarck/base/ensure.h"
#include "lamarck/evolution/aged_adam.h"
#include "lamarck/evolution/internal/layer_loss.h"
#include "lamarck/evolution/network_graph.h"
#include "lamarck/evolution/row_range.h"

namespace lamarck::evolution {
namespace {

constexpr std::int64_t kBatchesPerStopCheck =
    8;  // Between calls to should_stop.
// The default number of epochs shows the network about this many rows. With
// more rows it is better to try more networks: children continue the training.
constexpr std::size_t kRowsSeen = 90'000;
constexpr std::size_t kMaxEpochs = 60;
constexpr std::size_t kMaxLossRows = 4096;  // Rows for the reported loss.
// Factor of the rate for inherited weights if there are only a few epochs, in
// which they could not recover from large steps.
constexpr float kInheritedRate = 0.5f;
constexpr std::size_t kFewEpochs = 8;

bool was_trained(const Network& network) {
  const std::vector<float>& ages = network.parameters().ages;
  return std::ranges::any_of(ages, [](float age) { return age > 0; });
}

// The parameters of a graph, each with its own AgedAdam that continues from the
// network's moments.
class GraphAdam {
 public:
  GraphAdam(const Network& network, const Graph& graph,
            const TrainingOptions& options)
      : places_(parameter_places(network)), parameters_(graph.parameters()) {
    NetworkParameters state = network.parameters();
    if (!options.context.keeps_moments) state.forget_gradients();
    std::size_t at = 0;
    for (const Var& parameter : parameters_) {
      NetworkParameters part;
      for (std::size_t i = 0; i < parameter.elements().size(); ++i, ++at) {
        part.values.push_back(0);
        part.means.push_back(state.means[places_[at]]);
        part.squares.push_back(state.squares[places_[at]]);
        part.ages.push_back(state.ages[places_[at]]);
      }
      states_.push_back(part);
      adams_.emplace_back(
          part, AgedAdamOptions{.rate = options.layer_rate, .l2 = options.l2});
    }
  }

  void step(float rate) {
    for (std::size_t i = 0; i < parameters_.size(); ++i) {
      if (!parameters_[i].has_grad()) continue;
      adams_[i].set_rate(rate);
      adams_[i].step(parameters_[i].gradient_elements(),
                     parameters_[i].elements());
    }
  }

  double gradient_norm() const {
    double sum = 0;
    for (const Var& parameter : parameters_) {
      if (!parameter.has_grad()) continue;
      for (const float value : parameter.gradient_elements()) {
        sum += double{value} * double{value};
      }
    }
    return std::sqrt(sum);
  }

  std::vector<float> values() const {
    std::vector<float> all;
    for (const Var& parameter : parameters_) {
      const auto own = parameter.elements();
      all.insert(all.end(), own.begin(), own.end());
    }
    return all;
  }

  // Writes `values` and the current moments to the network.
  void save(std::span<const float> values, Network& network) {
    std::size_t at = 0;
    for (std::size_t i = 0; i < parameters_.size(); ++i) {
      adams_[i].save(states_[i]);
      for (std::size_t k = 0; k < states_[i].size(); ++k, ++at) {
        NetworkParameters& to = network.parameters();
        to.values[places_[at]] = values[at];
        to.means[places_[at]] = states_[i].means[k];
        to.squares[places_[at]] = states_[i].squares[k];
        to.ages[places_[at]] = states_[i].ages[k];
      }
    }
  }

 private:
  std::vector<std::size_t> places_;  // See parameter_places.
  std::vector<Var> parameters_;
  std::vector<NetworkParameters> states_;
  std::vector<AgedAdam> adams_;
};

class LayerTraining {
 public:
  LayerTraining(Network& network, const Examples& examples,
                const Examples* check, const TrainingOptions& options)
      : network_(network),
        source_(examples),
        options_(options),
        graph_(network),
        adam_(network, graph_.graph(), options),
        epochs_(options.epochs > 0
                    ? options.epochs
                    : std::clamp<std::size_t>(kRowsSeen / source_.size(), 1,
                                              kMaxEpochs)),
        rate_(epochs_ < kFewEpochs && was_trained(network)
                  ? kInheritedRate * options.layer_rate
                  : options.layer_rate) {
    if (check != nullptr) check_.emplace(*check);
  }

  TrainingOutcome run() {
    ConvergenceDetector detector(options_.context.convergence);
    // The initial weights take part, so training never makes a network worse.
    offer();
    std::size_t without_gain = 0;
    for (std::size_t epoch = 0; epoch < epochs_; ++epoch) {
      double length = 0;
      const double loss = run_epoch(epoch, length);
      if (!std::isfinite(loss)) {
        outcome_.is_finite = false;
        return outcome_;
      }
      without_gain = offer() ? 0 : without_gain + 1;
      if (check_ && without_gain > options_.flat_epochs) break;
      if (detector.is_converged(loss, length)) break;
      if (is_hopeless(epoch)) break;
      if (outcome_.was_stopped) break;
    }
    outcome_.is_finite = std::isfinite(best_);
    if (!outcome_.is_finite) return outcome_;
    adam_.save(best_values_, network_);
    outcome_.check_loss = best_;
    outcome_.loss = check_ ? loss_of_best() : best_;
    return outcome_;
  }

 private:
  // Returns the mean loss of the epoch, and in `length` the norm of the last
  // batch's gradient.
  double run_epoch(std::size_t epoch, double& length) {
    Rng rng = Rng(options_.context.seed).split(epoch);
    std::vector<std::size_t> order = row_range(0, source_.size());
    rng.shuffle(order);
    const std::size_t batch =
        std::clamp<std::size_t>(options_.batch, 1, source_.size());
    const std::size_t batches = (source_.size() + batch - 1) / batch;
    double sum = 0;
    Rows buffer;
    for (std::size_t i = 0; i < batches; ++i) {
      if (outcome_.steps % kBatchesPerStopCheck == kBatchesPerStopCheck - 1 &&
          options_.context.should_stop && options_.context.should_stop()) {
        outcome_.was_stopped = true;
        return sum;
      }
      const std::size_t begin = i * batch;
      const std::size_t count = std::min(batch, source_.size() - begin);
      const Rows rows =
          source_.rows(std::span(order).subspan(begin, count), buffer);
      graph_.graph().zero_grad();
      const double scale = std::max(rows.weight_sum(), 1e-30);
      const double loss = graph_.run(rows, scale, true);
      ++outcome_.steps;
      if (!std::isfinite(loss)) return loss;
      if (i + 1 == batches) length = adam_.gradient_norm();
      adam_.step(rate_at(epoch * batches + i, epochs_ * batches));
      sum += loss / static_cast<double>(batches);
    }
    return sum;
  }

  // Cosine decay from rate_ to 0.
  float rate_at(std::size_t step, std::size_t steps) const {
    const double share = static_cast<double>(step) / static_cast<double>(steps);
    return static_cast<float>(double{rate_} * 0.5 *
                              (1 + std::cos(std::numbers::pi * share)));
  }

  // Keeps the current weights if their loss is the lowest so far.
  bool offer() {
    const RowSource& judge = check_ ? *check_ : source_;
    const double loss = judge.loss(graph_);
    losses_.push_back(loss);
    if (!(loss < best_)) return false;
    best_ = loss;
    best_values_ = adam_.values();
    return true;
  }

  // After a third of the epochs, extrapolates the loss from the last quarter of
  // them. Training stops early if twice that slope does not lead below the
  // bar.
  bool is_hopeless(std::size_t epoch) {
    if (!std::isfinite(options_.context.bar) || 3 * epoch < epochs_)
      return false;
    const std::size_t window = std::max<std::size_t>(1, epochs_ / 4);
    if (losses_.size() <= window) return false;
    const double slope =
        (losses_.back() - losses_[losses_.size() - 1 - window]) /
        static_cast<double>(window);
    const auto left = static_cast<double>(epochs_ - epoch);
    outcome_.was_stopped_early =
        best_ + 2 * std::min(slope, 0.0) * left > options_.context.bar;
    return outcome_.was_stopped_early;
  }

  double loss_of_best() const {
    LossGraph graph(network_);
    return source_.loss(graph, kMaxLossRows);
  }

  Network& network_;
  RowSource source_;
  std::optional<RowSource> check_;
  const TrainingOptions& options_;
  LossGraph graph_;
  GraphAdam adam_;
  std::size_t epochs_;
  float rate_;  // The initial one.
  double best_ = std::numeric_limits<double>::infinity();
  std::vector<float> best_values_;
  std::vector<double> losses_;  // Before the first epoch and after each.
  TrainingOutcome outcome_;
};

}  // namespace

TrainingOutcome train_layers(Network& network, const Examples& examples,
                             const Examples* check,
                             const TrainingOptions& options) {
  return LayerTraining(network, examples, check, options).run();
}

}  // namespace lamarck::evolution
