#include "lamarck/table/table_evolution.h"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <limits>
#include <nlohmann/json.hpp>

#include "lamarck/base/ensure.h"
#include "lamarck/base/error.h"
#include "lamarck/base/json.h"
#include "lamarck/base/macros.h"
#include "lamarck/data/class_labels.h"
#include "lamarck/data/confusion_matrix.h"
#include "lamarck/evolution/network_graph.h"
#include "lamarck/evolution/supervised_task.h"
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

// Collects the score curve of the report from the events of a run.
class CurveListener {
 public:
  CurveListener(const Profiler<EvolutionEvent>& profiler, const TablePlan& plan)
      : profiler_(profiler), plan_(plan) {
    remove_ = profiler_.use_profiler(
        [this](const EvolutionEvent& event) { listen(event); });
  }
  ~CurveListener() { remove_(); }
  CurveListener(const CurveListener&) = delete;
  CurveListener& operator=(const CurveListener&) = delete;

  // Returns the whole curve. A resumed run sends no events for its earlier
  // part, so that part is rebuilt from the history of improvements.
  std::vector<ScorePoint> curve(
      const std::vector<evolution::GrowthRecord>& history) const {
    std::vector<ScorePoint> whole;
    for (const evolution::GrowthRecord& record : history) {
      if (!std::isfinite(record.score)) continue;
      if (!curve_.empty() && record.seconds >= curve_[0].seconds) break;
      const double score = plan_.shown(record.score);
      whole.push_back({.seconds = record.seconds,
                       .evaluations = record.evaluations,
                       .score = score,
                       .best = score});
    }
    whole.insert(whole.end(), curve_.begin(), curve_.end());
    return whole;
  }

 private:
  void listen(const EvolutionEvent& event) {
    if (const auto* kept = std::get_if<evolution::MutationKept>(&event)) {
      last_ = kept->payload.score;
    }
    if (const auto* back = std::get_if<evolution::MutationRolledBack>(&event)) {
      last_ = back->payload.score;
    }
    const auto* done = std::get_if<evolution::GenerationDone>(&event);
    if (done == nullptr || !std::isfinite(done->payload.best_score)) return;
    const double best = plan_.shown(done->payload.best_score);
    curve_.push_back({.seconds = done->payload.seconds,
                      .evaluations = done->payload.evaluations,
                      .score = std::isfinite(last_) ? plan_.shown(last_) : best,
                      .best = best});
  }

  Profiler<EvolutionEvent> profiler_;
  const TablePlan& plan_;
  Remover remove_;
  double last_ = std::numeric_limits<double>::quiet_NaN();  // Latest score.
  std::vector<ScorePoint> curve_;
};

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

ConfusionCounts count_confusions(const Tensor& outputs, const Tensor& targets,
                                 const TableEncoding& encoding) {
  const auto actual = data::class_indices(targets);
  const auto predicted = data::predicted_classes(outputs);
  const std::size_t count = encoding.target().classes.size();
  const data::ConfusionMatrix matrix(predicted, actual, count);
  ConfusionCounts result{.classes = encoding.target().classes, .counts = {}};
  for (std::size_t row = 0; row < count; ++row) {
    result.counts.emplace_back();
    for (std::size_t column = 0; column < count; ++column) {
      result.counts.back().push_back(matrix.count(row, column));
    }
  }
  return result;
}

// Scores the constant prediction: the most frequent class of the training rows,
// or their mean.
Baseline constant_baseline(const Dataset& train, const Dataset& test,
                           const TablePlan& plan) {
  const TableEncoding& encoding = plan.encoding;
  const data::Metric& metric = plan.metric;
  Tensor guesses = test.targets().clone();
  if (encoding.target().has_classes()) {
    const auto& counts = encoding.target().class_counts;
    const auto frequent = std::ranges::max_element(counts) - counts.begin();
    guesses.fill(0);
    for (std::int64_t row = 0; row < guesses.size(0); ++row) {
      guesses.at({row, frequent}) = 1;
    }
    return {"always the most frequent class",
            metric.function(guesses, test.targets())};
  }
  double sum = 0;
  for (const float value : train.targets().data()) sum += double{value};
  guesses.fill(static_cast<float>(sum / static_cast<double>(train.size())));
  return {"always the mean",
          plan.in_units(metric.function(guesses, test.targets()))};
}

// Replaces non-finite outputs by 0 and adds a remark if there are any.
Tensor replace_non_finite(const Tensor& outputs,
                          std::vector<std::string>& remarks) {
  Tensor numbers = outputs.contiguous().clone();
  std::size_t count = 0;
  for (std::int64_t row = 0; row < numbers.size(0); ++row) {
    bool is_finite = true;
    for (std::int64_t i = 0; i < numbers.size(1); ++i) {
      float& value = numbers.at({row, i});
      if (std::isfinite(value)) continue;
      value = 0;
      is_finite = false;
    }
    count += is_finite ? 0 : 1;
  }
  if (count > 0) {
    remarks.push_back(fmt::format(
        "The network's output is not finite for {} row{}, whose values are far "
        "from the training data; 0 is used instead.",
        count, count == 1 ? "" : "s"));
  }
  return numbers;
}

// Adds the predictions for the held-out rows, in the units of the table.
void add_predictions(TableEvolutionOutcome& outcome, const Tensor& outputs,
                     const Dataset& test) {
  const TableEncoding& encoding = outcome.encoding;
  if (encoding.target().has_classes()) {
    outcome.confusion = count_confusions(outputs, test.targets(), encoding);
    return;
  }
  const auto predicted = encoding.decode_numbers(outputs);
  const auto actual = encoding.decode_numbers(test.targets());
  for (std::size_t i = 0; i < predicted.size(); ++i) {
    outcome.numbers.push_back({.actual = actual[i], .predicted = predicted[i]});
  }
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

Result<void> check_target(const Table& table,
                          const TableEvolutionOptions& options) {
  if (table.row_count() == 0) return data::no_rows_error();
  RETURN_IF_ERROR(table.find(options.target));
  return {};
}

}  // namespace

// The target is divided by its standard deviation, so errors scale with it and
// squared errors with its square; r2 and class metrics have no unit.
double TablePlan::in_units(double value) const {
  for (int i = 0; i < metric.unit_power; ++i) {
    value *= encoding.target().deviation;
  }
  return value;
}

double TablePlan::from_units(double value) const { return value / in_units(1); }

double TablePlan::shown(double score) const {
  // Adding 0 turns -0 into 0.
  return in_units(metric.higher_is_better ? score : -score) + 0.0;
}

Result<TableTask> table_task_named(std::string_view name) {
  if (name == "auto") return TableTask::Auto;
  if (name == "classify") return TableTask::Classify;
  if (name == "regress") return TableTask::Regress;
  return invalid_argument("Unknown task '" + std::string(name) +
                          "'; use auto, classify or regress.");
}

std::map<std::string, std::string> TableEvolutionOutcome::notes() const {
  std::map<std::string, std::string> notes;
  notes["encoding"] = dump_json(encoding.to_json());
  notes["metric"] = std::string(metric.name);
  if (series_note) notes["series"] = series_note->to_text();
  return notes;
}

Result<TablePlan> plan_table(const Table& table, const Table* test,
                             const TableEvolutionOptions& options) {
  RETURN_IF_ERROR(check_target(table, options));
  PreparedTable prepared;
  if (options.is_series) {
    ASSIGN_OR_RETURN(prepared.series, prepare_series(table, test, options));
  } else {
    ASSIGN_OR_RETURN(prepared.rows, prepare_rows(table, test, options));
  }
  TablePlan plan =
      prepared.series ? prepared.series->plan : prepared.rows->plan;
  plan.prepared = std::make_shared<const PreparedTable>(std::move(prepared));
  return plan;
}

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
