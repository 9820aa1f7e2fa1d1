#include "lamarck/cli/kept_columns.h"

#include <algorithm>
#include <nlohmann/json.hpp>

#include "lamarck/base/error.h"
#include "lamarck/base/macros.h"
#include "lamarck/base/one_line.h"
#include "lamarck/base/string_split.h"
#include "lamarck/base/unicode.h"
#include "lamarck/data/csv.h"
#include "lamarck/data/id_name.h"

namespace lamarck::cli {
namespace {

using data::Column;
using data::Table;

bool is_kept(const KeptColumns& kept, const std::string& name) {
  if (kept.is_all) return true;
  if (kept.is_ids) return data::is_id_name(name);
  return std::ranges::find(kept.names, name) != kept.names.end();
}

bool has_column(const Table& table, const std::string& name) {
  return std::ranges::any_of(table.columns(), [&](const Column& column) {
    return column.name == name;
  });
}

Json cell_json(const Column& column, std::size_t row) {
  if (column.is_missing(row)) return {};
  if (column.kind == data::ColumnKind::Number) return column.numbers[row];
  return make_valid_utf8(
      column.values[static_cast<std::size_t>(column.codes[row])]);
}

}  // namespace

Result<KeptColumns> parse_kept_columns(const std::optional<std::string>& list) {
  if (!list) return KeptColumns{.is_ids = true};
  if (*list == "all") return KeptColumns{.is_all = true};
  KeptColumns kept;
  if (*list == "none") return kept;
  for (const auto& name : split_text(*list, ',')) kept.names.emplace_back(name);
  return kept;
}

Result<Table> with_kept_columns(const KeptColumns& kept, std::string_view csv,
                                const Table& predictions) {
  // Numbers would lose the zeros of 007, so the text is parsed once more.
  ASSIGN_OR_RETURN(
      const Table words,
      data::parse_csv(csv, {.missing = {""}, .is_verbatim = true}));
  for (const std::string& name : kept.names) RETURN_IF_ERROR(words.find(name));
  std::vector<Column> columns;
  for (const Column& column : words.columns()) {
    if (!is_kept(kept, column.name)) continue;
    if (has_column(predictions, column.name)) {
      return invalid_argument(
          "The table already has a column " + in_quotes(column.name) +
          ", like the predictions; rename it, or leave it out of --keep.");
    }
    columns.push_back(column);
  }
  const auto& last = predictions.columns();
  columns.insert(columns.end(), last.begin(), last.end());
  return Table(std::move(columns));
}

Json rows_json(const Table& table) {
  Json rows = Json::array();
  for (std::size_t row = 0; row < table.row_count(); ++row) {
    Json cells = Json::object();
    for (const Column& column : table.columns()) {
      cells[make_valid_utf8(column.name)] = cell_json(column, row);
    }
    rows.push_back(std::move(cells));
  }
  return rows;
}

}  // namespace lamarck::cli
