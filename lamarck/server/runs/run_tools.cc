#include "lamarck/server/runs/run_tools.h"

#include <array>
#include <chrono>
#include <cmath>
#include <optional>
#include <utility>
#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "lamarck/base/macros.h"
#include "lamarck/runs/run_control.h"
#include "lamarck/runs/run_state_view.h"
#include "lamarck/server/internal/tool_arguments.h"

namespace lamarck::server {
namespace {

using std::chrono_literals::operator""ms;

constexpr std::chrono::nanoseconds kStatusPeriod = 100ms;
constexpr const char* kToolBudget = "10s";

std::string run_remark(const runs::RunView& run) {
  const runs::RunSummary& summary = run.summary;
  if (!std::isfinite(summary.score)) return run.state;
  return fmt::format("{} {:.4g}", summary.score_name, summary.score);
}

// What a model needs to know about a run.
Result<Json> status_json(RunService& service, const runs::RunView& run) {
  const Json details = runs::run_details_json(run);
  Json json = {{"run", run.id},
               {"kind", run.summary.kind},
               {"state", run.state},
               {"message", details["message"]},
               {"budget", details["budget"]},
               {"score", details["score"]},
               {"score_name", details["score_name"]},
               {"can_predict", details["can_predict"]}};
  if (run.summary.kind == "fn") {
    ASSIGN_OR_RETURN(const Json view,
                     runs::run_state_view(service.catalog(), run, 0));
    for (const Json& law : view.value("front", Json::array())) {
      if (!law.value("chosen", false)) continue;
      json["formula"] = law.value("formula", "");
      json["python"] = law.value("python", "");
    }
  } else if (run.summary.result.is_object()) {
    json["test_score"] = run.summary.result.value("test_score", Json());
  }
  return json;
}

// Waits for the end of a run, with progress. A client that cancels stops it.
Result<Json> await_run(RunService& service, const std::string& id,
                       mcp::CallContext& context) {
  while (true) {
    ASSIGN_OR_RETURN(const runs::RunView run, service.catalog().find(id));
    if (!run.is_active()) return status_json(service, run);
    const Json budget = runs::run_json(run)["budget"];
    std::optional<double> total;
    if (budget["limit"].is_number()) total = budget["limit"].get<double>();
    context.progress(budget.value("spent", 0.0), total, run_remark(run));
    if (context.cancel().wait_for(kStatusPeriod)) {
      (void)runs::request_stop(service.catalog(), run, "client");
      return context.cancel().check().error();
    }
  }
}

Result<Json> evolve_with(const RunTools& tools, const char* kind,
                         mcp::CallContext& context, const Json& arguments) {
  ASSIGN_OR_RETURN(RunService* const service, tools.find(tools.org));
  ASSIGN_OR_RETURN(const Json upload,
                   service->upload(get_text(arguments, "name", "table.csv"),
                                   get_text(arguments, "csv")));
  Json options = {{"data", upload["id"]},
                  {"target", get_text(arguments, "target")},
                  {"budget", get_text(arguments, "budget", kToolBudget)}};
  for (const char* name :
       {"seed", "series", "horizon", "lags", "single", "functions", "inputs"}) {
    if (arguments.contains(name)) options[name] = arguments[name];
  }
  ASSIGN_OR_RETURN(const Json run,
                   service->start({{"kind", kind}, {"options", options}}));
  const std::string id = run["id"].get<std::string>();
  if (get_flag(arguments, "wait", true)) {
    return await_run(*service, id, context);
  }
  ASSIGN_OR_RETURN(const runs::RunView now, service->catalog().find(id));
  return status_json(*service, now);
}

Result<Json> call_evolve_network(const RunTools& tools,
                                 mcp::CallContext& context,
                                 const Json& arguments) {
  return evolve_with(tools, "net", context, arguments);
}

Result<Json> call_evolve_function(const RunTools& tools,
                                  mcp::CallContext& context,
                                  const Json& arguments) {
  return evolve_with(tools, "fn", context, arguments);
}

Result<Json> call_run_status(const RunTools& tools,
                             mcp::CallContext& /*context*/,
                             const Json& arguments) {
  ASSIGN_OR_RETURN(RunService* const service, tools.find(tools.org));
  ASSIGN_OR_RETURN(const runs::RunView run,
                   service->catalog().find(get_text(arguments, "run")));
  return status_json(*service, run);
}

Result<Json> call_predict(const RunTools& tools, mcp::CallContext& context,
                          const Json& arguments) {
  ASSIGN_OR_RETURN(RunService* const service, tools.find(tools.org));
  std::optional<double> level;
  if (arguments.contains("level")) level = arguments["level"].get<double>();
  return service->predict(get_text(arguments, "run"), arguments.at("rows"),
                          level, context.cancel());
}

constexpr std::string_view kStatusSchema = R"({"type": "object",
  "required": ["run", "kind", "state", "message", "score", "score_name"],
  "properties": {
    "run": {"type": "string"}, "kind": {"type": "string"},
    "state": {"type": "string"}, "message": {"type": "string"},
    "score": {"type": ["number", "null"]},
    "score_name": {"type": "string"},
    "formula": {"type": "string"}, "python": {"type": "string"},
    "test_score": {"type": ["number", "null"]},
    "can_predict": {"type": "boolean"}, "budget": {"type": "object"}}})";

constexpr std::array kRunTools = {
    RunTool{
        .name = "evolve_network",
        .title = "Evolve a network from a table",
        .description =
            "Call it to predict a column of a table from the others. Pass the "
            "table as CSV text with a header. It returns the score on held-out "
            "rows and the id of the run, with which `predict` predicts new "
            "rows. Example: {\"csv\": \"x,y\\n1,2\\n...\", \"target\": \"y\", "
            "\"budget\": \"20s\"}",
        .input_schema = R"({"type": "object", "additionalProperties": false,
          "required": ["csv", "target"], "properties": {
            "csv": {"type": "string", "minLength": 1, "maxLength": 3000000},
            "name": {"type": "string", "maxLength": 200},
            "target": {"type": "string", "minLength": 1, "maxLength": 500},
            "budget": {"type": "string", "maxLength": 100, "description":
              "Such as 10s, 5min or 200gen; default: 10s."},
            "series": {"type": "boolean", "description":
              "The rows are steps in time."},
            "horizon": {"type": "integer", "minimum": 1, "description":
              "Rows ahead to predict in a series; default: 1."},
            "lags": {"type": "integer", "minimum": 1, "maximum": 512,
              "description":
              "Past changes of a series that are inputs; default: by the data."},
            "single": {"type": "boolean", "description":
              "Return one small network instead of an ensemble."},
            "seed": {"type": "integer", "minimum": 0},
            "wait": {"type": "boolean", "default": true, "description":
              "false returns at once; ask run_status later."}}})",
        .output_schema = kStatusSchema,
        .call = call_evolve_network},
    RunTool{
        .name = "evolve_function",
        .title = "Find the law in a table",
        .description =
            "Call it to find a formula that computes a column of a table of "
            "numbers from the others. Pass the table as CSV text with a "
            "header. It returns the formula, its error (NMSE, 0 is exact) and "
            "the id of the run for `predict`. Example: {\"csv\": "
            "\"a,period\\n0.387,0.241\\n...\", \"target\": \"period\"}",
        .input_schema = R"({"type": "object", "additionalProperties": false,
          "required": ["csv", "target"], "properties": {
            "csv": {"type": "string", "minLength": 1, "maxLength": 3000000},
            "name": {"type": "string", "maxLength": 200},
            "target": {"type": "string", "minLength": 1, "maxLength": 500},
            "inputs": {"type": "string", "maxLength": 2000, "description":
              "Columns to use, separated by commas; default: all."},
            "functions": {"type": "string", "maxLength": 500, "description":
              "Besides + - * /, such as sin,exp,pow."},
            "budget": {"type": "string", "maxLength": 100, "description":
              "Such as 10s, 5min or 50000eval; default: 10s."},
            "seed": {"type": "integer", "minimum": 0},
            "wait": {"type": "boolean", "default": true, "description":
              "false returns at once; ask run_status later."}}})",
        .output_schema = kStatusSchema,
        .call = call_evolve_function},
    RunTool{
        .name = "run_status",
        .title = "Show the state of a run",
        .description =
            "Call it to see how a run of evolve_network or evolve_function is "
            "doing, or what it found. Example: {\"run\": \"fn-7k3m9q2x\"}",
        .input_schema = R"({"type": "object", "additionalProperties": false,
          "required": ["run"], "properties": {
            "run": {"type": "string", "minLength": 1, "maxLength": 200}}})",
        .output_schema = kStatusSchema,
        .read_only = true,
        .call = call_run_status},
    RunTool{
        .name = "predict",
        .title = "Predict with the result of a run",
        .description =
            "Call it to predict the target of new rows with the network or the "
            "law of a run that has ended. Example: {\"run\": \"fn-7k3m9q2x\", "
            "\"rows\": [{\"a\": 5.2}]}",
        .input_schema = R"({"type": "object", "additionalProperties": false,
          "required": ["run", "rows"], "properties": {
            "run": {"type": "string", "minLength": 1, "maxLength": 200},
            "rows": {"type": "array", "minItems": 1, "maxItems": 10000,
              "items": {"type": "object"}},
            "level": {"type": "number", "exclusiveMinimum": 0,
              "exclusiveMaximum": 1,
              "description":
              "For networks: adds intervals or class sets with that coverage."}}})",
        .output_schema = R"({"type": "object",
          "required": ["predictions", "target"], "properties": {
            "predictions": {"type": "array"},
            "target": {"type": "string"}}})",
        .read_only = true,
        .call = call_predict},
};

}  // namespace

std::span<const RunTool> run_tools() { return kRunTools; }

void add_run_tools(const RunTools& tools, mcp::Registry& registry) {
  for (const RunTool& tool : kRunTools) {
    registry.tools.push_back(
        {.name = std::string(tool.name),
         .title = std::string(tool.title),
         .description = std::string(tool.description),
         .input_schema = std::string(tool.input_schema),
         .output_schema = schema_with_error(tool.output_schema),
         .read_only = tool.read_only,
         .call = [tools, call = tool.call](
                     mcp::CallContext& context,
                     const Json& arguments) -> mcp::Outcome {
           const Result<Json> answer = call(tools, context, arguments);
           if (!answer) return make_outcome(answer.error());
           return mcp::tool_result(*answer);
         }});
  }
}

}  // namespace lamarck::server
