#include "lamarck/runs/run_agent_tools.h"

#include <chrono>
#include <cmath>
#include <filesystem>
#include <utility>
#include <vector>
#include <nlohmann/json.hpp>

#include "lamarck/base/entropy.h"
#include "lamarck/base/macros.h"
#include "lamarck/base/one_line.h"
#include "lamarck/data/csv.h"
#include "lamarck/formula/expression_plan.h"
#include "lamarck/formula/formula.h"
#include "lamarck/runs/program_call.h"
#include "lamarck/runs/run_recorder.h"
#include "lamarck/runs/run_upload.h"
#include "lamarck/store/postgres/postgres_url.h"

namespace lamarck::runs {
namespace {

using agent::Tool;
using agent::ToolContext;
using skills::Capability;
using Options = std::shared_ptr<const RunAgentToolOptions>;

constexpr std::size_t kMaxTable = std::size_t{32} << 20;
constexpr std::chrono::minutes kEvolveTime{30};
constexpr std::size_t kMaxValues = 10'000;
constexpr const char* kAgentBudget = "10s";

Result<std::string> read_table_text(const RunAgentToolOptions& options,
                                    const Json& arguments) {
  std::uint64_t size = 0;
  const std::string path = arguments.at("path").get<std::string>();
  ASSIGN_OR_RETURN(std::string text,
                   options.workspace->read(path, 0, kMaxTable, size));
  if (size <= kMaxTable) return text;
  return invalid_argument("The table " + in_quotes(path) +
                          " must have at most 32 MB.");
}

// The path of a run's folder. The id cannot leave the folder of all runs.
Result<std::string> find_run_folder(const RunAgentToolOptions& options,
                                    const std::string& run) {
  const bool is_id =
      !run.empty() && run.size() <= 64 &&
      run.find_first_not_of("abcdefghijklmnopqrstuvwxyz0123456789-_") ==
          std::string::npos;
  const std::string folder =
      runs_folder(options.journal, options.data_folder) + "/" + run;
  std::error_code ignored;
  if (is_id && std::filesystem::is_directory(folder, ignored)) return folder;
  return Error(ErrorCode::NotFound,
               "There is no run " + in_quotes(run) +
                   "; evolve_function and evolve_network return its id.");
}

// Runs `lamarck evolve KIND` to its end and returns what it prints.
Result<Json> evolve_table_file(const RunAgentToolOptions& options,
                               const std::string& kind, const Json& arguments,
                               const ToolContext& context) {
  ASSIGN_OR_RETURN(const std::string text, read_table_text(options, arguments));
  const std::string folder = runs_folder(options.journal, options.data_folder);
  // A copy, so that the run can be resumed after the file has changed.
  const RunUploads uploads(folder + "/uploads");
  ASSIGN_OR_RETURN(const Json upload,
                   uploads.add(arguments["path"].get<std::string>(), text));
  ASSIGN_OR_RETURN(const auto table,
                   uploads.find(upload["id"].get<std::string>()));
  const std::string id = make_run_id(kind, entropy_seed());
  std::vector<std::string> words = {
      "evolve",
      kind,
      table.path,
      "--target=" + arguments["target"].get<std::string>(),
      "--budget=" + arguments.value("budget", std::string(kAgentBudget)),
      "--out=" + folder + "/" + id,
      "--db=" + options.journal,
      "--run-id=" + id,
      "--json",
      "--progress=none"};
  if (arguments.contains("seed")) {
    words.push_back("--seed=" + dump_json(arguments["seed"]));
  }
  if (arguments.value("series", false)) words.emplace_back("--series");
  ASSIGN_OR_RETURN(
      const std::string output,
      call_program(options.program, words, "", kEvolveTime, context.cancel));
  ASSIGN_OR_RETURN(Json result, parse_json(output));
  result["run"] = id;
  return result;
}

Result<Json> evolve_function_tool(const RunAgentToolOptions& options,
                                  const Json& arguments,
                                  const ToolContext& context) {
  ASSIGN_OR_RETURN(const Json result,
                   evolve_table_file(options, "fn", arguments, context));
  const Json best = result.value("best", Json::object());
  return Json{{"run", result["run"]},
              {"formula", best.value("formula", Json())},
              {"nmse", best.value("nmse", Json())},
              {"target", arguments["target"]}};
}

Result<Json> evolve_network_tool(const RunAgentToolOptions& options,
                                 const Json& arguments,
                                 const ToolContext& context) {
  ASSIGN_OR_RETURN(const Json result,
                   evolve_table_file(options, "net", arguments, context));
  return Json{{"run", result["run"]},
              {"metric", result.value("metric", Json())},
              {"score", result.value("test_score", Json())},
              {"target", arguments["target"]}};
}

Result<Json> predict_tool(const RunAgentToolOptions& options,
                          const Json& arguments, const ToolContext& context) {
  ASSIGN_OR_RETURN(
      const std::string folder,
      find_run_folder(options, arguments["run"].get<std::string>()));
  ASSIGN_OR_RETURN(const std::string text, read_table_text(options, arguments));
  ASSIGN_OR_RETURN(const std::string output,
                   call_program(options.program,
                                {"predict", folder, "-", "--json",
                                 "--keep=none", "--progress=none"},
                                text, kEvolveTime, context.cancel));
  ASSIGN_OR_RETURN(const Json json, parse_json(output));
  Json values = Json::array();
  for (const Json& row : json.value("predictions", Json::array())) {
    const auto found = row.find("prediction");
    values.push_back(found != row.end() ? *found : row.begin().value());
  }
  return Json{{"predictions", std::move(values)}};
}

// The values of a formula for each row of a table, by the names of its columns.
Result<Json> run_formula_tool(const RunAgentToolOptions& options,
                              const Json& arguments,
                              const ToolContext& /*context*/) {
  ASSIGN_OR_RETURN(const std::string text, read_table_text(options, arguments));
  ASSIGN_OR_RETURN(const data::Table table, data::parse_csv(text));
  if (table.row_count() > kMaxValues) {
    return invalid_argument(
        "run_formula takes at most 10000 rows; use predict "
        "for larger tables.");
  }
  std::vector<std::string> names;
  std::vector<const double*> inputs;
  for (const data::Column& column : table.columns()) {
    if (column.kind != data::ColumnKind::Number) continue;
    names.push_back(column.name);
    inputs.push_back(column.numbers.data());
  }
  ASSIGN_OR_RETURN(
      const formula::Formula formula,
      formula::parse_infix(arguments["formula"].get<std::string>(), names));
  if (!formula.param_names.empty()) {
    return invalid_argument("The table has no column " +
                            in_quotes(formula.param_names.front()) +
                            " of numbers.");
  }
  std::vector<double> values(table.row_count());
  formula::ExpressionPlan plan(formula.body);
  plan.values({.inputs = inputs, .rows = values.size()}, {}, values);
  Json list = Json::array();
  for (const double value : values) {
    list.push_back(std::isfinite(value) ? Json(value) : Json());
  }
  return Json{{"values", std::move(list)}};
}

Json evolve_schema(bool has_series) {
  Json schema = {
      {"type", "object"},
      {"properties",
       {{"path",
         {{"type", "string"},
          {"minLength", 1},
          {"description", "A CSV file in the workspace."}}},
        {"target",
         {{"type", "string"},
          {"minLength", 1},
          {"description", "The column to predict."}}},
        {"budget",
         {{"type", "string"},
          {"description", "Such as 10s, 2min or 20000eval; default: 10s."}}},
        {"seed", {{"type", "integer"}, {"minimum", 0}}}}},
      {"required", {"path", "target"}},
      {"additionalProperties", false}};
  if (has_series) {
    schema["properties"]["series"] = {
        {"type", "boolean"}, {"description", "The rows are steps in time."}};
  }
  return schema;
}

using RunTool = Result<Json> (*)(const RunAgentToolOptions&, const Json&,
                                 const ToolContext&);

Tool make_tool(const Options& options, skills::ToolInfo info,
               std::chrono::milliseconds time, RunTool run) {
  return {
      .info = std::move(info),
      .limits = {.time = time, .output_bytes = std::size_t{1} << 20},
      .run = [options, run](const Json& arguments, const ToolContext& context) {
        return run(*options, arguments, context);
      }};
}

Json table_schema(const char* name, const char* description) {
  return {
      {"type", "object"},
      {"properties",
       {{name,
         {{"type", "string"}, {"minLength", 1}, {"description", description}}},
        {"path",
         {{"type", "string"},
          {"minLength", 1},
          {"description", "A CSV file in the workspace."}}}}},
      {"required", {name, "path"}},
      {"additionalProperties", false}};
}

}  // namespace

std::string runs_folder(const std::string& journal,
                        const std::string& data_folder) {
  if (journal.empty()) return "";
  if (store::is_postgres_url(journal)) {
    const std::string schema = store::parse_postgres_place(journal).schema;
    return (std::filesystem::absolute(data_folder) / (schema + ".runs"))
        .string();
  }
  return std::filesystem::absolute(journal).replace_extension(".runs").string();
}

Result<void> add_run_agent_tools(agent::ToolRegistry& registry,
                                 const RunAgentToolOptions& options) {
  const auto shared = std::make_shared<const RunAgentToolOptions>(options);
  RETURN_IF_ERROR(registry.add(make_tool(
      shared,
      {.name = "evolve_function",
       .description = "Finds a formula that computes a column of a CSV file "
                      "from the others. Returns the formula and the id of the "
                      "run for predict.",
       .input_schema = evolve_schema(false),
       .capabilities = {Capability::Reads, Capability::Writes},
       .is_idempotent = true},
      kEvolveTime, evolve_function_tool)));
  RETURN_IF_ERROR(registry.add(make_tool(
      shared,
      {.name = "evolve_network",
       .description = "Evolves a neural network that predicts a column of a "
                      "CSV file from the others. Returns its score on held-out "
                      "rows and the id of the run for predict.",
       .input_schema = evolve_schema(true),
       .capabilities = {Capability::Reads, Capability::Writes},
       .is_idempotent = true},
      kEvolveTime, evolve_network_tool)));
  RETURN_IF_ERROR(registry.add(make_tool(
      shared,
      {.name = "predict",
       .description = "Predicts the target for the rows of a CSV file with the "
                      "result of evolve_function or evolve_network.",
       .input_schema = table_schema("run", "The id of the run."),
       .capabilities = {Capability::Reads},
       .is_idempotent = true},
      kEvolveTime, predict_tool)));
  return registry.add(make_tool(
      shared,
      {.name = "run_formula",
       .description = "Computes a formula such as a*x^2 for each row of a CSV "
                      "file, by the names of its columns.",
       .input_schema = table_schema("formula", "Such as a*x^2 + sqrt(b)."),
       .capabilities = {Capability::Reads},
       .is_idempotent = true},
      std::chrono::seconds(30), run_formula_tool));
}

}  // namespace lamarck::runs
