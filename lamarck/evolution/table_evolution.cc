#include "lamarck/evolution/table_evolution.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <numeric>
#include <nlohmann/json.hpp>

#include "lamarck/base/json.h"
#include "lamarck/data/class_labels.h"
#include "lamarck/data/confusion_matrix.h"
#include "lamarck/evolution/internal/series_examples.h"
#include "lamarck/evolution/internal/table_rows.h"
#include "lamarck/evolution/network_graph.h"
#include "lamarck/evolution/supervised_task.h"

namespace lamarck::evolution {
namespace {

using data::Dataset;
using data::Table;
using data::TableEncoding;

constexpr double kCheckShare = 0.2;
constexpr double kRareClass = 0.1;       // Share below which accuracy misleads.
constexpr std::size_t kManyEdges = 400;  // From here on it begins as layers.
constexpr std::size_t kManyRows = 20'000;  // Likewise.
constexpr std::size_t kFewestRows = 10;

Error invalid(std::string message) {
  return Error(ErrorCode::InvalidArgument, std::move(message));
}

Result<TableEncoding> fitted(const Table& table,
                             const TableEvolutionOptions& options) {
  using data::TargetKind;
  const TargetKind kind =
      options.task == TableTask::Classify  ? TargetKind::Classes
      : options.task == TableTask::Regress ? TargetKind::Number
                                           : TargetKind::Auto;
  return TableEncoding::fit(table, {.target = options.target,
                                    .ignore = options.ignore,
                                    .target_kind = kind,
                                    .drop_text = true});
}

double rarest_share(const data::TargetColumn& target) {
  const double sum = static_cast<double>(std::accumulate(
      target.class_counts.begin(), target.class_counts.end(), std::size_t{0}));
  return static_cast<double>(std::ranges::min(target.class_counts)) / sum *
         static_cast<double>(target.classes.size()) / 2;
}

Result<Metric> chosen_metric(const TableEvolutionOptions& options,
                             const TableEncoding& encoding,
                             std::vector<std::string>& remarks) {
  const bool has_classes = encoding.target().has_classes();
  if (!options.metric.empty()) {
    ASSIGN_OR_RETURN(const Metric metric, data::metric_named(options.metric));
    if (metric.is_of_classes != has_classes) {
      return invalid(fmt::format(
          "The metric '{}' is for {}, but '{}' holds {}; leave out --metric or "
          "choose another --task.",
          metric.name, metric.is_of_classes ? "classes" : "numbers",
          options.target, has_classes ? "classes" : "numbers"));
    }
    return metric;
  }
  if (options.is_series) return Metric::RootMeanSquaredError;
  if (!has_classes) return Metric::R2;
  if (rarest_share(encoding.target()) >= kRareClass) return Metric::Accuracy;
  remarks.push_back(
      "Some classes are rare, so f1 is the metric and rare classes count more "
      "in learning.");
  return Metric::F1;
}

// Two classes need one output: the probability of the second.
Dataset narrowed(const Dataset& rows, const TableEncoding& encoding) {
  if (encoding.target().classes.size() != 2) return rows;
  return Dataset(rows.inputs(), rows.targets().slice(1, 1, 2).contiguous());
}

// Where classes are rare, the root of how much rarer than the mean each is.
Tensor class_weights(const Dataset& rows, const TableEncoding& encoding,
                     bool is_uneven) {
  if (!is_uneven) return {};
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

Examples with_weights(const Dataset& rows, const TableEncoding& encoding,
                      bool is_uneven) {
  const Dataset few = narrowed(rows, encoding);
  return {few.inputs(), few.targets(),
          class_weights(rows, encoding, is_uneven)};
}

// A value of the metric in the units of the table.
double in_units(const Metric& metric, double value,
                const TableEncoding& encoding) {
  const double deviation = encoding.target().deviation;
  if (metric.name == "mse") return value * deviation * deviation;
  if (metric.name == "rmse" || metric.name == "mae") return value * deviation;
  return value;
}

double from_units(const Metric& metric, double value,
                  const TableEncoding& encoding) {
  return value / in_units(metric, 1, encoding);
}

Network first_network(const TableEvolutionOptions& options,
                      const Examples& train) {
  const auto inputs = static_cast<std::size_t>(train.inputs.size(-1));
  const auto outputs = static_cast<std::size_t>(train.targets.size(-1));
  const std::uint64_t seed = options.evolution.seed;
  const Grain grain = options.evolution.grain;
  const bool begins_with_layers =
      grain == Grain::Layer ||
      (grain == Grain::Both &&
       (inputs * outputs > kManyEdges || train.rows() > kManyRows));
  if (!begins_with_layers) return minimal_network(inputs, outputs, seed);
  return minimal_layers({.channels = static_cast<std::uint32_t>(inputs)},
                        outputs, seed);
}

// Collects the curve of the report.
class CurveListener {
 public:
  CurveListener(const Profiler<EvolutionEvent>& profiler, const Metric& metric,
                const TableEncoding& encoding)
      : profiler_(profiler) {
    const auto shown = [metric, encoding](double score) {
      return in_units(metric, metric.higher_is_better ? score : -score,
                      encoding);
    };
    remove_ =
        profiler_.use_profiler([this, shown](const EvolutionEvent& event) {
          if (const auto* kept = std::get_if<MutationKept>(&event)) {
            last_ = kept->payload.score;
          }
          if (const auto* back = std::get_if<MutationRolledBack>(&event)) {
            last_ = back->payload.score;
          }
          const auto* done = std::get_if<GenerationDone>(&event);
          if (done == nullptr || !std::isfinite(done->payload.best_score))
            return;
          const double best = shown(done->payload.best_score);
          curve_.push_back({.seconds = done->payload.seconds,
                            .evaluations = done->payload.evaluations,
                            .score = std::isfinite(last_) ? shown(last_) : best,
                            .best = best});
        });
  }
  ~CurveListener() { remove_(); }
  CurveListener(const CurveListener&) = delete;
  CurveListener& operator=(const CurveListener&) = delete;

  std::vector<ScorePoint> curve() const { return curve_; }

 private:
  Profiler<EvolutionEvent> profiler_;
  Remover remove_;
  double last_ = std::numeric_limits<double>::quiet_NaN();
  std::vector<ScorePoint> curve_;
};

// Weights that are drawn to 0 as if each was, before anything is known, of
// about the size 1.
float usual_l2(const Examples& examples) {
  return 1.0f / static_cast<float>(examples.rows());
}

// What was chosen learns a little more, now from the rows for comparing too.
void refit(EvolutionResult& result, const Examples& known) {
  const Trainer trainer(known);
  trainer.train(result.network, {.method = TrainingMethod::Adam,
                                 .most_steps = 200,
                                 .rate = 0.01f,
                                 .epochs = 10,
                                 .layer_rate = 0.001f,
                                 .l2 = usual_l2(known)});
  result.graph = to_graph(result.network);
}

EvolutionResult evolved(const TableEvolutionOptions& options,
                        const Examples& train, const Examples& check,
                        const Metric& metric, const TableEncoding& encoding,
                        const Profiler<EvolutionEvent>& profiler) {
  EvolutionOptions run = options.evolution;
  run.target_metric = std::numeric_limits<double>::infinity();
  if (options.goal) {
    const double goal = from_units(metric, *options.goal, encoding);
    run.target_metric = metric.higher_is_better ? goal : -goal;
  }
  return Evolution{
      .graph = first_network(options, train),
      .task = SupervisedTask(train, check, metric,
                             {.training = {.l2 = usual_l2(train)}}),
      .options = run,
      .profiler = profiler}
      .run();
}

ConfusionCounts confusion_of(const Tensor& outputs, const Tensor& targets,
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

// The most frequent class of the rows learnt from, or their mean.
Baseline simplest(const Dataset& train, const Dataset& test,
                  const Metric& metric, const TableEncoding& encoding) {
  Tensor guesses = test.targets().clone();
  if (encoding.target().has_classes()) {
    const auto& counts = encoding.target().class_counts;
    const auto most = std::ranges::max_element(counts) - counts.begin();
    guesses.fill(0);
    for (std::int64_t row = 0; row < guesses.size(0); ++row) {
      guesses.at({row, most}) = 1;
    }
    return {"always the most frequent class",
            metric.function(guesses, test.targets())};
  }
  double sum = 0;
  for (const float value : train.targets().data()) sum += double{value};
  guesses.fill(static_cast<float>(sum / static_cast<double>(train.size())));
  return {"always the mean",
          in_units(metric, metric.function(guesses, test.targets()), encoding)};
}

// The rows of one table, in two or three parts.
struct Parts {
  Table train;
  Table test;
};

Result<Parts> split_table(const Table& table, const Table* test,
                          const TableEvolutionOptions& options) {
  if (test != nullptr) return Parts{table, *test};
  if (!(options.test_split > 0 && options.test_split < 1)) {
    return invalid(
        fmt::format("--test-split is a share above 0 and below 1, not {}.",
                    options.test_split));
  }
  ASSIGN_OR_RETURN(const TableEncoding encoding, fitted(table, options));
  ASSIGN_OR_RETURN(const Dataset rows, encoding.dataset(table));
  ASSIGN_OR_RETURN(const auto numbers, encoding.rows_with_target(table));
  if (rows.size() < kFewestRows) {
    return invalid(fmt::format(
        "There are {} rows with a target, and at least {} are needed.",
        rows.size(), kFewestRows));
  }
  Rng rng = Rng(options.evolution.seed).split("test rows");
  const SplitRows split = split_rows(rows.size(), options.test_split,
                                     encoding.target().has_classes()
                                         ? data::class_indices(rows.targets())
                                         : std::vector<std::size_t>{},
                                     rng);
  return Parts{table.rows(picked(numbers, split.most)),
               table.rows(picked(numbers, split.fewer))};
}

Result<TableEvolutionOutcome> evolve_rows(
    const Table& table, const Table* test_table,
    const TableEvolutionOptions& options,
    const Profiler<EvolutionEvent>& profiler) {
  ASSIGN_OR_RETURN(const Parts parts, split_table(table, test_table, options));
  ASSIGN_OR_RETURN(const TableEncoding encoding, fitted(parts.train, options));
  ASSIGN_OR_RETURN(const Dataset known, encoding.dataset(parts.train));
  ASSIGN_OR_RETURN(const Dataset test, encoding.dataset(parts.test));
  if (known.size() < kFewestRows) {
    return invalid(fmt::format(
        "There are {} rows to learn from, and at least {} are needed.",
        known.size(), kFewestRows));
  }
  std::vector<std::string> remarks = encoding.remarks();
  for (const data::DroppedColumn& dropped : encoding.dropped()) {
    remarks.push_back("Column '" + dropped.name + "' is not used: it " +
                      dropped.reason + ".");
  }
  ASSIGN_OR_RETURN(const Metric metric,
                   chosen_metric(options, encoding, remarks));
  const bool has_classes = encoding.target().has_classes();
  const bool is_uneven =
      has_classes && rarest_share(encoding.target()) < kRareClass;
  Rng rng = Rng(options.evolution.seed).split("check rows");
  const SplitRows split =
      split_rows(known.size(), kCheckShare,
                 has_classes ? data::class_indices(known.targets())
                             : std::vector<std::size_t>{},
                 rng);
  const Examples train =
      with_weights(known.rows(split.most), encoding, is_uneven);
  const Examples check =
      with_weights(known.rows(split.fewer), encoding, is_uneven);

  CurveListener listener(profiler, metric, encoding);
  TableEvolutionOutcome outcome{
      .result = evolved(options, train, check, metric, encoding, profiler),
      .encoding = encoding,
      .metric = metric};
  const Network& network = outcome.result.network;
  outcome.score = in_units(metric, measure(metric, network, check), encoding);
  refit(outcome.result, with_weights(known, encoding, is_uneven));
  const Dataset judged = narrowed(test, encoding);
  const Tensor outputs = predict(network, judged.inputs());
  outcome.test_score =
      in_units(metric, metric.function(outputs, judged.targets()), encoding);
  outcome.train_rows = train.rows();
  outcome.check_rows = check.rows();
  outcome.test_rows = judged.size();
  outcome.baselines.push_back(simplest(known, test, metric, encoding));
  outcome.remarks = std::move(remarks);
  outcome.curve = listener.curve();
  if (has_classes) {
    outcome.confusion = confusion_of(outputs, test.targets(), encoding);
  } else {
    const auto predicted = encoding.decode_numbers(outputs);
    const auto actual = encoding.decode_numbers(judged.targets());
    for (std::size_t i = 0; i < predicted.size(); ++i) {
      outcome.numbers.push_back(
          {.actual = actual[i], .predicted = predicted[i]});
    }
  }
  return outcome;
}

// ---- Series.

Result<TableEvolutionOutcome> evolve_series(
    const Table& table, const Table* test_table,
    const TableEvolutionOptions& options,
    const Profiler<EvolutionEvent>& profiler) {
  if (options.task == TableTask::Classify) {
    return invalid(
        "--series predicts a number; --task classify cannot go with it.");
  }
  ASSIGN_OR_RETURN(const SeriesParts parts,
                   split_series(table, test_table, options));
  ASSIGN_OR_RETURN(const TableEncoding encoding,
                   fit_series(parts.known, options));
  std::vector<std::string> remarks = parts.remarks;
  for (const data::DroppedColumn& dropped : encoding.dropped()) {
    remarks.push_back("Column '" + dropped.name + "' is not used: it " +
                      dropped.reason + ".");
  }
  ASSIGN_OR_RETURN(const Metric metric,
                   chosen_metric(options, encoding, remarks));
  ASSIGN_OR_RETURN(const SeriesExamples examples,
                   series_examples(parts, encoding, options));
  CurveListener listener(profiler, metric, encoding);
  TableEvolutionOutcome outcome{
      .result = evolved(options, examples.train, examples.check, metric,
                        encoding, profiler),
      .encoding = encoding,
      .metric = metric};
  const Network& network = outcome.result.network;
  const Tensor outputs = predict(network, examples.whole);
  const SeriesForecast forecast =
      forecast_series(outputs, examples, encoding, options.horizon);
  outcome.score =
      in_units(metric, measure(metric, network, examples.check), encoding);
  outcome.test_score = metric.function(as_column(forecast.predicted),
                                       as_column(forecast.actual));
  outcome.train_rows = examples.train_steps;
  outcome.check_rows = examples.check_steps;
  outcome.test_rows = forecast.actual.size();
  outcome.baselines = {
      {"persistence", metric.function(as_column(forecast.persistence),
                                      as_column(forecast.actual))},
      {"linear autoregression",
       metric.function(as_column(forecast.autoregression),
                       as_column(forecast.actual))}};
  outcome.remarks = std::move(remarks);
  outcome.curve = listener.curve();
  outcome.series = {.actual = forecast.actual,
                    .predicted = forecast.predicted,
                    .persistence = forecast.persistence};
  outcome.horizon = options.horizon;
  return outcome;
}

}  // namespace

Result<TableTask> table_task_named(std::string_view name) {
  if (name == "auto") return TableTask::Auto;
  if (name == "classify") return TableTask::Classify;
  if (name == "regress") return TableTask::Regress;
  return invalid("There is no task '" + std::string(name) +
                 "'; choose auto, classify or regress.");
}

std::map<std::string, std::string> TableEvolutionOutcome::notes() const {
  std::map<std::string, std::string> notes;
  notes["encoding"] = dump_json(encoding.to_json());
  notes["metric"] = std::string(metric.name);
  if (horizon) notes["series"] = dump_json({{"horizon", *horizon}});
  return notes;
}

Result<TableEvolutionOutcome> evolve_table(
    const Table& table, const Table* test, const TableEvolutionOptions& options,
    const Profiler<EvolutionEvent>& profiler) {
  if (table.row_count() == 0) return invalid("The table has no rows.");
  RETURN_IF_ERROR(table.find(options.target));
  return options.is_series ? evolve_series(table, test, options, profiler)
                           : evolve_rows(table, test, options, profiler);
}

}  // namespace lamarck::evolution
