// The routes that show how the result of a run fits its table, and the
// candidates that it tried.

#include <array>
#include <charconv>
#include <string>
#include <utility>
#include <nlohmann/json.hpp>

#include "lamarck/base/macros.h"
#include "lamarck/runs/run_candidates.h"
#include "lamarck/runs/run_table.h"
#include "lamarck/server/internal/tool_arguments.h"
#include "lamarck/server/rest/internal/route_groups.h"
#include "lamarck/server/runs/run_service.h"

namespace lamarck::server {
namespace {

Result<runs::RunTable> table_of(const RouteCall& call, RunService& service) {
  ASSIGN_OR_RETURN(const runs::RunView run, service.catalog().find(call.id()));
  return runs::read_run_table(run);
}

Result<Json> show_run_rows(const RouteCall& call) {
  ASSIGN_OR_RETURN(RunService* const service, call.runs());
  ASSIGN_OR_RETURN(const runs::RunTable table, table_of(call, *service));
  return runs::table_rows_json(table, limit_of(call, 400),
                               get_flag(call.query, "last")
                                   ? runs::RowChoice::Last
                                   : runs::RowChoice::Spread);
}

Result<Json> show_law_fit(const RouteCall& call) {
  ASSIGN_OR_RETURN(RunService* const service, call.runs());
  const std::int64_t at = get_count(call.query, "at", 0);
  ASSIGN_OR_RETURN(const Json view,
                   service->view(call.id(), static_cast<std::uint64_t>(at)));
  const std::int64_t size = get_count(call.query, "size", 0);
  const Json front = view.value("front", Json::array());
  for (const Json& law : front) {
    const bool is_wanted = size == 0
                               ? law.value("chosen", false)
                               : law.value("size", std::int64_t{0}) == size;
    if (!is_wanted) continue;
    ASSIGN_OR_RETURN(const runs::RunTable table, table_of(call, *service));
    return runs::law_fit_json(table, law.value("python", std::string()),
                              limit_of(call, 400));
  }
  return Error(
      ErrorCode::NotFound,
      "The run has no such law at that event; see the front of its view.");
}

Result<Json> list_run_candidates(const RouteCall& call) {
  ASSIGN_OR_RETURN(RunService* const service, call.runs());
  ASSIGN_OR_RETURN(const runs::RunView run, service->catalog().find(call.id()));
  return runs::candidates_json(run,
                               {.only = get_text(call.query, "only"),
                                .before = get_count(call.query, "before", 0),
                                .limit = limit_of(call, 50)});
}

Result<Json> show_run_candidate(const RouteCall& call) {
  ASSIGN_OR_RETURN(RunService* const service, call.runs());
  ASSIGN_OR_RETURN(const runs::RunView run, service->catalog().find(call.id()));
  const std::string& text = call.path.find("at")->second;
  std::int64_t at = -1;
  const char* const end = text.data() + text.size();
  const auto [rest, error] = std::from_chars(text.data(), end, at);
  return runs::candidate_json(run,
                              error == std::errc() && rest == end ? at : -1);
}

constexpr std::array kRunTableRoutes = {
    Route{.method = "GET",
          .path = "/runs/{id}/rows",
          .operation = "show_run_rows",
          .summary = "Show rows of the table of a run.",
          .query = R"({"type": "object", "additionalProperties": false,
            "properties": {
              "last": {"type": "boolean", "default": false,
                "description": "The last rows; otherwise evenly spread ones."},
              "limit": {"type": "integer", "minimum": 1,
                "maximum": 2000, "default": 400}}})",
          .response = R"({"type": "object",
            "required": ["columns", "target", "rows", "total"],
            "properties": {
              "columns": {"type": "array", "items": {"type": "string"}},
              "target": {"type": "string"},
              "rows": {"type": "array", "items": {"type": "array"}},
              "total": {"type": "integer"}}})",
          .handle = show_run_rows},
    Route{.method = "GET",
          .path = "/runs/{id}/fit",
          .operation = "show_law_fit",
          .summary = "Show the values of a law beside the true ones.",
          .query = R"({"type": "object", "additionalProperties": false,
            "properties": {
              "size": {"type": "integer", "minimum": 0, "default": 0,
                "description": "The size of a law; 0 is the chosen one."},
              "at": {"type": "integer", "minimum": 0, "default": 0,
                "description": "An event; 0 is the newest."},
              "limit": {"type": "integer", "minimum": 1, "maximum": 2000,
                "default": 400}}})",
          .response = R"({"type": "object",
            "required": ["truth", "predicted", "total"],
            "properties": {"truth": {"type": "array"},
              "predicted": {"type": "array"},
              "total": {"type": "integer"}}})",
          .handle = show_law_fit},
    Route{.method = "GET",
          .path = "/runs/{id}/candidates",
          .operation = "list_run_candidates",
          .summary =
              "List the formulas or programs that a run tried, newest first.",
          .query = R"({"type": "object", "additionalProperties": false,
            "properties": {
              "only": {"enum": ["evaluated", "failed", "model", "improved"],
                "description": "evaluated: without trials that found nothing; model: those that a language model wrote."},
              "before": {"type": "integer", "minimum": 0, "default": 0,
                "description": "next of the previous page."},
              "limit": {"type": "integer", "minimum": 1, "maximum": 200,
                "default": 50}}})",
          .response = R"({"type": "object",
            "required": ["candidates", "next"],
            "properties": {
              "candidates": {"type": "array", "items": {"type": "object",
                "required": ["at", "failed", "text"]}},
              "next": {"type": ["integer", "null"]}}})",
          .handle = list_run_candidates},
    Route{.method = "GET",
          .path = "/runs/{id}/candidates/{at}",
          .operation = "show_run_candidate",
          .summary =
              "Show one formula or program with its parents, prompt and reply.",
          .response = R"({"type": "object",
            "required": ["at", "failed", "text", "parents"]})",
          .handle = show_run_candidate},
};

}  // namespace

std::span<const Route> run_table_routes() { return kRunTableRoutes; }

}  // namespace lamarck::server
