// The routes that show how the result of a run fits its table.

#include <array>
#include <string>
#include <utility>
#include <nlohmann/json.hpp>

#include "lamarck/base/macros.h"
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
  return runs::table_rows_json(table, limit_of(call, 400));
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

constexpr std::array kRunTableRoutes = {
    Route{.method = "GET",
          .path = "/runs/{id}/rows",
          .operation = "show_run_rows",
          .summary = "Show rows of the table of a run, evenly spread.",
          .query = R"({"type": "object", "additionalProperties": false,
            "properties": {"limit": {"type": "integer", "minimum": 1,
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
};

}  // namespace

std::span<const Route> run_table_routes() { return kRunTableRoutes; }

}  // namespace lamarck::server
