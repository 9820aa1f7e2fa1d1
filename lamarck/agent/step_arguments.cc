#include "lamarck/agent/step_arguments.h"

#include <fmt/format.h>

#include <nlohmann/json.hpp>

#include "lamarck/base/macros.h"
#include "lamarck/base/one_line.h"

namespace lamarck::agent {
namespace {

Result<Json> param_value(const Json& name, const StepValues& values) {
  if (!name.is_string()) {
    return invalid_argument("$param must name a parameter, got " +
                            one_line(dump_json(name)) + ".");
  }
  const auto& text = name.get_ref<const std::string&>();
  if (!values.params.is_object() || !values.params.contains(text)) {
    return invalid_argument("There is no value for the parameter " +
                            in_quotes(text) + ".");
  }
  return values.params[text];
}

Result<Json> result_value(const Json& reference, const StepValues& values) {
  ASSIGN_OR_RETURN(const auto step,
                   json_field<std::int64_t>(reference, "step"));
  ASSIGN_OR_RETURN(const auto path,
                   json_field_or<std::string>(reference, "path", ""));
  if (step < 1 || step > static_cast<std::int64_t>(values.results.size())) {
    return invalid_argument(
        fmt::format("$result must refer to an earlier step, got {}; {} are "
                    "done.",
                    step, values.results.size()));
  }
  const Json& result = values.results[static_cast<std::size_t>(step - 1)];
  const auto missing = [&] {
    return invalid_argument(
        fmt::format("The result of step {} has no {}.", step, in_quotes(path)));
  };
  try {
    const Json::json_pointer pointer(path);
    if (!result.contains(pointer)) return missing();
    return result.at(pointer);
  } catch (const Json::exception&) {
    return missing();  // The pointer is malformed.
  }
}

}  // namespace

Result<Json> fill_arguments(const Json& arguments, const StepValues& values) {
  if (arguments.is_array()) {
    Json filled = Json::array();
    for (const Json& one : arguments) {
      ASSIGN_OR_RETURN(Json value, fill_arguments(one, values));
      filled.push_back(std::move(value));
    }
    return filled;
  }
  if (!arguments.is_object()) return arguments;
  if (arguments.contains("$literal")) return arguments["$literal"];
  if (arguments.size() == 1 && arguments.contains("$param")) {
    return param_value(arguments["$param"], values);
  }
  if (arguments.size() == 1 && arguments.contains("$result")) {
    return result_value(arguments["$result"], values);
  }
  Json filled = Json::object();
  for (const auto& [name, one] : arguments.items()) {
    ASSIGN_OR_RETURN(filled[name], fill_arguments(one, values));
  }
  return filled;
}

}  // namespace lamarck::agent
