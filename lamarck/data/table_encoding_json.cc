#include <algorithm>
#include <cmath>
#include <set>
#include <utility>
#include <nlohmann/json.hpp>

#include "lamarck/base/macros.h"
#include "lamarck/data/table_encoding.h"

namespace lamarck::data {
namespace {

// The version of the JSON format; other versions are rejected.
constexpr std::int64_t kVersion = 1;

Error damaged_encoding(const std::string& what) {
  return {ErrorCode::DataDamaged, "Damaged table encoding: " + what};
}

// Reads a field that must be an array.
Result<Json> read_list(const Json& json, std::string_view name) {
  ASSIGN_OR_RETURN(Json list, json_field<Json>(json, name));
  if (!list.is_array()) {
    return damaged_encoding("field '" + std::string(name) +
                            "' must be an array.");
  }
  return list;
}

Result<std::vector<std::string>> read_words(const Json& json,
                                            std::string_view name) {
  ASSIGN_OR_RETURN(const Json list, read_list(json, name));
  std::vector<std::string> words;
  for (const Json& each : list) {
    if (!each.is_string()) {
      return damaged_encoding("all elements of '" + std::string(name) +
                              "' must be strings.");
    }
    words.push_back(each.get<std::string>());
  }
  return words;
}

// Reads the categories or classes of one column, which must be distinct.
Result<std::vector<std::string>> read_categories(const Json& json,
                                                 std::string_view name,
                                                 std::size_t min_count) {
  ASSIGN_OR_RETURN(std::vector<std::string> words, read_words(json, name));
  const std::set<std::string> different(words.begin(), words.end());
  if (different.size() == words.size() && words.size() >= min_count)
    return words;
  return damaged_encoding("'" + std::string(name) + "' must have at least " +
                          std::to_string(min_count) +
                          " strings, all distinct.");
}

// Reads mean and deviation of an InputColumn or a TargetColumn.
template <class T>
Result<void> read_spread(const Json& json, T& column) {
  ASSIGN_OR_RETURN(column.mean, json_field<double>(json, "mean"));
  ASSIGN_OR_RETURN(column.deviation, json_field<double>(json, "deviation"));
  if (std::isfinite(column.mean) && std::isfinite(column.deviation) &&
      column.deviation > 0) {
    return {};
  }
  return damaged_encoding("column '" + column.name +
                          "' must have a finite mean and a deviation above 0.");
}

// Each kind of column writes only the fields it needs.
Json input_to_json(const InputColumn& input) {
  if (input.kind == ColumnKind::Number) {
    return {{"name", input.name},
            {"kind", "number"},
            {"mean", input.mean},
            {"deviation", input.deviation}};
  }
  return {{"name", input.name},
          {"kind", "category"},
          {"categories", input.categories}};
}

Result<InputColumn> input_from_json(const Json& json) {
  InputColumn input;
  ASSIGN_OR_RETURN(input.name, json_field<std::string>(json, "name"));
  ASSIGN_OR_RETURN(const auto kind, json_field<std::string>(json, "kind"));
  if (kind == "number") {
    RETURN_IF_ERROR(read_spread(json, input));
    return input;
  }
  if (kind != "category") {
    return damaged_encoding("unknown kind of input '" + kind +
                            "'; use number or category.");
  }
  input.kind = ColumnKind::Category;
  ASSIGN_OR_RETURN(input.categories, read_categories(json, "categories", 1));
  return input;
}

Json target_to_json(const TargetColumn& target) {
  if (target.has_classes()) {
    return {{"name", target.name},
            {"kind", "classes"},
            {"classes", target.classes},
            {"counts", target.class_counts}};
  }
  return {{"name", target.name},
          {"kind", "number"},
          {"mean", target.mean},
          {"deviation", target.deviation}};
}

Result<TargetColumn> target_from_json(const Json& json) {
  TargetColumn target;
  ASSIGN_OR_RETURN(target.name, json_field<std::string>(json, "name"));
  ASSIGN_OR_RETURN(const auto kind, json_field<std::string>(json, "kind"));
  if (kind == "number") {
    RETURN_IF_ERROR(read_spread(json, target));
    return target;
  }
  if (kind != "classes") {
    return damaged_encoding("unknown kind of target '" + kind +
                            "'; use number or classes.");
  }
  ASSIGN_OR_RETURN(target.classes, read_categories(json, "classes", 2));
  ASSIGN_OR_RETURN(const Json counts, read_list(json, "counts"));
  for (const Json& count : counts) {
    // A shorter list is caught by the comparison of sizes below.
    if (!count.is_number_unsigned()) break;
    target.class_counts.push_back(count.get<std::size_t>());
  }
  if (target.class_counts.size() == counts.size() &&
      target.class_counts.size() == target.classes.size()) {
    return target;
  }
  return damaged_encoding("'counts' must have one integer for each class.");
}

Result<std::vector<DroppedColumn>> dropped_from_json(const Json& json) {
  ASSIGN_OR_RETURN(const Json list, read_list(json, "dropped"));
  std::vector<DroppedColumn> dropped;
  for (const Json& each : list) {
    DroppedColumn column;
    ASSIGN_OR_RETURN(column.name, json_field<std::string>(each, "name"));
    ASSIGN_OR_RETURN(column.reason, json_field<std::string>(each, "reason"));
    dropped.push_back(std::move(column));
  }
  return dropped;
}

Result<std::vector<InputColumn>> inputs_from_json(const Json& json) {
  ASSIGN_OR_RETURN(const Json list, read_list(json, "inputs"));
  std::vector<InputColumn> inputs;
  std::set<std::string> names;
  for (const Json& each : list) {
    ASSIGN_OR_RETURN(InputColumn input, input_from_json(each));
    // Columns are found by name, so a duplicate would be read twice.
    if (!names.insert(input.name).second) {
      return damaged_encoding("two inputs are named '" + input.name + "'.");
    }
    inputs.push_back(std::move(input));
  }
  if (inputs.empty())
    return damaged_encoding("there must be at least one input.");
  return inputs;
}

}  // namespace

Json TableEncoding::to_json() const {
  Json inputs = Json::array();
  for (const InputColumn& input : inputs_) {
    inputs.push_back(input_to_json(input));
  }
  Json dropped = Json::array();
  for (const DroppedColumn& each : dropped_) {
    dropped.push_back({{"name", each.name}, {"reason", each.reason}});
  }
  return {{"version", kVersion},
          {"inputs", inputs},
          {"target", target_to_json(target_)},
          {"dropped", dropped},
          {"remarks", remarks_}};
}

Result<TableEncoding> TableEncoding::from_json(const Json& json) {
  ASSIGN_OR_RETURN(const auto version,
                   json_field<std::int64_t>(json, "version"));
  if (version != kVersion) {
    return Error(ErrorCode::Unsupported, "This table encoding has version " +
                                             std::to_string(version) +
                                             "; this program reads version " +
                                             std::to_string(kVersion) + ".");
  }
  ASSIGN_OR_RETURN(std::vector<InputColumn> inputs, inputs_from_json(json));
  ASSIGN_OR_RETURN(const Json target_json, json_field<Json>(json, "target"));
  ASSIGN_OR_RETURN(TargetColumn target, target_from_json(target_json));
  ASSIGN_OR_RETURN(std::vector<DroppedColumn> dropped, dropped_from_json(json));
  ASSIGN_OR_RETURN(std::vector<std::string> remarks,
                   read_words(json, "remarks"));
  return TableEncoding(std::move(inputs), std::move(target), std::move(dropped),
                       std::move(remarks));
}

}  // namespace lamarck::data
