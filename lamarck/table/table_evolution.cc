#include "lamarck/table/table_evolution.h"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <limits>

#include "lamarck/base/ensure.h"
#include "lamarck/base/error.h"
#include "lamarck/base/macros.h"
#include "lamarck/data/class_labels.h"
#include "lamarck/evolution/network_graph.h"
#include "lamarck/evolution/supervised_task.h"
#include "lamarck/table/internal/held_out_predictions.h"
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

Examples with_weights(const Dataset& rows, const TableEncoding& encoding) {
  const Dataset reduced = with_binary_target(rows, encoding);
  return {reduced.inputs(), reduced.targets(), class_weights(rows, encoding)};
}

Network initial_network(const TableEvolutionOptions& options,
                        const Examples& train) {
  const auto inputs = static_cast<std::size_t>(train.inputs.size(-1));
  const auto outputs = static_cast<std::size_t>(train.targets.size(-1));
  const std::uint64_t seed = options.evolution.seed;
  const Grain grain = options.evolution.grain;
  const bool starts_with_layers =
      grain == Grain::Layer ||
      (grain == Grain::Both &&
       (inputs * outputs > kManyEdges || train.rows() > kManyRows));
  if (!starts_with_layers) {
    return evolution::minimal_network(inputs, outputs, seed);
  }
  return evolution::minimal_layers(
      {.channels = static_cast<std::uint32_t>(inputs)}, outputs, seed);
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
    const TableEvolutionOptions& options, const Examples& train,
    const Examples& check, const TablePlan& plan,
    const Profiler<EvolutionEvent>& profiler) {
  evolution::EvolutionOptions run = options.evolution;
  run.target_metric = std::numeric_limits<double>::infinity();
  if (options.goal) {
    const double goal = plan.from_units(*options.goal);
    run.target_metric = plan.metric.higher_is_better ? goal : -goal;
  }
  const evolution::Evolution evolution{
      .network = initial_network(options, train),
      .task = evolution::SupervisedTask(
          train, check, plan.metric, {.training = {.l2 = default_l2(train)}}),
      .options = run,
      .profiler = profiler};
  ASSIGN_OR_RETURN(EvolutionResult result, evolution.run());
  return require_finite_scores(std::move(result));
}

Result<TableEvolutionOutcome> evolve_rows(
    const PreparedRows& prepared, const TableEvolutionOptions& options,
    const Profiler<EvolutionEvent>& profiler) {
  const TablePlan& plan = prepared.plan;
  const Dataset& known = prepared.known;
  Rng rng = Rng(options.evolution.seed).split("check rows");
  const SplitRows split = split_rows(known.size(), kCheckShare,
                                     plan.encoding.target().has_classes()
                                         ? data::class_indices(known.targets())
                                         : std::vector<std::size_t>{},
                                     rng);
  const Examples train = with_weights(known.rows(split.train), plan.encoding);
  const Examples check =
      with_weights(known.rows(split.held_out), plan.encoding);

  CurveListener listener(profiler, plan);
  ASSIGN_OR_RETURN(EvolutionResult result,
                   run_evolution(options, train, check, plan, profiler));
  TableEvolutionOutcome outcome{.result = std::move(result),
                                .encoding = plan.encoding,
                                .metric = plan.metric};
  const Network& network = outcome.result.network;
  const Dataset judged = with_binary_target(prepared.test, plan.encoding);
  outcome.remarks = prepared.remarks;
  outcome.score =
      plan.in_units(evolution::measure(plan.metric, network, check));
  // The score above must be measured first: refit trains on these rows.
  refit(outcome.result, with_weights(known, plan.encoding), options.evolution,
        outcome.remarks);
  const Tensor outputs = replace_non_finite(
      evolution::predict(network, judged.inputs()), outcome.remarks);
  outcome.test_score =
      plan.in_units(plan.metric.function(outputs, judged.targets()));
  outcome.train_rows = train.rows();
  outcome.check_rows = check.rows();
  outcome.test_rows = judged.size();
  outcome.baselines.push_back(constant_baseline(known, prepared.test, plan));
  outcome.curve = listener.curve(outcome.result.history);
  add_predictions(outcome, outputs, prepared.test);
  return outcome;
}

Result<TableEvolutionOutcome> evolve_series(
    const PreparedSeries& prepared, const TableEvolutionOptions& options,
    const Profiler<EvolutionEvent>& profiler) {
  const TablePlan& plan = prepared.plan;
  const SeriesExamples& examples = prepared.examples;
  CurveListener listener(profiler, plan);
  ASSIGN_OR_RETURN(
      EvolutionResult result,
      run_evolution(options, examples.train, examples.check, plan, profiler));
  TableEvolutionOutcome outcome{.result = std::move(result),
                                .encoding = plan.encoding,
                                .metric = plan.metric};
  const Network& network = outcome.result.network;
  outcome.remarks = prepared.remarks;
  // The network runs from the first row, so its state at the held-out rows is
  // the one it would have in use.
  const Tensor outputs = evolution::predict(network, examples.whole);
  const SeriesForecast forecast =
      forecast_series(replace_non_finite(outputs.reshape({outputs.size(1), 1}),
                                         outcome.remarks),
                      examples, plan.encoding, options.horizon);
  const auto score_of = [&](const std::vector<double>& guesses) {
    return change_score(plan.metric, forecast.persistence, guesses,
                        forecast.actual);
  };
  outcome.score =
      plan.in_units(evolution::measure(plan.metric, network, examples.check));
  outcome.test_score = score_of(forecast.predicted);
  outcome.train_rows = examples.train_steps;
  outcome.check_rows = examples.check_steps;
  outcome.test_rows = forecast.actual.size();
  outcome.baselines = {
      {"persistence", score_of(forecast.persistence)},
      {"linear autoregression", score_of(forecast.autoregression)}};
  outcome.curve = listener.curve(outcome.result.history);
  outcome.series = {.actual = forecast.actual,
                    .predicted = forecast.predicted,
                    .persistence = forecast.persistence};
  outcome.series_note = {.target = options.target, .horizon = options.horizon};
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
