#include "lamarck/table/table_evolution.h"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <limits>

#include "lamarck/base/ensure.h"
#include "lamarck/base/error.h"
#include "lamarck/base/macros.h"
#include "lamarck/crew/crew.h"
#include "lamarck/data/class_labels.h"
#include "lamarck/evolution/network_graph.h"
#include "lamarck/evolution/supervised_task.h"
#include "lamarck/table/ensemble/ensemble_evolution.h"
#include "lamarck/table/internal/held_out_predictions.h"
#include "lamarck/table/internal/linear_start.h"
#include "lamarck/table/internal/score_curve.h"
#include "lamarck/table/internal/table_preparation.h"
#include "lamarck/table/internal/table_rows.h"

namespace lamarck::table {
namespace {

using data::Dataset;
using data::Table;
using data::TableEncoding;
using evolution::EvolutionEvent;
using evolution::EvolutionResult;
using evolution::Examples;
using evolution::Grain;
using evolution::Network;

// Above either of these sizes, Grain::Both starts from layers: single neurons
// would be too slow to train.
constexpr std::size_t kManyEdges = 400;
constexpr std::size_t kManyRows = 20'000;
// For the last training, after the time budget and after a cancellation.
constexpr double kMinRefitSeconds = 1;
constexpr double kRefitSecondsAfterCancel = 0.2;
// Of the time budget, if an ensemble follows.
constexpr double kEvolutionShare = 0.3;
// The largest ratio of its error to that of an ensemble at which a network for
// a series is kept.
constexpr double kClearlyBetter = 0.9;

// Reduces a two-class target to one output, the probability of the second
// class. Returns other datasets unchanged.
Dataset with_binary_target(const Dataset& rows, const TableEncoding& encoding) {
  if (encoding.target().classes.size() != 2) return rows;
  return Dataset(rows.inputs(), rows.targets().slice(1, 1, 2).contiguous());
}

// Returns one weight per row, the square root of how much rarer its class is
// than an even share; empty if no class is rare. The root keeps the few rows of
// a rare class from dominating the loss.
Tensor class_weights(const Dataset& rows, const TableEncoding& encoding) {
  if (!has_rare_classes(encoding.target())) return {};
  const std::vector<std::size_t> labels = data::class_indices(rows.targets());
  std::vector<double> counts(encoding.target().classes.size(), 0.0);
  for (const std::size_t label : labels) ++counts[label];
  std::vector<float> weights;
  for (const std::size_t label : labels) {
    const double even =
        static_cast<double>(labels.size()) / static_cast<double>(counts.size());
    weights.push_back(static_cast<float>(std::sqrt(even / counts[label])));
  }
  return Tensor::from({static_cast<std::int64_t>(weights.size())}, weights);
}

// The weights of the classes times those of the rows; `own` may be empty.
Tensor example_weights(const Dataset& rows, std::span<const double> own,
                       const TableEncoding& encoding) {
  Tensor weights = class_weights(rows, encoding);
  if (own.empty()) return weights;
  std::vector<float> products(own.begin(), own.end());
  for (std::size_t i = 0; weights.rank() > 0 && i < products.size(); ++i) {
    products[i] *= weights.data()[i];
  }
  return Tensor::from({static_cast<std::int64_t>(products.size())}, products);
}

Examples with_weights(const Dataset& rows, std::span<const double> own,
                      const TableEncoding& encoding) {
  const Dataset reduced = with_binary_target(rows, encoding);
  return {reduced.inputs(), reduced.targets(),
          example_weights(rows, own, encoding)};
}

std::vector<double> picked_weights(std::span<const double> weights,
                                   std::span<const std::size_t> rows) {
  std::vector<double> own;
  if (weights.empty()) return own;
  for (const std::size_t row : rows) own.push_back(weights[row]);
  return own;
}

Network initial_network(const TableEvolutionOptions& options,
                        const Examples& train) {
  if (options.start) return options.start->network;
  const auto inputs = static_cast<std::size_t>(train.inputs.size(-1));
  const auto outputs = static_cast<std::size_t>(train.targets.size(-1));
  const std::uint64_t seed = options.evolution.seed;
  const Grain grain = options.evolution.grain;
  const bool starts_with_layers =
      grain == Grain::Layer ||
      (grain == Grain::Both &&
       (inputs * outputs > kManyEdges || train.rows() > kManyRows));
  return starts_with_layers
             ? evolution::minimal_layers(
                   {.channels = static_cast<std::uint32_t>(inputs)}, outputs,
                   seed)
             : evolution::minimal_network(inputs, outputs, seed);
}

// A network with many more parameters than rows does not improve, but makes
// each generation slower and each checkpoint larger.
std::size_t max_parameters(const Examples& train, std::size_t at_first) {
  constexpr std::size_t kParametersPerRow = 20;
  const auto rows = static_cast<std::size_t>(train.inputs.element_count() /
                                             train.inputs.size(-1));
  return std::max(2000 + 4 * at_first, kParametersPerRow * rows);
}

// Returns 1 / number of rows (or steps): for a mean loss, the weight decay that
// corresponds to a prior of about unit variance on every weight.
float default_l2(const Examples& examples) {
  return static_cast<float>(examples.inputs.size(-1)) /
         static_cast<float>(examples.inputs.element_count());
}

// The seconds that the last training may take: no limit without a time budget.
double refit_seconds(const evolution::EvolutionOptions& options,
                     const EvolutionResult& result) {
  if (options.cancel.is_cancelled()) return kRefitSecondsAfterCancel;
  const double limit = options.budget.seconds;
  if (limit <= 0) return std::numeric_limits<double>::infinity();
  return std::max(0.0, limit - result.seconds) +
         std::max(kMinRefitSeconds, limit / 10);
}

// Trains the selected network a little longer, now on the validation rows too.
// Leaves it as it is, and adds a remark, if the time is not enough.
void refit(EvolutionResult& result, const Examples& known,
           const evolution::EvolutionOptions& options,
           std::vector<std::string>& remarks) {
  const SystemClock clock;
  const auto begin = clock.elapsed();
  const double seconds = refit_seconds(options, result);
  const bool was_cancelled = options.cancel.is_cancelled();
  const auto is_over = [&] {
    const std::chrono::duration<double> taken = clock.elapsed() - begin;
    return taken.count() > seconds ||
           (!was_cancelled && options.cancel.is_cancelled());
  };
  Network network = result.network;
  const evolution::Trainer trainer(known);
  if (is_over() ||
      trainer
          .train(network, {.context = {.should_stop = is_over},
                           .method = evolution::TrainingMethod::Adam,
                           .max_steps = 200,
                           .rate = 0.01f,
                           .epochs = 10,
                           .layer_rate = 0.001f,
                           .l2 = default_l2(known)})
          .was_stopped) {
    remarks.emplace_back(
        "There was no time to train the final network on the validation rows "
        "too.");
    return;
  }
  result.network = std::move(network);
  result.graph = evolution::to_graph(result.network);
}

// Fails if the score of every network was not finite.
Result<EvolutionResult> require_finite_scores(EvolutionResult result) {
  const evolution::EvolutionCounts& counts = result.counts;
  if (counts.evaluations == 0 || counts.dropped < counts.evaluations) {
    return result;
  }
  return invalid_argument(
      fmt::format("None of the {} networks produced finite outputs, because "
                  "some values are too large to train on; rescale or "
                  "ignore those columns.",
                  counts.evaluations));
}

Result<EvolutionResult> run_evolution(
    const TableEvolutionOptions& options, Network network,
    const Examples& train, const Examples& check, const TablePlan& plan,
    const Profiler<EvolutionEvent>& profiler) {
  evolution::EvolutionOptions run = options.evolution;
  run.target_metric = std::numeric_limits<double>::infinity();
  if (options.goal) {
    const double goal = plan.from_units(*options.goal);
    run.target_metric = plan.metric.higher_is_better ? goal : -goal;
  }
  run.limits.max_parameters =
      std::min(run.limits.max_parameters,
               max_parameters(train, network.parameters().size()));
  const evolution::Evolution evolution{
      .network = std::move(network),
      .task = evolution::SupervisedTask(
          train, check, plan.metric, {.training = {.l2 = default_l2(train)}}),
      .options = run,
      .profiler = profiler};
  ASSIGN_OR_RETURN(EvolutionResult result, evolution.run());
  return require_finite_scores(std::move(result));
}

// The rows of a table on their way through an evolution.
struct EvolvingRows {
  const PreparedRows& prepared;
  const TableEvolutionOptions& options;
  const Profiler<EvolutionEvent>& profiler;
  Examples known;                 // Training and validation rows.
  std::optional<Dataset> judged;  // Held-out rows.

  const TablePlan& plan() const { return prepared.plan; }
  std::vector<std::size_t> labels() const {
    return plan().encoding.target().has_classes()
               ? data::class_indices(prepared.known.targets())
               : std::vector<std::size_t>{};
  }
  Tensor test_outputs(const Network& network,
                      std::vector<std::string>& remarks) const {
    return replace_non_finite(evolution::predict(network, judged->inputs()),
                              remarks);
  }
  double test_score(const Tensor& outputs) const {
    return plan().in_units(plan().metric.function(outputs, judged->targets()));
  }
};

// Measures the errors on rows that the network was not trained on.
void set_intervals(TableEvolutionOutcome& outcome, const Tensor& outputs,
                   const Tensor& targets) {
  const data::TargetColumn& target = outcome.encoding.target();
  std::vector<double> errors = prediction_errors(
      outputs, targets, target.has_classes(), target.deviation);
  if (!errors.empty()) outcome.intervals.emplace(std::move(errors));
}

// Members of a crew only help with the evolution; the leader finishes alone.
bool is_member(const TableEvolutionOptions& options) {
  const crew::Crew* crew = options.evolution.crew;
  return crew != nullptr && !crew->is_leader();
}

bool wants_ensemble(const TableEvolutionOptions& options) {
  return !options.is_single && !options.start &&
         options.evolution.grain != Grain::Neuron;
}

// Trains and scores single networks.
Result<TableEvolutionOutcome> evolve_single(const EvolvingRows& rows) {
  const TablePlan& plan = rows.plan();
  const Dataset& known = rows.prepared.known;
  TableEvolutionOptions options = rows.options;
  if (wants_ensemble(options)) {
    options.evolution.budget.seconds *= kEvolutionShare;
  }
  Rng rng = Rng(options.evolution.seed).split("check rows");
  const SplitRows split =
      split_rows(known.size(), kCheckShare, rows.labels(), rng);
  const auto part = [&](const std::vector<std::size_t>& places) {
    return with_weights(known.rows(places),
                        picked_weights(rows.prepared.weights, places),
                        plan.encoding);
  };
  const Examples train = part(split.train);
  const Examples check = part(split.held_out);

  ASSIGN_OR_RETURN(EvolutionResult result,
                   run_evolution(options, initial_network(options, train),
                                 train, check, plan, rows.profiler));
  TableEvolutionOutcome outcome{.result = std::move(result),
                                .encoding = plan.encoding,
                                .metric = plan.metric};
  outcome.remarks = rows.prepared.remarks;
  outcome.score = plan.in_units(
      evolution::measure(plan.metric, outcome.result.network, check));
  set_intervals(outcome,
                evolution::predict(outcome.result.network, check.inputs),
                check.targets);
  outcome.train_rows = train.rows();
  outcome.check_rows = check.rows();
  return outcome;
}

// Scores the result on the held-out rows.
void judge(const EvolvingRows& rows, TableEvolutionOutcome& outcome) {
  const TablePlan& plan = rows.plan();
  const Dataset& test = *rows.prepared.test;
  const Tensor outputs =
      rows.test_outputs(outcome.result.network, outcome.remarks);
  outcome.test_score = rows.test_score(outputs);
  outcome.test_rows = test.size();
  outcome.baselines.push_back(
      constant_baseline(rows.prepared.known, test, plan));
  add_predictions(outcome, outputs, test);
  outcome.explanation =
      explain_model(outcome.result.network, plan.encoding, plan.metric, test);
  for (InputImportance& each : outcome.explanation.importance) {
    each.loss = plan.in_units(each.loss);
  }
}

Result<TableEvolutionOutcome> evolve_rows(
    const PreparedRows& prepared, const TableEvolutionOptions& options,
    const Profiler<EvolutionEvent>& profiler) {
  const TablePlan& plan = prepared.plan;
  const EvolvingRows rows{
      .prepared = prepared,
      .options = options,
      .profiler = profiler,
      .known = with_weights(prepared.known, prepared.weights, plan.encoding),
      .judged = prepared.test ? std::optional(with_binary_target(*prepared.test,
                                                                 plan.encoding))
                              : std::nullopt};
  CurveListener listener(profiler, plan);
  ASSIGN_OR_RETURN(TableEvolutionOutcome outcome, evolve_single(rows));
  if (is_member(options)) return outcome;
  if (wants_ensemble(options) && !outcome.result.target_reached &&
      !options.evolution.cancel.is_cancelled()) {
    std::vector<std::string> ignored;
    if (rows.judged) {
      outcome.ensemble.single_score =
          rows.test_score(rows.test_outputs(outcome.result.network, ignored));
    }
    build_ensemble({.plan = plan,
                    .known = rows.known,
                    .labels = rows.labels(),
                    .options = options,
                    .profiler = profiler},
                   outcome);
  }
  if (outcome.ensemble.folds == 0) {
    // The score must have been measured before: this trains on those rows.
    refit(outcome.result, rows.known, options.evolution, outcome.remarks);
  }
  outcome.test_score = std::numeric_limits<double>::quiet_NaN();
  if (rows.judged) judge(rows, outcome);
  outcome.curve = listener.curve(outcome.result.history);
  return outcome;
}

// The finite errors of the steps that count.
std::vector<double> step_errors(const Network& network,
                                const Examples& examples, double scale) {
  const Tensor outputs =
      evolution::predict(network, examples.inputs).contiguous();
  const Tensor targets = examples.targets.contiguous();
  const Tensor weights = examples.weights.contiguous();
  std::vector<double> errors;
  for (std::size_t i = 0; i < weights.data().size(); ++i) {
    if (weights.data()[i] == 0) continue;
    errors.push_back(scale * std::abs(double{outputs.data()[i]} -
                                      double{targets.data()[i]}));
  }
  std::erase_if(errors, [](double error) { return !std::isfinite(error); });
  return errors;
}

double root_mean_square(std::span<const double> values) {
  double sum = 0;
  for (const double value : values) sum += value * value;
  return std::sqrt(sum / static_cast<double>(values.size()));
}

// A series on its way through an evolution.
struct EvolvingSeries {
  const PreparedSeries& prepared;
  const TableEvolutionOptions& options;
  const Profiler<EvolutionEvent>& profiler;

  const TablePlan& plan() const { return prepared.plan; }
  const SeriesExamples& examples() const { return prepared.examples; }

  // The network runs from the first row, so its state at the held-out rows is
  // the one it would have in use.
  SeriesForecast forecast(const Network& network,
                          std::vector<std::string>& remarks) const {
    const Tensor outputs = evolution::predict(network, examples().whole);
    return forecast_series(
        replace_non_finite(outputs.reshape({outputs.size(1), 1}), remarks),
        examples(), plan().encoding);
  }
  double score_of(const SeriesForecast& forecast,
                  const std::vector<double>& guesses) const {
    return change_score(plan().metric, forecast.persistence, guesses,
                        forecast.actual);
  }
};

// A network that started as a linear model, and the ridge that suited it.
struct SeriesStart {
  Network network;
  std::optional<double> ridge;
};

SeriesStart start_series(const TableEvolutionOptions& options,
                         const SeriesExamples& examples) {
  SeriesStart start{initial_network(options, examples.train), {}};
  if (is_linear(start.network)) {
    start.ridge = choose_ridge(start.network, examples.train, examples.check);
    start_linear(start.network, examples.train, *start.ridge);
  }
  return start;
}

// Trains on the validation steps too.
void refit_series(TableEvolutionOutcome& outcome, const EvolvingSeries& series,
                  const std::optional<double>& ridge) {
  if (ridge && is_linear(outcome.result.network)) {
    start_linear(outcome.result.network, series.examples().known, *ridge);
    outcome.result.graph = evolution::to_graph(outcome.result.network);
  } else {
    refit(outcome.result, series.examples().known, series.options.evolution,
          outcome.remarks);
  }
}

// Replaces the evolved network, whose errors on the validation steps are
// `errors`, by an ensemble, unless it is clearly better: the choice among
// thousands of networks by these steps favours it.
void build_series_ensemble(const EvolvingSeries& series,
                           std::span<const double> errors,
                           TableEvolutionOutcome& outcome) {
  const SeriesExamples& examples = series.examples();
  const auto is_better = [&](const Tensor& outputs) {
    const std::vector<double> others = prediction_errors(
        outputs.slice(0, static_cast<std::int64_t>(examples.train_steps),
                      outputs.size(0)),
        examples.rows.targets.slice(
            0, static_cast<std::int64_t>(examples.train_steps),
            outputs.size(0)),
        false, series.plan().encoding.target().deviation);
    return errors.empty() ||
           (!others.empty() && kClearlyBetter * root_mean_square(others) <=
                                   root_mean_square(errors));
  };
  std::vector<std::string> ignored;
  const SeriesForecast forecast =
      series.forecast(outcome.result.network, ignored);
  if (!forecast.actual.empty()) {
    outcome.ensemble.single_score =
        series.score_of(forecast, forecast.predicted);
  }
  build_ensemble({.plan = series.plan(),
                  .known = examples.rows,
                  .labels = {},
                  .options = series.options,
                  .profiler = series.profiler,
                  .is_better = is_better},
                 outcome);
}

Result<TableEvolutionOutcome> evolve_series_network(
    const EvolvingSeries& series) {
  const TablePlan& plan = series.plan();
  const SeriesExamples& examples = series.examples();
  TableEvolutionOptions first = series.options;
  if (wants_ensemble(first)) first.evolution.budget.seconds *= kEvolutionShare;
  SeriesStart start = start_series(first, examples);
  ASSIGN_OR_RETURN(
      EvolutionResult result,
      run_evolution(first, std::move(start.network), examples.train,
                    examples.check, plan, series.profiler));
  TableEvolutionOutcome outcome{.result = std::move(result),
                                .encoding = plan.encoding,
                                .metric = plan.metric};
  if (is_member(series.options)) return outcome;
  outcome.remarks = series.prepared.remarks;
  outcome.score = plan.in_units(
      evolution::measure(plan.metric, outcome.result.network, examples.check));
  outcome.train_rows = examples.train_steps;
  outcome.check_rows = examples.check_steps;
  const std::vector<double> errors = step_errors(
      outcome.result.network, examples.check, plan.encoding.target().deviation);
  if (!errors.empty()) outcome.intervals.emplace(errors);
  if (wants_ensemble(series.options) && !outcome.result.target_reached &&
      !series.options.evolution.cancel.is_cancelled()) {
    build_series_ensemble(series, errors, outcome);
  }
  // The score and the errors must have been measured: this trains on those
  // steps.
  if (outcome.ensemble.folds == 0) refit_series(outcome, series, start.ridge);
  return outcome;
}

// Scores the forecast of the held-out rows; without any, the score is NaN.
void judge_series(const EvolvingSeries& series, const SeriesForecast& forecast,
                  TableEvolutionOutcome& outcome) {
  outcome.test_score = std::numeric_limits<double>::quiet_NaN();
  outcome.test_rows = forecast.actual.size();
  if (forecast.actual.empty()) return;
  outcome.test_score = series.score_of(forecast, forecast.predicted);
  outcome.baselines = {
      {"persistence", series.score_of(forecast, forecast.persistence)},
      {"linear autoregression",
       series.score_of(forecast, forecast.autoregression)}};
  if (!forecast.seasonal.empty()) {
    outcome.baselines.push_back({"the value a season before",
                                 series.score_of(forecast, forecast.seasonal)});
  }
  outcome.series = {.actual = forecast.actual,
                    .predicted = forecast.predicted,
                    .persistence = forecast.persistence,
                    .autoregression = forecast.autoregression,
                    .seasonal = forecast.seasonal};
}

Result<TableEvolutionOutcome> evolve_series(
    const PreparedSeries& prepared, const TableEvolutionOptions& options,
    const Profiler<EvolutionEvent>& profiler) {
  const EvolvingSeries series{prepared, options, profiler};
  CurveListener listener(profiler, prepared.plan);
  ASSIGN_OR_RETURN(TableEvolutionOutcome outcome,
                   evolve_series_network(series));
  if (is_member(options)) return outcome;
  const SeriesForecast forecast =
      series.forecast(outcome.result.network, outcome.remarks);
  judge_series(series, forecast, outcome);
  outcome.curve = listener.curve(outcome.result.history);
  outcome.series_note = prepared.examples.note;
  return outcome;
}

}  // namespace

Result<TableEvolutionOutcome> evolve_table(
    const TablePlan& plan, const TableEvolutionOptions& options,
    const Profiler<EvolutionEvent>& profiler) {
  REQUIRE(plan.has_rows(),
          "evolve_table: the plan must be from plan_table, not from an "
          "outcome.");
  return plan.prepared->series
             ? evolve_series(*plan.prepared->series, options, profiler)
             : evolve_rows(*plan.prepared->rows, options, profiler);
}

Result<TableEvolutionOutcome> evolve_table(
    const Table& table, const Table* test, const TableEvolutionOptions& options,
    const Profiler<EvolutionEvent>& profiler) {
  ASSIGN_OR_RETURN(const TablePlan plan, plan_table(table, test, options));
  return evolve_table(plan, options, profiler);
}

}  // namespace lamarck::table
