#include "lamarck/runs/run_upload.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <filesystem>
#include <limits>
#include <set>
#include <utility>
#include <nlohmann/json.hpp>

#include "lamarck/base/ascii.h"
#include "lamarck/base/display_number.h"
#include "lamarck/base/entropy.h"
#include "lamarck/base/file.h"
#include "lamarck/base/macros.h"
#include "lamarck/base/one_line.h"
#include "lamarck/data/csv.h"
#include "lamarck/runs/run_recorder.h"

namespace lamarck::runs {
namespace {

constexpr std::size_t kSamples = 5;
constexpr std::size_t kMaxSample = 60;
constexpr std::size_t kMaxDistinct = 1'000;  // Counted exactly up to here.
constexpr std::int64_t kMaxLawColumns = 9;
constexpr std::size_t kMinNetworkRows = 10;
constexpr std::size_t kMaxClasses = 10;
constexpr std::array<std::string_view, 8> kTargetNames = {
    "target", "label", "class", "y", "species", "output", "price", "outcome"};
constexpr std::array<std::string_view, 6> kTimeNames = {
    "time", "date", "year", "timestamp", "month", "day"};

std::string lower_text(std::string_view text) {
  std::string lower;
  for (const char c : text) lower += ascii::lower(c);
  return lower;
}

std::size_t distinct_count(const data::Column& column) {
  if (column.kind != data::ColumnKind::Number) return column.values.size();
  std::set<double> seen;
  for (const double value : column.numbers) {
    if (std::isnan(value)) continue;
    seen.insert(value);
    if (seen.size() > kMaxDistinct) break;
  }
  return seen.size();
}

Json samples_json(const data::Column& column, std::size_t rows) {
  Json samples = Json::array();
  for (std::size_t row = 0; row < rows && samples.size() < kSamples; ++row) {
    if (column.is_missing(row)) continue;
    samples.push_back(
        column.kind == data::ColumnKind::Number
            ? short_number(column.numbers[row], 6)
            : one_line(
                  column.values[static_cast<std::size_t>(column.codes[row])],
                  kMaxSample));
  }
  return samples;
}

Json column_json(const data::Column& column, std::size_t rows) {
  std::size_t missing = 0;
  for (std::size_t row = 0; row < rows; ++row) {
    missing += column.is_missing(row) ? 1 : 0;
  }
  const bool is_number = column.kind == data::ColumnKind::Number;
  Json json = {{"name", column.name},
               {"type", is_number ? "number" : "text"},
               {"missing", missing},
               {"distinct", distinct_count(column)},
               {"samples", samples_json(column, rows)},
               {"min", nullptr},
               {"max", nullptr}};
  if (!is_number) return json;
  double low = std::numeric_limits<double>::infinity();
  double high = -low;
  for (const double value : column.numbers) {
    if (std::isnan(value)) continue;
    low = std::min(low, value);
    high = std::max(high, value);
  }
  if (low <= high) {
    json["min"] = low;
    json["max"] = high;
  }
  return json;
}

bool is_class(const data::Column& column, std::size_t rows) {
  if (column.kind == data::ColumnKind::Category) return true;
  if (column.kind == data::ColumnKind::Text) return false;
  const bool is_whole = std::ranges::all_of(column.numbers, [](double value) {
    return std::isnan(value) || value == std::floor(value);
  });
  const std::size_t distinct = distinct_count(column);
  return is_whole && distinct <= kMaxClasses && rows >= 5 * distinct;
}

// The column that says when each row was measured; null if there is none.
const data::Column* find_time(const data::Table& table) {
  for (const data::Column& column : table.columns()) {
    if (std::ranges::find(kTimeNames, lower_text(column.name)) !=
        kTimeNames.end()) {
      return &column;
    }
  }
  return nullptr;
}

Json guess_json(const data::Table& table) {
  const auto& columns = table.columns();
  const data::Column* target = &columns.back();
  for (const data::Column& column : columns) {
    const bool is_named =
        std::ranges::find(kTargetNames, lower_text(column.name)) !=
        kTargetNames.end();
    if (is_named) target = &column;
  }
  const data::Column* const time = find_time(table);
  std::string task = "regress";
  if (is_class(*target, table.row_count())) {
    task = "classify";
  } else if (time != nullptr && time != target) {
    task = "series";
  }
  const auto numbers = std::ranges::count(columns, data::ColumnKind::Number,
                                          &data::Column::kind);
  const bool is_numeric =
      std::cmp_equal(numbers, columns.size()) && numbers <= kMaxLawColumns;
  // Too few rows to hold some out, which a network needs.
  const bool is_small = table.row_count() < kMinNetworkRows;
  const bool is_law = task == "regress" && numbers > 1 &&
                      target->kind == data::ColumnKind::Number &&
                      (is_numeric || is_small);
  return {{"target", target->name},
          {"task", task},
          {"time", time != nullptr ? Json(time->name) : Json()},
          {"command", is_law ? "fn" : "net"}};
}

bool is_upload_id(std::string_view id) {
  return id.starts_with("up-") && id.size() <= 40 &&
         std::ranges::all_of(
             id, [](char c) { return ascii::is_alphanumeric(c) || c == '-'; });
}

}  // namespace

Json describe_table(const data::Table& table) {
  Json columns = Json::array();
  for (const data::Column& column : table.columns()) {
    columns.push_back(column_json(column, table.row_count()));
  }
  return {{"rows", table.row_count()},
          {"columns", std::move(columns)},
          {"guess", guess_json(table)}};
}

Result<Json> RunUploads::add(const std::string& name,
                             std::string_view csv) const {
  if (folder_.empty()) {
    return Error(ErrorCode::FailedPrecondition,
                 "Tables cannot be uploaded, because the journal is not in a "
                 "file; restart the server with --db FILE.");
  }
  ASSIGN_OR_RETURN(const data::Table table, data::parse_csv(csv));
  if (table.row_count() == 0 || table.columns().empty()) {
    return data::no_rows_error();
  }
  namespace fs = std::filesystem;
  std::error_code failure;
  fs::create_directories(folder_, failure);
  const std::string id = make_run_id("up", entropy_seed());
  Json json = describe_table(table);
  json["id"] = id;
  json["name"] = one_line(name.empty() ? "table.csv" : name, 200);
  json["bytes"] = csv.size();
  RETURN_IF_ERROR(write_file(fs::path(folder_) / (id + ".csv"), csv));
  RETURN_IF_ERROR(
      write_file(fs::path(folder_) / (id + ".json"), dump_json(json)));
  return json;
}

Result<RunUploads::Upload> RunUploads::find(const std::string& id) const {
  namespace fs = std::filesystem;
  constexpr std::uint64_t kMaxDescription = std::uint64_t{16} << 20;
  const Error missing(ErrorCode::NotFound,
                      "There is no upload " + in_quotes(id) +
                          "; send the table to /api/v1/uploads first.");
  if (!is_upload_id(id)) return missing;
  const auto text =
      read_file(fs::path(folder_) / (id + ".json"), kMaxDescription);
  if (!text) return missing;
  ASSIGN_OR_RETURN(const Json json, parse_json(*text));
  return Upload{.path = (fs::path(folder_) / (id + ".csv")).string(),
                .name = json.value("name", std::string("table.csv"))};
}

}  // namespace lamarck::runs
