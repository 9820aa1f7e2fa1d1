#include "lamarck/table/internal/table_reduction.h"

#include <fmt/format.h>

#include <algorithm>

#include "lamarck/base/one_line.h"
#include "lamarck/base/rng.h"
#include "lamarck/data/input_screening.h"
#include "lamarck/evolution/row_range.h"

namespace lamarck::table {
namespace {

using data::Column;
using data::ColumnKind;
using data::Table;

// The inputs that the columns become; text is not used.
std::size_t encoded_width(const Table& table) {
  std::size_t width = 0;
  for (const Column& column : table.columns()) {
    if (column.kind == ColumnKind::Number) ++width;
    if (column.kind == ColumnKind::Category) width += column.values.size();
  }
  return width;
}

std::size_t max_rows(const Table& table, bool is_series) {
  const std::size_t width =
      std::clamp<std::size_t>(encoded_width(table), 1, kMaxTableInputs);
  return std::min(is_series ? kMaxSeriesRows : kMaxTableRows,
                  kMaxTableNumbers / width);
}

}  // namespace

std::optional<Table> reduce_rows(const Table& table,
                                 const TableEvolutionOptions& options,
                                 std::vector<std::string>& remarks) {
  const std::size_t rows = table.row_count();
  const std::size_t count = max_rows(table, options.is_series);
  if (rows <= count) return std::nullopt;
  if (options.is_series) {
    remarks.push_back(fmt::format(
        "The last {} of the {} rows are used; give a shorter series to choose "
        "them yourself.",
        count, rows));
    return table.rows(evolution::row_range(rows - count, rows));
  }
  remarks.push_back(
      fmt::format("{} of the {} rows are used, drawn at random; give a smaller "
                  "table to choose them yourself.",
                  count, rows));
  std::vector<std::size_t> some =
      Rng(0).split("table rows").sample(rows, count);
  std::ranges::sort(some);
  return table.rows(some);
}

std::vector<std::string> columns_to_ignore(
    const Table& train, const data::TableEncoding& encoding,
    evolution::Grain grain, const std::vector<std::string>& required,
    std::vector<std::string>& remarks) {
  const std::size_t width = encoding.input_count();
  const std::size_t max_width =
      grain == evolution::Grain::Neuron ? kMaxNeuronInputs : kMaxTableInputs;
  if (width <= max_width) return {};
  const auto column = [&](const std::string& name) -> const Column& {
    return train.columns()[train.find(name).value()];
  };
  const data::InputScreening screening(column(encoding.target().name));
  std::vector<data::ColumnScore> scores;
  std::vector<std::size_t> widths;
  std::vector<std::size_t> kept_always;
  for (const data::InputColumn& input : encoding.inputs()) {
    if (std::ranges::find(required, input.name) != required.end()) {
      kept_always.push_back(scores.size());
    }
    scores.push_back(screening.score(column(input.name)));
    widths.push_back(
        input.kind == ColumnKind::Number ? 1 : input.categories.size());
  }
  const std::vector<std::size_t> kept =
      data::choose_informative(scores, widths, max_width, kept_always);
  std::vector<std::string> ignored;
  for (std::size_t i = 0; i < scores.size(); ++i) {
    if (!std::ranges::binary_search(kept, i)) {
      ignored.push_back(encoding.inputs()[i].name);
    }
  }
  remarks.push_back(fmt::format(
      "The {} of {} columns that tell most about {} are used, by correlation "
      "and mutual information, because they must become at most {} inputs and "
      "not {}; ignore columns to choose them yourself.",
      kept.size(), scores.size(), in_quotes(encoding.target().name), max_width,
      width));
  return ignored;
}

}  // namespace lamarck::table
