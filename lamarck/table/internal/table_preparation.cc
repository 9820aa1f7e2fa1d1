#include "lamarck/table/internal/table_preparation.h"
#include "lamarck/base/macros.h"

#include <fmt/format.h>

#include <algorithm>
#include <numeric>

#include "lamarck/base/error.h"
#include "lamarck/data/class_labels.h"
#include "lamarck/table/internal/table_rows.h"

namespace lamarck::table {
namespace {

using data::Dataset;
using data::Metric;
using data::Table;
using data::TableEncoding;

constexpr double kRareClass = 0.1;  // Share below which accuracy misleads.
constexpr std::size_t kFewestRows = 10;

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

Result<Metric> chosen_metric(const TableEvolutionOptions& options,
                             const TableEncoding& encoding,
                             std::vector<std::string>& remarks) {
  const bool has_classes = encoding.target().has_classes();
  if (!options.metric.empty()) {
    ASSIGN_OR_RETURN(const Metric metric, data::metric_named(options.metric));
    if (metric.is_of_classes != has_classes) {
      return invalid_argument(fmt::format(
          "The metric '{}' is for {}, but '{}' holds {}; leave out --metric or "
          "choose another --task.",
          metric.name, metric.is_of_classes ? "classes" : "numbers",
          options.target, has_classes ? "classes" : "numbers"));
    }
    return metric;
  }
  if (options.is_series) return Metric::RootMeanSquaredError;
  if (!has_classes) return Metric::R2;
  if (!has_rare_classes(encoding.target())) return Metric::Accuracy;
  remarks.push_back(
      "Some classes are rare, so f1 is the metric and rare classes count more "
      "in learning.");
  return Metric::F1;
}

// The rows of one table, in two or three parts.
struct Parts {
  Table train;
  Table test;
  std::vector<data::DroppedColumn> dropped;  // Of the whole table.
};

Result<Parts> split_table(const Table& table, const Table* test,
                          const TableEvolutionOptions& options) {
  if (test != nullptr) return Parts{table, *test, {}};
  if (!(options.test_split > 0 && options.test_split < 1)) {
    return invalid_argument(
        fmt::format("--test-split is a share above 0 and below 1, not {}.",
                    options.test_split));
  }
  ASSIGN_OR_RETURN(const TableEncoding encoding, fitted(table, options));
  ASSIGN_OR_RETURN(const Dataset rows, encoding.dataset(table));
  ASSIGN_OR_RETURN(const auto numbers, encoding.rows_with_target(table));
  if (rows.size() < kFewestRows) {
    return invalid_argument(fmt::format(
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
               table.rows(picked(numbers, split.fewer)), encoding.dropped()};
}

// Of the part too: in some of the rows an id no longer counts one by one.
TableEvolutionOptions without_dropped(const Parts& parts,
                                      const TableEvolutionOptions& options) {
  TableEvolutionOptions fewer = options;
  for (const data::DroppedColumn& each : parts.dropped) {
    fewer.ignore.push_back(each.name);
  }
  return fewer;
}

void add_dropped(std::span<const data::DroppedColumn> columns,
                 std::vector<std::string>& remarks) {
  for (const data::DroppedColumn& dropped : columns) {
    remarks.push_back("Column '" + dropped.name + "' is not used: it " +
                      dropped.reason + ".");
  }
}

}  // namespace

bool has_rare_classes(const data::TargetColumn& target) {
  if (!target.has_classes()) return false;
  const double sum = static_cast<double>(std::accumulate(
      target.class_counts.begin(), target.class_counts.end(), std::size_t{0}));
  const double rarest =
      static_cast<double>(std::ranges::min(target.class_counts)) / sum;
  return rarest * static_cast<double>(target.classes.size()) / 2 < kRareClass;
}

Result<PreparedRows> prepare_rows(const Table& table, const Table* test,
                                  const TableEvolutionOptions& options) {
  ASSIGN_OR_RETURN(const Parts parts, split_table(table, test, options));
  ASSIGN_OR_RETURN(const TableEncoding encoding,
                   fitted(parts.train, without_dropped(parts, options)));
  std::vector<std::string> remarks = encoding.remarks();
  add_dropped(parts.dropped, remarks);
  add_dropped(encoding.dropped(), remarks);
  ASSIGN_OR_RETURN(const Metric metric,
                   chosen_metric(options, encoding, remarks));
  ASSIGN_OR_RETURN(Dataset known, encoding.dataset(parts.train));
  ASSIGN_OR_RETURN(Dataset judged, encoding.dataset(parts.test));
  if (known.size() < kFewestRows) {
    return invalid_argument(fmt::format(
        "There are {} rows to learn from, and at least {} are needed.",
        known.size(), kFewestRows));
  }
  return PreparedRows{.plan = {encoding, metric},
                      .known = std::move(known),
                      .test = std::move(judged),
                      .remarks = std::move(remarks)};
}

Result<PreparedSeries> prepare_series(const Table& table, const Table* test,
                                      const TableEvolutionOptions& options) {
  if (options.task == TableTask::Classify) {
    return invalid_argument(
        "--series predicts a number; --task classify cannot go with it.");
  }
  ASSIGN_OR_RETURN(const SeriesParts parts, split_series(table, test, options));
  ASSIGN_OR_RETURN(const TableEncoding encoding,
                   fit_series(parts.known, options));
  std::vector<std::string> remarks = parts.remarks;
  add_dropped(encoding.dropped(), remarks);
  ASSIGN_OR_RETURN(const Metric metric,
                   chosen_metric(options, encoding, remarks));
  ASSIGN_OR_RETURN(SeriesExamples examples,
                   series_examples(parts, encoding, options));
  return PreparedSeries{.plan = {encoding, metric},
                        .examples = std::move(examples),
                        .remarks = std::move(remarks)};
}

}  // namespace lamarck::table
