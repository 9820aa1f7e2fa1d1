#include "lamarck/table/internal/table_preparation.h"

#include <fmt/format.h>

#include <algorithm>
#include <iterator>
#include <numeric>
#include <optional>

#include "lamarck/base/error.h"
#include "lamarck/base/macros.h"
#include "lamarck/base/one_line.h"
#include "lamarck/data/class_labels.h"
#include "lamarck/table/internal/table_reduction.h"
#include "lamarck/table/internal/table_rows.h"
#include "lamarck/table/internal/weighted_rows.h"

namespace lamarck::table {
namespace {

using data::Dataset;
using data::Metric;
using data::Table;
using data::TableEncoding;

constexpr double kRareClass = 0.1;  // Share below which accuracy misleads.

Result<TableEncoding> fit_encoding(const Table& table,
                                   const TableEvolutionOptions& options) {
  using data::TargetKind;
  if (options.start) return options.start->encoding;
  const TargetKind kind =
      options.task == TableTask::Classify  ? TargetKind::Classes
      : options.task == TableTask::Regress ? TargetKind::Number
                                           : TargetKind::Auto;
  return TableEncoding::fit(table, {.target = options.target,
                                    .ignore = options.ignore,
                                    .target_kind = kind,
                                    .drop_text = true});
}

// Returns the requested metric, or the default for the kind of target.
Result<Metric> choose_metric(const TableEvolutionOptions& options,
                             const TableEncoding& encoding,
                             std::vector<std::string>& remarks) {
  const bool has_classes = encoding.target().has_classes();
  if (!options.metric.empty()) {
    ASSIGN_OR_RETURN(const Metric metric, data::find_metric(options.metric));
    if (metric.is_of_classes != has_classes) {
      return invalid_argument(
          fmt::format("Metric '{}' is for {}, but '{}' contains {}; "
                      "choose another metric or task.",
                      metric.name, metric.is_of_classes ? "classes" : "numbers",
                      options.target, has_classes ? "classes" : "numbers"));
    }
    return metric;
  }
  if (options.is_series) return Metric::RootMeanSquaredError;
  if (!has_classes) return Metric::R2;
  if (!has_rare_classes(encoding.target())) return Metric::Accuracy;
  remarks.push_back(
      "Some classes are rare, so f1 is the metric and rare classes have more "
      "weight in training.");
  return Metric::F1;
}

// The training and the held-out rows of a table.
struct Parts {
  Table train;
  std::optional<Table> test;
  std::vector<data::DroppedColumn> dropped;  // Judged by the whole table.
  std::vector<std::string> remarks;
};

// Adds a remark if some of the rows have no target.
void add_skipped(std::size_t used, std::size_t rows, const std::string& target,
                 const char* what, std::vector<std::string>& remarks) {
  if (used == rows) return;
  remarks.push_back(fmt::format("{} of {} {} have no {} and are skipped.",
                                rows - used, rows, what, in_quotes(target)));
}

Result<Parts> split_table(const Table& table, const Table* test,
                          const TableEvolutionOptions& options) {
  if (test != nullptr) return Parts{table, *test, {}, {}};
  if (options.test_split == 0) return Parts{table, std::nullopt, {}, {}};
  if (!(options.test_split > 0 && options.test_split < 1)) {
    return invalid_argument(
        fmt::format("test_split must be at least 0 and below 1, got {}.",
                    options.test_split));
  }
  ASSIGN_OR_RETURN(const TableEncoding encoding, fit_encoding(table, options));
  // Not the inputs: those of a wide table take much memory before screening.
  ASSIGN_OR_RETURN(const Tensor targets, encoding.targets(table));
  ASSIGN_OR_RETURN(const auto numbers, encoding.rows_with_target(table));
  if (encoding.target().has_classes() &&
      std::ranges::max(encoding.target().class_counts) == 1) {
    return invalid_argument(fmt::format(
        "Column {} has another class in each of its {} rows, so nothing can be "
        "learned about a class; use --task regress for a number, or choose "
        "another target.",
        in_quotes(options.target), numbers.size()));
  }
  if (numbers.size() < kMinTableRows) {
    return invalid_argument(
        fmt::format("At least {} rows with a target are needed, got {}.",
                    kMinTableRows, numbers.size()));
  }
  Rng rng = Rng(options.evolution.seed).split("test rows");
  const SplitRows split =
      split_rows(numbers.size(), options.test_split,
                 encoding.target().has_classes() ? data::class_indices(targets)
                                                 : std::vector<std::size_t>{},
                 rng);
  if (split.train.size() < kMinTableRows) {
    return invalid_argument(fmt::format(
        "At least {} rows are needed for training, but --test-split {} holds "
        "out {} of {}; use a smaller share.",
        kMinTableRows, options.test_split, split.held_out.size(),
        numbers.size()));
  }
  Parts parts{table.rows(picked(numbers, split.train)),
              table.rows(picked(numbers, split.held_out)),
              encoding.dropped(),
              {}};
  add_skipped(numbers.size(), table.row_count(), options.target, "rows",
              parts.remarks);
  return parts;
}

// Ignores the columns that the whole table drops. A row number would otherwise
// become an input, because it is not consecutive after the split.
TableEvolutionOptions without_dropped(const Parts& parts,
                                      const TableEvolutionOptions& options) {
  TableEvolutionOptions reduced = options;
  for (const data::DroppedColumn& each : parts.dropped) {
    reduced.ignore.push_back(each.name);
  }
  return reduced;
}

// Only counts the columns after the first 20.
void add_dropped(std::span<const data::DroppedColumn> columns,
                 std::vector<std::string>& remarks) {
  constexpr std::size_t kMaxNamed = 20;
  if (columns.size() > kMaxNamed) {
    add_dropped(columns.first(kMaxNamed), remarks);
    remarks.push_back(fmt::format(
        "{} more columns are not used: they contain text, no values or always "
        "the same value.",
        columns.size() - kMaxNamed));
    return;
  }
  for (const data::DroppedColumn& dropped : columns) {
    const char* advice =
        dropped.reason.starts_with("is text")
            ? "; to use it, add columns with what matters in it, such as a "
              "keyword"
            : "";
    remarks.push_back("Column '" + dropped.name + "' is not used: it " +
                      dropped.reason + advice + ".");
  }
}

// The target of a series and the columns that were derived from it.
std::vector<std::string> own_columns(const Table& table, const Table& extended,
                                     const std::string& target) {
  std::vector<std::string> names = {target};
  for (std::size_t i = table.columns().size(); i < extended.columns().size();
       ++i) {
    names.push_back(extended.columns()[i].name);
  }
  return names;
}

}  // namespace

bool has_rare_classes(const data::TargetColumn& target) {
  if (!target.has_classes()) return false;
  const double sum = static_cast<double>(std::accumulate(
      target.class_counts.begin(), target.class_counts.end(), std::size_t{0}));
  const double rarest =
      static_cast<double>(std::ranges::min(target.class_counts)) / sum;
  // Relative to an even share, so many classes alone do not make each one rare.
  return rarest * static_cast<double>(target.classes.size()) / 2 < kRareClass;
}

Result<PreparedRows> prepare_rows(const Table& whole, const Table* test,
                                  const TableEvolutionOptions& options) {
  std::vector<std::string> size_remarks;
  const std::optional<Table> some = reduce_rows(whole, options, size_remarks);
  ASSIGN_OR_RETURN(const std::optional<Table> weighted,
                   weighted_rows(some ? *some : whole, options.weight));
  const Table& table = weighted ? *weighted : some ? *some : whole;
  ASSIGN_OR_RETURN(const Parts parts, split_table(table, test, options));
  TableEvolutionOptions reduced = without_dropped(parts, options);
  if (!options.weight.empty()) reduced.ignore.push_back(options.weight);
  ASSIGN_OR_RETURN(TableEncoding encoding, fit_encoding(parts.train, reduced));
  const std::vector<data::DroppedColumn> dropped = encoding.dropped();
  // By the training rows alone: columns that fit the held-out rows by chance
  // would make their score too good.
  const std::vector<std::string> ignored = columns_to_ignore(
      parts.train, encoding, options.evolution.grain, {}, size_remarks);
  if (!ignored.empty() && !options.start) {
    std::ranges::copy(ignored, std::back_inserter(reduced.ignore));
    ASSIGN_OR_RETURN(encoding, fit_encoding(parts.train, reduced));
  }
  std::vector<std::string> remarks = encoding.remarks();
  std::ranges::copy(parts.remarks, std::back_inserter(remarks));
  std::ranges::copy(size_remarks, std::back_inserter(remarks));
  add_dropped(parts.dropped, remarks);
  add_dropped(dropped, remarks);
  ASSIGN_OR_RETURN(const Metric metric,
                   choose_metric(options, encoding, remarks));
  ASSIGN_OR_RETURN(Dataset known, encoding.dataset(parts.train));
  std::optional<Dataset> judged;
  if (parts.test) {
    ASSIGN_OR_RETURN(judged, encoding.dataset(*parts.test));
    add_skipped(judged->size(), parts.test->row_count(), options.target,
                "test rows", remarks);
  }
  const std::size_t min_rows = judged ? kMinTableRows : kMinRowsWithoutTest;
  if (known.size() < min_rows) {
    return invalid_argument(
        fmt::format("At least {} rows are needed for training, got {}.",
                    min_rows, known.size()));
  }
  ASSIGN_OR_RETURN(const auto known_rows,
                   encoding.rows_with_target(parts.train));
  return PreparedRows{
      .plan = {encoding, metric, nullptr},
      .known = std::move(known),
      .weights = weights_of_rows(parts.train, options.weight, known_rows),
      .test = std::move(judged),
      .remarks = std::move(remarks)};
}

Result<PreparedSeries> prepare_series(const Table& whole, const Table* test,
                                      const TableEvolutionOptions& options) {
  if (options.task == TableTask::Classify) {
    return invalid_argument(
        "A series predicts a number, so the task cannot be classify; use auto "
        "or regress.");
  }
  if (!options.weight.empty() || options.start) {
    return Error(ErrorCode::Unsupported,
                 "The rows of a series cannot have weights, and its evolution "
                 "cannot begin with a given network; leave both out.");
  }
  std::vector<std::string> size_remarks;
  const std::optional<Table> some = reduce_rows(whole, options, size_remarks);
  const Table& table = some ? *some : whole;
  ASSIGN_OR_RETURN(const SeriesParts parts, split_series(table, test, options));
  ASSIGN_OR_RETURN(TableEncoding encoding,
                   fit_series(parts.known, parts.note, options));
  const std::vector<data::DroppedColumn> dropped = encoding.dropped();
  const std::vector<std::string> ignored = columns_to_ignore(
      parts.known, encoding, options.evolution.grain,
      own_columns(table, parts.known, options.target), size_remarks);
  if (!ignored.empty()) {
    TableEvolutionOptions reduced = options;
    std::ranges::copy(ignored, std::back_inserter(reduced.ignore));
    ASSIGN_OR_RETURN(encoding, fit_series(parts.known, parts.note, reduced));
  }
  std::vector<std::string> remarks = parts.remarks;
  std::ranges::copy(size_remarks, std::back_inserter(remarks));
  add_dropped(dropped, remarks);
  ASSIGN_OR_RETURN(const Metric metric,
                   choose_metric(options, encoding, remarks));
  ASSIGN_OR_RETURN(SeriesExamples examples,
                   make_series_examples(parts, encoding, options));
  return PreparedSeries{.plan = {encoding, metric, nullptr},
                        .examples = std::move(examples),
                        .remarks = std::move(remarks)};
}

}  // namespace lamarck::table
