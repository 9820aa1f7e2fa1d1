#include "lamarck/runs/run_table.h"

#include <algorithm>
#include <cctype>
#include <cmath>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <numeric>
#include <system_error>
#include <utility>
#include <vector>
#include <nlohmann/json.hpp>

#include "lamarck/base/macros.h"
#include "lamarck/base/one_line.h"
#include "lamarck/data/csv.h"
#include "lamarck/formula/expression_plan.h"
#include "lamarck/formula/formula.h"

namespace lamarck::runs {
namespace {

Error table_missing(const std::string& what) {
  return {ErrorCode::FailedPrecondition,
          "The table of this run cannot be shown: " + what};
}

Result<Json> read_run_file(const std::string& folder) {
  const std::filesystem::path path = std::filesystem::path(folder) / "run.json";
  std::ifstream file(path, std::ios::binary);
  if (folder.empty() || !file) {
    return table_missing("its folder has no run.json.");
  }
  const std::string text{std::istreambuf_iterator<char>(file), {}};
  return parse_json(text);
}

std::vector<std::size_t> last_rows(std::size_t rows, std::size_t limit) {
  std::vector<std::size_t> indices(std::min(rows, limit));
  std::iota(indices.begin(), indices.end(), rows - indices.size());
  return indices;
}

// Evenly spread over the rows.
std::vector<std::size_t> sampled_rows(std::size_t rows, std::size_t limit) {
  const std::size_t count = std::min(rows, limit);
  std::vector<std::size_t> indices(count);
  for (std::size_t i = 0; i < count; ++i) indices[i] = i * rows / count;
  return indices;
}

Json number_json(double value) {
  return std::isfinite(value) ? Json(value) : Json();
}

Json cell_json(const data::Column& column, std::size_t row) {
  if (column.is_missing(row)) return nullptr;
  if (column.kind == data::ColumnKind::Number) {
    return number_json(column.numbers[row]);
  }
  return column.values[static_cast<std::size_t>(column.codes[row])];
}

// A formula names columns by identifiers: "sepal length" is sepal_length.
std::string identifier_of(std::string_view name) {
  std::string text(name);
  std::ranges::replace_if(
      text, [](unsigned char c) { return std::isalnum(c) == 0 && c != '_'; },
      '_');
  return text;
}

Result<const data::Column*> input_column(const data::Table& table,
                                         const std::string& name) {
  const auto& columns = table.columns();
  auto found = std::ranges::find(columns, name, &data::Column::name);
  if (found == columns.end()) {
    found = std::ranges::find_if(columns, [&](const data::Column& column) {
      return identifier_of(column.name) == name;
    });
  }
  if (found != columns.end() && found->kind == data::ColumnKind::Number) {
    return &*found;
  }
  return table_missing("it has no numeric column for " + in_quotes(name) + ".");
}

}  // namespace

Result<RunTable> read_run_table(const RunView& run) {
  ASSIGN_OR_RETURN(const Json settings, read_run_file(run.summary.folder));
  ASSIGN_OR_RETURN(const std::string data,
                   json_field_or<std::string>(settings, "data", ""));
  ASSIGN_OR_RETURN(const std::string target,
                   json_field_or<std::string>(settings, "target", ""));
  std::error_code error;
  if (data.empty() || !std::filesystem::is_regular_file(data, error)) {
    return table_missing("its file is no longer there.");
  }
  if (std::filesystem::file_size(data, error) > kMaxRunTable) {
    return table_missing("its file has more than 64 MB.");
  }
  ASSIGN_OR_RETURN(data::Table table, data::read_csv(data));
  if (table.row_count() == 0) return table_missing("it has no rows.");
  return RunTable{std::move(table), target};
}

Json table_rows_json(const RunTable& table, std::size_t limit,
                     RowChoice which) {
  const std::size_t count = table.table.row_count();
  Json rows = Json::array();
  for (const std::size_t row : which == RowChoice::Last
                                   ? last_rows(count, limit)
                                   : sampled_rows(count, limit)) {
    Json cells = Json::array();
    for (const data::Column& column : table.table.columns()) {
      cells.push_back(cell_json(column, row));
    }
    rows.push_back(std::move(cells));
  }
  return {{"columns", table.table.column_names()},
          {"target", table.target},
          {"rows", std::move(rows)},
          {"total", table.table.row_count()}};
}

Result<Json> law_fit_json(const RunTable& table, std::string_view python,
                          std::size_t limit) {
  ASSIGN_OR_RETURN(const formula::Formula law, formula::parse_python(python));
  ASSIGN_OR_RETURN(const data::Column* const truth,
                   input_column(table.table, table.target));
  const std::vector<std::size_t> indices =
      sampled_rows(table.table.row_count(), limit);
  std::vector<const data::Column*> columns;
  for (const std::string& name : law.inputs) {
    ASSIGN_OR_RETURN(const data::Column* const column,
                     input_column(table.table, name));
    columns.push_back(column);
  }
  Json truths = Json::array();
  Json predicted = Json::array();
  std::vector<double> inputs(columns.size());
  for (const std::size_t row : indices) {
    for (std::size_t i = 0; i < columns.size(); ++i) {
      inputs[i] = columns[i]->numbers[row];
    }
    truths.push_back(number_json(truth->numbers[row]));
    predicted.push_back(
        number_json(formula::evaluate_row(law.body, inputs, {})));
  }
  return Json{{"truth", std::move(truths)},
              {"predicted", std::move(predicted)},
              {"total", table.table.row_count()}};
}

}  // namespace lamarck::runs
