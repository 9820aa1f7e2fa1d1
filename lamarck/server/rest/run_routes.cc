// The routes of runs and uploads.

#include <array>
#include <charconv>
#include <optional>
#include <string>
#include <utility>
#include <nlohmann/json.hpp>

#include "lamarck/base/macros.h"
#include "lamarck/server/internal/tool_arguments.h"
#include "lamarck/server/rest/internal/route_groups.h"
#include "lamarck/server/runs/run_service.h"

namespace lamarck::server {
namespace {

constexpr std::int64_t kDefaultEvents = 200;
constexpr std::int64_t kDefaultPoints = 500;

std::uint64_t number_of(const Json& query, const char* name) {
  return static_cast<std::uint64_t>(get_count(query, name, 0));
}

Result<Json> list_runs(const RouteCall& call) {
  ASSIGN_OR_RETURN(RunService* const runs, call.runs());
  return runs->list({.kind = get_text(call.query, "kind"),
                     .state = get_text(call.query, "state"),
                     .text = get_text(call.query, "q"),
                     .after = get_text(call.query, "cursor"),
                     .limit = limit_of(call, 50)});
}

Result<Json> start_run(const RouteCall& call) {
  ASSIGN_OR_RETURN(RunService* const runs, call.runs());
  return runs->start(call.body);
}

Result<Json> show_run(const RouteCall& call) {
  ASSIGN_OR_RETURN(RunService* const runs, call.runs());
  ASSIGN_OR_RETURN(const runs::RunView run, runs->catalog().find(call.id()));
  return runs::run_details_json(run);
}

Result<Json> remove_run(const RouteCall& call) {
  ASSIGN_OR_RETURN(RunService* const runs, call.runs());
  return runs->remove(call.id());
}

Result<Json> stop_run(const RouteCall& call) {
  ASSIGN_OR_RETURN(RunService* const runs, call.runs());
  return runs->stop_run(call.id(), "client");
}

Result<Json> resume_run(const RouteCall& call) {
  ASSIGN_OR_RETURN(RunService* const runs, call.runs());
  return runs->resume(call.id());
}

Result<Json> list_run_events(const RouteCall& call) {
  ASSIGN_OR_RETURN(RunService* const runs, call.runs());
  return runs->events(
      call.id(), number_of(call.query, "after"),
      static_cast<std::size_t>(get_count(call.query, "limit", kDefaultEvents)));
}

Result<Json> show_run_curve(const RouteCall& call) {
  ASSIGN_OR_RETURN(RunService* const runs, call.runs());
  ASSIGN_OR_RETURN(const runs::RunView run, runs->catalog().find(call.id()));
  return runs::curve_json(run.summary,
                          static_cast<std::size_t>(
                              get_count(call.query, "points", kDefaultPoints)));
}

Result<Json> show_run_view(const RouteCall& call) {
  ASSIGN_OR_RETURN(RunService* const runs, call.runs());
  return runs->view(call.id(), number_of(call.query, "at"));
}

Result<Json> fetch_artifact(const RouteCall& call) {
  ASSIGN_OR_RETURN(RunService* const runs, call.runs());
  return runs->artifact(call.id(), call.path.find("name")->second, call.cancel);
}

Result<Json> predict_with_run(const RouteCall& call) {
  ASSIGN_OR_RETURN(RunService* const runs, call.runs());
  std::optional<double> level;
  if (call.body.contains("level")) level = call.body["level"].get<double>();
  return runs->predict(call.id(), call.body.at("rows"), level, call.cancel);
}

Result<Json> upload_table(const RouteCall& call) {
  ASSIGN_OR_RETURN(RunService* const runs, call.runs());
  return runs->upload(get_text(call.query, "name"), call.text);
}

// The number of the last event that the client has seen. A reconnecting client
// sends the header.
std::optional<std::uint64_t> resume_point(const RouteCall& call) {
  std::string text = call.last_event_id;
  if (text.empty() && call.query.contains("after")) {
    return number_of(call.query, "after");
  }
  std::uint64_t seq = 0;
  const auto [end, error] =
      std::from_chars(text.data(), text.data() + text.size(), seq);
  if (text.empty() || error != std::errc()) return std::nullopt;
  return seq;
}

Result<Json> check_stream(const RouteCall& call) {
  ASSIGN_OR_RETURN(RunService* const runs, call.runs());
  const std::string id = get_text(call.query, "run");
  if (!id.empty()) RETURN_IF_ERROR(runs->catalog().find(id));
  return Json::object();
}

void open_stream(const RouteCall& call,
                 std::shared_ptr<net::HttpExchange> exchange) {
  const auto runs = call.runs();
  if (!runs) return;
  (*runs)->streams().open(get_text(call.query, "run"), resume_point(call),
                          std::move(exchange));
}

constexpr std::string_view kRunSchema =
    R"({"$ref": "#/components/schemas/Run"})";

constexpr std::array kRunRoutes = {
    Route{.method = "GET",
          .path = "/runs",
          .operation = "list_runs",
          .summary = "List runs, newest first, with small curves.",
          .query = R"({"type": "object", "additionalProperties": false,
            "properties": {
              "kind": {"enum": ["net", "neat", "fn", "program", "thought",
                "agent"]},
              "state": {"enum": ["queued", "running", "waiting", "stopping", "done",
                "failed", "interrupted", "dead"]},
              "q": {"type": "string", "maxLength": 200,
                "description": "Text in id, goal or options."},
              "cursor": {"type": "string", "maxLength": 200},
              "limit": {"type": "integer", "minimum": 1, "maximum": 100,
                "default": 50}}})",
          .response = R"({"type": "object",
            "required": ["runs", "next_cursor", "as_of"],
            "properties": {
              "runs": {"type": "array",
                "items": {"$ref": "#/components/schemas/Run"}},
              "next_cursor": {"type": ["string", "null"]},
              "as_of": {"type": "integer", "description":
                "Where the stream of the overview continues."}}})",
          .handle = list_runs},
    Route{.method = "POST",
          .path = "/runs",
          .operation = "start_run",
          .summary = "Start an evolution from an uploaded table.",
          .request = R"({"type": "object", "additionalProperties": false,
            "required": ["kind", "options"],
            "properties": {
              "kind": {"enum": ["net", "fn", "neat"]},
              "options": {"type": "object", "description":
                "data is the id of an upload; the others are the flags of the command with _ for -."}}})",
          .response = kRunSchema,
          .status = 201,
          .handle = start_run},
    Route{.method = "GET",
          .path = "/runs/{id}",
          .operation = "show_run",
          .summary = "Show a run with its result.",
          .response = kRunSchema,
          .handle = show_run},
    Route{.method = "DELETE",
          .path = "/runs/{id}",
          .operation = "remove_run",
          .summary = "Remove a run that has ended.",
          .response = R"({"type": "object", "required": ["id", "removed"],
            "properties": {"id": {"type": "string"},
              "removed": {"const": true}}})",
          .handle = remove_run},
    Route{.method = "POST",
          .path = "/runs/{id}/stop",
          .operation = "stop_run",
          .summary = "Ask a run to stop and keep its best result.",
          .response = kRunSchema,
          .handle = stop_run},
    Route{.method = "POST",
          .path = "/runs/{id}/resume",
          .operation = "resume_run",
          .summary = "Continue an interrupted or dead run.",
          .response = kRunSchema,
          .handle = resume_run},
    Route{.method = "GET",
          .path = "/runs/{id}/events",
          .operation = "list_run_events",
          .summary = "List the events of a run in order.",
          .query = R"({"type": "object", "additionalProperties": false,
            "properties": {
              "after": {"type": "integer", "minimum": 0, "default": 0},
              "limit": {"type": "integer", "minimum": 1, "maximum": 1000,
                "default": 200}}})",
          .response = R"({"type": "object",
            "required": ["events", "next", "as_of"],
            "properties": {
              "events": {"type": "array", "items": {"type": "object",
                "required": ["seq", "at", "type"]}},
              "next": {"type": ["integer", "null"]},
              "as_of": {"type": "integer"}}})",
          .handle = list_run_events},
    Route{.method = "GET",
          .path = "/runs/{id}/curve",
          .operation = "show_run_curve",
          .summary = "Show the score of a run over time.",
          .query = R"({"type": "object", "additionalProperties": false,
            "properties": {"points": {"type": "integer", "minimum": 4,
              "maximum": 2000, "default": 500}}})",
          .response = R"({"type": "object",
            "required": ["x", "seq", "score", "loss", "as_of"]})",
          .handle = show_run_curve},
    Route{.method = "GET",
          .path = "/runs/{id}/view",
          .operation = "show_run_view",
          .summary = "Show the network or the laws after an event of a run.",
          .query = R"({"type": "object", "additionalProperties": false,
            "properties": {"at": {"type": "integer", "minimum": 0,
              "default": 0, "description": "An event; 0 is the newest."}}})",
          .response = R"({"type": "object", "required": ["seq", "kind",
            "state"]})",
          .handle = show_run_view},
    Route{.method = "GET",
          .path = "/runs/{id}/artifacts/{name}",
          .operation = "fetch_artifact",
          .summary = "Download a file of a run, or one of its exports.",
          .response = R"({"type": "object"})",
          .replies_file = true,
          .handle = fetch_artifact},
    Route{.method = "POST",
          .path = "/runs/{id}/predict",
          .operation = "predict_with_run",
          .summary = "Predict the target of rows with the result of a run.",
          .request = R"({"type": "object", "additionalProperties": false,
            "required": ["rows"],
            "properties": {"rows": {"type": "array", "minItems": 1,
              "maxItems": 10000, "items": {"type": "object"}},
              "level": {"type": "number", "exclusiveMinimum": 0,
              "exclusiveMaximum": 1,
                "description": "For networks: also intervals, or sets of classes, that contain the truth that often."}}})",
          .response = R"({"type": "object",
            "required": ["predictions", "target"],
            "properties": {"predictions": {"type": "array"},
              "target": {"type": "string"}}})",
          .handle = predict_with_run},
    Route{.method = "POST",
          .path = "/uploads",
          .operation = "upload_table",
          .summary = "Upload a table and describe its columns.",
          .query = R"({"type": "object", "additionalProperties": false,
            "properties": {"name": {"type": "string", "maxLength": 200,
              "description": "Name of the file."}}})",
          .request_type = "text/csv",
          .response = R"({"type": "object",
            "required": ["id", "name", "bytes", "rows", "columns", "guess"]})",
          .status = 201,
          .handle = upload_table},
    Route{.method = "GET",
          .path = "/stream",
          .operation = "stream_runs",
          .summary =
              "Stream the events of a run, or changes of all, as server-sent "
              "events.",
          .query = R"({"type": "object", "additionalProperties": false,
            "properties": {
              "run": {"type": "string", "maxLength": 200,
                "description": "A run; without one, the overview."},
              "after": {"type": "integer", "minimum": 0, "description":
                "The last number seen; Last-Event-ID counts more."}}})",
          .response = R"({"type": "object"})",
          .handle = check_stream,
          .stream = open_stream},
};

}  // namespace

std::span<const Route> run_routes() { return kRunRoutes; }

}  // namespace lamarck::server
