// The tools that compute: statistics of tables, Python and formulas.

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <nlohmann/json.hpp>

#include "lamarck/agent/builtin_tools.h"
#include "lamarck/base/macros.h"
#include "lamarck/base/one_line.h"
#include "lamarck/data/csv.h"
#include "lamarck/formula/expression_plan.h"
#include "lamarck/formula/formula.h"
#include "lamarck/sandbox/process_sandbox.h"
#include "lamarck/sandbox/python_interpreter.h"

namespace lamarck::agent {
namespace {

using skills::Capability;

constexpr std::size_t kMaxTable = std::size_t{64} << 20;

double median(std::vector<double> sorted) {
  std::ranges::sort(sorted);
  const std::size_t middle = sorted.size() / 2;
  return sorted.size() % 2 == 1 ? sorted[middle]
                                : (sorted[middle - 1] + sorted[middle]) / 2;
}

Json number_statistics(const data::Column& column) {
  std::vector<double> present;
  for (const double one : column.numbers) {
    if (!std::isnan(one)) present.push_back(one);
  }
  Json shown = {{"type", "number"},
                {"count", present.size()},
                {"missing", column.numbers.size() - present.size()}};
  if (present.empty()) return shown;
  double sum = 0;
  for (const double one : present) sum += one;
  const auto count = static_cast<double>(present.size());
  const double mean = sum / count;
  double squares = 0;
  for (const double one : present) squares += (one - mean) * (one - mean);
  shown["sum"] = sum;
  shown["mean"] = mean;
  shown["standard_deviation"] =
      present.size() < 2 ? 0.0 : std::sqrt(squares / (count - 1));
  shown["min"] = *std::ranges::min_element(present);
  shown["max"] = *std::ranges::max_element(present);
  shown["median"] = median(std::move(present));
  return shown;
}

Json word_statistics(const data::Column& column) {
  std::vector<std::size_t> counts(column.values.size());
  std::size_t missing = 0;
  for (const std::int32_t code : column.codes) {
    if (code == data::Column::kMissing) {
      ++missing;
    } else {
      ++counts[static_cast<std::size_t>(code)];
    }
  }
  Json shown = {{"type", "text"},
                {"count", column.codes.size() - missing},
                {"missing", missing},
                {"distinct", column.values.size()}};
  if (const auto most = std::ranges::max_element(counts);
      most != counts.end()) {
    shown["most_common"] =
        column.values[static_cast<std::size_t>(most - counts.begin())];
    shown["most_common_count"] = *most;
  }
  return shown;
}

Result<Json> table_statistics(const Workspace& workspace,
                              const Json& arguments) {
  const auto path = arguments["path"].get<std::string>();
  std::uint64_t size = 0;
  ASSIGN_OR_RETURN(const std::string text,
                   workspace.read(path, 0, kMaxTable, size));
  if (text.size() < size) {
    return invalid_argument(
        fmt::format("{} must have at most {} bytes, got {}.", in_quotes(path),
                    kMaxTable, size));
  }
  auto table = data::parse_csv(text);
  if (!table) return table.error().within(one_line(path));
  std::vector<std::string> names = table->column_names();
  if (arguments.contains("columns")) {
    names = arguments["columns"].get<std::vector<std::string>>();
  }
  Json columns = Json::object();
  for (const std::string& name : names) {
    ASSIGN_OR_RETURN(const std::size_t index, table->find(name));
    const data::Column& column = table->columns()[index];
    columns[name] = column.kind == data::ColumnKind::Number
                        ? number_statistics(column)
                        : word_statistics(column);
  }
  return Json{{"rows", table->row_count()}, {"columns", std::move(columns)}};
}

// `data` is the tool's input; `result` is what it returns.
constexpr std::string_view kPythonRunner = R"(import json, os, sys
names = {'__name__': '__main__', 'data': json.load(sys.stdin)}
with open('program.py', encoding='utf-8') as file:
    exec(compile(file.read(), 'program.py', 'exec'), names)
if 'result' in names:
    os.write(3, json.dumps(names['result'], allow_nan=False).encode())
)";

Result<Json> run_python(const Sandbox& sandbox, const PythonInterpreter& python,
                        const Json& arguments, const ToolContext& context) {
  SandboxJob job{.command = {python.path, "-s", "-B", "runner.py"},
                 .input = dump_json(arguments.value("data", Json())),
                 .is_read_only = true,
                 .has_result_channel = true,
                 .environment = {"PYTHONHASHSEED=0"},
                 .limits = {.wall = context.limits.time}};
  job.files.push_back({"runner.py", std::string(kPythonRunner), false});
  job.files.push_back(
      {"program.py", arguments["code"].get<std::string>(), false});
  ASSIGN_OR_RETURN(const SandboxOutcome outcome,
                   sandbox.run(job, context.cancel));
  RETURN_IF_ERROR(context.cancel.check());
  if (!outcome.has_succeeded()) {
    return invalid_argument("The program " + describe(outcome, job.limits) +
                            ".");
  }
  Json shown = {{"output", outcome.output}};
  if (!outcome.result.empty()) {
    ASSIGN_OR_RETURN(shown["result"], parse_json(outcome.result));
  }
  return shown;
}

Result<Json> evaluate_formula(const Json& arguments,
                              const ToolContext& /*context*/) {
  std::vector<std::string> names;
  std::vector<double> values;
  const Json given = arguments.value("values", Json::object());
  for (const auto& [name, value] : given.items()) {
    names.push_back(name);
    values.push_back(value.get<double>());
  }
  const auto text = arguments["formula"].get<std::string>();
  ASSIGN_OR_RETURN(const formula::Formula formula,
                   formula::parse_infix(text, names));
  if (!formula.param_names.empty()) {
    return invalid_argument("The formula needs a value for " +
                            in_quotes(formula.param_names.front()) + ".");
  }
  const double value = formula::evaluate_row(formula.body, values, {});
  if (!std::isfinite(value)) {
    return invalid_argument(
        fmt::format("The formula {} has no finite value "
                    "for these values, got {}.",
                    in_quotes(text), value));
  }
  return Json{{"value", value}};
}

}  // namespace

Result<void> add_table_tools(ToolRegistry& registry,
                             std::shared_ptr<Workspace> workspace) {
  return registry.add(
      {.info = {.name = "csv_statistics",
                .description =
                    "Counts, sums, means, medians, extremes and most common "
                    "values of the columns of a CSV file.",
                .input_schema =
                    {{"type", "object"},
                     {"properties",
                      {{"path",
                        {{"type", "string"},
                         {"minLength", 1},
                         {"description", "A CSV file in the workspace."}}},
                       {"columns",
                        {{"type", "array"},
                         {"items", {{"type", "string"}}},
                         {"description", "Which columns; default: all."}}}}},
                     {"required", {"path"}},
                     {"additionalProperties", false}},
                .capabilities = {Capability::Reads},
                .is_idempotent = true},
       .limits = {.output_bytes = std::size_t{1} << 20},
       .run = [workspace = std::move(workspace)](
                  const Json& arguments, const ToolContext& /*context*/) {
         return table_statistics(*workspace, arguments);
       }});
}

Result<void> add_python_tool(ToolRegistry& registry) {
  auto python = find_python();
  if (!python) return {};  // A machine without Python has no such tool.
  auto opened = ProcessSandbox::open({.readable = python->readable});
  if (!opened) return {};  // Nor one that cannot isolate it.
  const std::shared_ptr<const Sandbox> sandbox = std::move(*opened);
  return registry.add(
      {.info = {.name = "python_run",
                .description =
                    "Runs a Python program in a sandbox without files and "
                    "network. The variable data holds the input; the program "
                    "assigns its result to the variable result.",
                .input_schema =
                    {{"type", "object"},
                     {"properties",
                      {{"code", {{"type", "string"}, {"minLength", 1}}},
                       {"data",
                        {{"description", "JSON that the program gets."}}}}},
                     {"required", {"code"}},
                     {"additionalProperties", false}},
                .capabilities = {Capability::Executes},
                .is_idempotent = true},
       .limits = {.time = std::chrono::milliseconds(10'000)},
       .run = [sandbox, python = *python](const Json& arguments,
                                          const ToolContext& context) {
         return run_python(*sandbox, python, arguments, context);
       }});
}

Result<void> add_formula_tool(ToolRegistry& registry) {
  return registry.add(
      {.info = {.name = "formula_evaluate",
                .description =
                    "Computes a formula such as a*x^2 + sqrt(b) from given "
                    "values.",
                .input_schema = {{"type", "object"},
                                 {"properties",
                                  {{"formula",
                                    {{"type", "string"},
                                     {"minLength", 1},
                                     {"maxLength", 10'000}}},
                                   {"values",
                                    {{"type", "object"},
                                     {"additionalProperties",
                                      {{"type", "number"}}}}}}},
                                 {"required", {"formula"}},
                                 {"additionalProperties", false}},
                .capabilities = {},
                .is_idempotent = true},
       .limits = {},
       .run = evaluate_formula});
}

}  // namespace lamarck::agent
