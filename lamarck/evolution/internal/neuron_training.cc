#include "lamarck/evolution/internal/neuron_training.h"

#include <cmath>
#include <map>

#include "lamarck/evolution/aged_adam.h"
#include "lamarck/optim/lbfgs.h"

namespace lamarck::evolution {
namespace {

constexpr std::size_t kFewRows = 32;    // Auto uses L-BFGS up to here.
constexpr std::size_t kCheckEvery = 5;  // Steps between evaluations of `check`.
// Training stops after this many evaluations of `check` without a lower loss.
constexpr std::size_t kChecksWithoutGain = 16;
constexpr std::size_t kStepsPerStopCheck = 16;  // Between calls to should_stop.
constexpr std::size_t kHopelessAfter = 60;      // Steps before giving up.
constexpr std::size_t kHopelessWindow = 30;     // Steps the slope spans.

double norm(std::span<const float> values) {
  double sum = 0;
  for (const float value : values) sum += double{value} * double{value};
  return std::sqrt(sum);
}

// Extrapolates the loss to the last step, to give up on candidates that will
// not get below the bar.
class LossExtrapolation {
 public:
  LossExtrapolation(double bar, std::size_t max_steps)
      : bar_(bar), max_steps_(max_steps) {}

  // Records the loss. Returns whether a straight line through it and the loss
  // kHopelessWindow steps ago ends above the bar.
  bool is_hopeless(std::size_t step, double loss) {
    losses_.push_back(loss);
    if (!std::isfinite(bar_) || step < kHopelessAfter) return false;
    const double before = losses_[losses_.size() - 1 - kHopelessWindow];
    const double slope = (loss - before) / static_cast<double>(kHopelessWindow);
    const double left = static_cast<double>(max_steps_ - step);
    // Losses fall unevenly, so the slope is doubled to be on the safe side.
    return loss + 2 * std::min(slope, 0.0) * left > bar_;
  }

 private:
  double bar_;
  std::size_t max_steps_;
  std::vector<double> losses_;
};

// The weights with the lowest loss so far.
class Best {
 public:
  explicit Best(const std::vector<float>& values) : values_(values) {}

  bool offer(double loss, const std::vector<float>& values) {
    if (!(loss < loss_)) return false;
    loss_ = loss;
    values_ = values;
    return true;
  }
  double loss() const { return loss_; }
  const std::vector<float>& values() const { return values_; }

 private:
  double loss_ = std::numeric_limits<double>::infinity();
  std::vector<float> values_;
};

// Full-batch Adam with early stopping.
class AdamTraining {
 public:
  AdamTraining(NeuronPlan& plan, NetworkParameters& parameters,
               const NeuronBatch& batch, const NeuronBatch* check,
               const TrainingOptions& options)
      : plan_(plan),
        parameters_(parameters),
        batch_(batch),
        check_(check),
        options_(options),
        adam_(parameters, {.rate = options.rate, .l2 = options.l2}),
        gradient_(parameters.size()),
        best_(parameters.values) {}

  TrainingOutcome run() {
    ConvergenceDetector detector(options_.context.convergence);
    LossExtrapolation extrapolation(options_.context.bar, options_.max_steps);
    for (std::size_t step = 1; step <= options_.max_steps; ++step) {
      const double loss =
          plan_.loss_and_gradient(parameters_.values, batch_, gradient_);
      ++outcome_.steps;
      const double length = norm(gradient_);
      if (!std::isfinite(loss) || !std::isfinite(length)) {
        outcome_.is_finite = false;
        return outcome_;
      }
      if (is_exhausted(step, loss)) break;
      if (detector.is_converged(loss, length)) break;
      if (extrapolation.is_hopeless(step, loss)) {
        outcome_.was_stopped_early = true;
        break;
      }
      if (step % kStepsPerStopCheck == 0 && options_.context.should_stop &&
          options_.context.should_stop()) {
        outcome_.was_stopped = true;
        break;
      }
      adam_.step(gradient_, parameters_.values);
    }
    finish();
    return outcome_;
  }

 private:
  // Records the best weights. Returns whether the check loss has not improved
  // for a while.
  bool is_exhausted(std::size_t step, double loss) {
    if (check_ == nullptr) {
      best_.offer(loss, parameters_.values);
      return false;
    }
    if (step % kCheckEvery != 1) return false;
    const double check_loss = plan_.loss(parameters_.values, *check_);
    checks_ = best_.offer(check_loss, parameters_.values) ? 0 : checks_ + 1;
    return checks_ > kChecksWithoutGain;
  }

  // The weights become the best ones, while the moments stay those of the last
  // step.
  void finish() {
    const std::vector<float> last = parameters_.values;
    const NeuronBatch& judge = check_ == nullptr ? batch_ : *check_;
    best_.offer(plan_.loss(last, judge), last);
    adam_.save(parameters_);
    parameters_.values = best_.values();
    outcome_.check_loss = best_.loss();
    outcome_.loss = check_ == nullptr ? best_.loss()
                                      : plan_.loss(parameters_.values, batch_);
    outcome_.is_finite = std::isfinite(outcome_.check_loss);
  }

  NeuronPlan& plan_;
  NetworkParameters& parameters_;
  const NeuronBatch& batch_;
  const NeuronBatch* check_;
  const TrainingOptions& options_;
  AgedAdam adam_;
  std::vector<float> gradient_;
  Best best_;
  std::size_t checks_ = 0;  // Evaluations of `check` since the best.
  TrainingOutcome outcome_;
};

// L-BFGS converges faster on small problems, but it cannot stop early by check
// rows.
bool uses_lbfgs(const NeuronBatch& batch, const NeuronBatch* check,
                const TrainingOptions& options) {
  if (options.method != TrainingMethod::Auto) {
    return options.method == TrainingMethod::Lbfgs;
  }
  return check == nullptr && batch.rows() * batch.steps() <= kFewRows;
}

// The loss and gradient of all rows. Once it is asked to stop, it returns NaN
// for every point, which ends the line search and so the minimization.
class StoppableLoss {
 public:
  StoppableLoss(NeuronPlan& plan, const NeuronBatch& batch,
                const TrainingOptions& options)
      : plan_(plan), batch_(batch), options_(options) {}

  double at(std::span<const float> point, std::span<float> gradient) {
    if (++calls_ % kStepsPerStopCheck == 0 && options_.context.should_stop) {
      was_stopped_ = was_stopped_ || options_.context.should_stop();
    }
    if (was_stopped_) return std::numeric_limits<double>::quiet_NaN();
    return plan_.loss_and_gradient(point, batch_, gradient);
  }
  bool was_stopped() const { return was_stopped_; }

 private:
  NeuronPlan& plan_;
  const NeuronBatch& batch_;
  const TrainingOptions& options_;
  std::size_t calls_ = 0;
  bool was_stopped_ = false;
};

// Adam's moments are stale afterwards and are reset. The check rows are
// evaluated once at the end; if their loss has risen, the weights are restored.
TrainingOutcome train_by_lbfgs(NeuronPlan& plan, NetworkParameters& parameters,
                               const NeuronBatch& batch,
                               const NeuronBatch* check,
                               const TrainingOptions& options) {
  const std::vector<float> start = parameters.values;
  StoppableLoss loss(plan, batch, options);
  const optim::LbfgsOutcome found = optim::minimize_lbfgs(
      [&](std::span<const float> at, std::span<float> gradient) {
        return loss.at(at, gradient);
      },
      parameters.values,
      {.max_evaluations = std::max<std::size_t>(1, options.max_steps),
       .gradient_tolerance = options.context.convergence.grad_tolerance,
       .loss_tolerance = options.context.convergence.loss_tolerance,
       .patience = options.context.convergence.patience});
  parameters.forget_gradients();
  TrainingOutcome outcome{.loss = found.loss,
                          .check_loss = found.loss,
                          .steps = static_cast<std::int64_t>(found.evaluations),
                          .was_stopped = loss.was_stopped()};
  if (check != nullptr) {
    outcome.check_loss = plan.loss(parameters.values, *check);
    const double before = plan.loss(start, *check);
    if (!(outcome.check_loss <= before)) {
      parameters.values = start;
      outcome.check_loss = before;
      outcome.loss = plan.loss(start, batch);
    }
  }
  outcome.is_finite =
      std::isfinite(outcome.loss) && std::isfinite(outcome.check_loss);
  return outcome;
}

}  // namespace

NeuronForm::NeuronForm(const Network& network) {
  std::map<UnitId, std::uint32_t> places;
  for (const NetworkNode& node : network.nodes()) {
    places[node.id] = static_cast<std::uint32_t>(places.size());
    if (node.role == Role::Input) {
      ++topology_.inputs;
      continue;
    }
    if (node.role == Role::Output) ++topology_.outputs;
    topology_.nodes.push_back({node.activation, node.aggregation});
  }
  for (const NetworkEdge& edge : network.edges()) {
    topology_.edges.push_back(
        {places.at(edge.from), places.at(edge.to), edge.recurrent});
    places_.push_back(edge.begin);
  }
  for (const NetworkNode& node : network.nodes()) {
    if (node.role != Role::Input) places_.push_back(node.begin);
  }
}

NetworkParameters NeuronForm::gather(const NetworkParameters& from) const {
  NetworkParameters to;
  const auto take = [&](auto member) {
    for (const std::size_t place : places_) {
      (to.*member).push_back((from.*member)[place]);
    }
  };
  take(&NetworkParameters::values);
  take(&NetworkParameters::means);
  take(&NetworkParameters::squares);
  take(&NetworkParameters::ages);
  return to;
}

void NeuronForm::scatter(const NetworkParameters& from,
                         NetworkParameters& to) const {
  const auto put = [&](auto member) {
    for (std::size_t i = 0; i < places_.size(); ++i) {
      (to.*member)[places_[i]] = (from.*member)[i];
    }
  };
  put(&NetworkParameters::values);
  put(&NetworkParameters::means);
  put(&NetworkParameters::squares);
  put(&NetworkParameters::ages);
}

TrainingOutcome train_neurons(Network& network, const NeuronBatch& batch,
                              const NeuronBatch* check,
                              const TrainingOptions& options) {
  const NeuronForm form(network);
  NeuronPlan plan(form.topology(), network.head());
  NetworkParameters parameters = form.gather(network.parameters());
  if (!options.context.keeps_moments) parameters.forget_gradients();
  const TrainingOutcome outcome =
      uses_lbfgs(batch, check, options)
          ? train_by_lbfgs(plan, parameters, batch, check, options)
          : AdamTraining(plan, parameters, batch, check, options).run();
  if (outcome.is_finite) form.scatter(parameters, network.parameters());
  return outcome;
}

double neuron_loss(const Network& network, const NeuronBatch& batch) {
  const NeuronForm form(network);
  NeuronPlan plan(form.topology(), network.head());
  return plan.loss(form.gather(network.parameters()).values, batch);
}

Tensor neuron_outputs(const Network& network, const Tensor& inputs) {
  const NeuronForm form(network);
  NeuronPlan plan(form.topology(), network.head());
  return plan.outputs(form.gather(network.parameters()).values,
                      NeuronBatch(inputs, Tensor()));
}

// The gradient of the (zero) weight of an edge from a unit to an output is the
// sum over rows of the output's error times the unit's value. Its square
// divided by the sum of the unit's squared values is the part of the squared
// error that the unit would remove with its best weight (least squares).
std::vector<double> neuron_unit_scores(const Network& network,
                                       const NeuronBatch& batch,
                                       std::span<const UnitId> units) {
  const NeuronForm form(network);
  NeuronPlan plan(form.topology(), network.head());
  const std::vector<float> values = form.gather(network.parameters()).values;
  std::vector<float> gradient(values.size());
  plan.loss_and_gradient(values, batch, gradient);
  const std::vector<double> energies = plan.node_energies(values, batch);
  std::vector<double> scores;
  for (const UnitId unit : units) {
    double squares = 0;
    for (std::size_t i = 0; i < network.edges().size(); ++i) {
      const NetworkEdge& edge = network.edges()[i];
      if (edge.from != unit || edge.recurrent) continue;
      squares += double{gradient[i]} * double{gradient[i]};
    }
    const std::size_t place =
        network.index_of(unit) - network.nodes_of(Role::Input).size();
    constexpr double kTiny = 1e-9;  // For units whose value is always 0.
    scores.push_back(squares / (energies[place] + kTiny));
  }
  return scores;
}

}  // namespace lamarck::evolution
