#include "lamarck/server/runs/run_service.h"

#include <algorithm>
#include <filesystem>
#include <utility>
#include <nlohmann/json.hpp>

#include "lamarck/base/log.h"
#include "lamarck/base/macros.h"
#include "lamarck/base/one_line.h"
#include "lamarck/runs/program_call.h"
#include "lamarck/runs/run_agent_tools.h"
#include "lamarck/runs/run_control.h"
#include "lamarck/runs/run_event.h"
#include "lamarck/runs/run_state_view.h"
#include "lamarck/store/journal_place.h"

namespace lamarck::server {
namespace {

constexpr std::size_t kListCurvePoints = 40;
// A change with an earlier time may become visible after a list was read.
constexpr std::int64_t kClockSlack = 2'000;

// The member "prediction". A series has "level in 3 rows" instead, and the
// target "level in 3 rows, less level now".
Json predicted_value(const Json& prediction, std::string_view target) {
  const auto found = prediction.find("prediction");
  if (found != prediction.end()) return *found;
  for (const auto& [name, value] : prediction.items()) {
    if (target.starts_with(name)) return value;
  }
  return nullptr;
}

}  // namespace

RunService::RunService(const RunServiceOptions& options,
                       store::Journal& journal, Clock& clock)
    : options_(options),
      catalog_(journal, clock),
      uploads_(options.journal.empty()
                   ? ""
                   : runs::runs_folder(options.journal, options.data_folder) +
                         "/uploads"),
      host_({.program = options.program,
             .journal = store::absolute_place(options.journal),
             .folder = runs::runs_folder(options.journal, options.data_folder),
             .parallel = std::max<std::size_t>(1, options.parallel)},
            catalog_),
      streams_(catalog_, options.journal) {
  if (!options.resumes) return;
  const auto resumed = host_.resume_unfinished();
  if (!resumed) log_warning(resumed.error().message());
}

Result<Json> RunService::start(const Json& request) {
  runs::RunRequest run{.kind = request.value("kind", ""),
                       .options = request.value("options", Json::object()),
                       .data = ""};
  if (options_.journal.empty() || options_.program.empty()) {
    return Error(ErrorCode::FailedPrecondition,
                 "Runs cannot be started here, because the journal is not in "
                 "a file; restart the server with --db FILE.");
  }
  const std::string source =
      run.kind == "neat" && !run.options.contains("data") ? "task" : "data";
  const auto given = run.options.find(source);
  if (given == run.options.end() || !given->is_string()) {
    return Error(
        ErrorCode::InvalidArgument,
        "options." + source + " is required; " +
            (source == "data" ? "it must be the id of an upload."
                              : "it must be a task such as xor or cartpole."),
        {{"options." + source, "required"}});
  }
  std::string table = given->get<std::string>();
  if (source == "data") {
    ASSIGN_OR_RETURN(const auto upload, uploads_.find(table));
    run.data = upload.path;
    table = upload.name;
  } else {
    // A word without a dot or slash cannot be a file.
    if (table.find_first_of("./\\-") != std::string::npos &&
        !table.starts_with("double-pole")) {
      return invalid_argument("options.task must be the name of a task.");
    }
    run.data = table;
  }
  ASSIGN_OR_RETURN(const runs::RunView view, host_.start(run, table));
  return runs::run_json(view);
}

Result<Json> RunService::stop_run(const std::string& id,
                                  const std::string& by) {
  ASSIGN_OR_RETURN(const runs::RunView run, catalog_.find(id));
  RETURN_IF_ERROR(runs::request_stop(catalog_, run, by));
  ASSIGN_OR_RETURN(const runs::RunView now, catalog_.find(id));
  return runs::run_json(now);
}

Result<Json> RunService::resume(const std::string& id) {
  ASSIGN_OR_RETURN(const runs::RunView run, catalog_.find(id));
  ASSIGN_OR_RETURN(const runs::RunView now, host_.resume(run));
  return runs::run_json(now);
}

Result<Json> RunService::remove(const std::string& id) {
  ASSIGN_OR_RETURN(const runs::RunView run, catalog_.find(id));
  RETURN_IF_ERROR(runs::remove_run(catalog_, run));
  // Only folders that this server made.
  const std::string own =
      runs::runs_folder(options_.journal, options_.data_folder);
  if (!own.empty() && run.summary.folder == own + "/" + id) {
    std::error_code ignored;
    std::filesystem::remove_all(run.summary.folder, ignored);
    std::filesystem::remove(run.summary.folder + ".log", ignored);
  }
  return Json{{"id", id}, {"removed", true}};
}

Result<Json> RunService::list(const runs::RunQuery& query) {
  const std::int64_t now =
      runs::milliseconds_since_1970(catalog_.clock().wall_time());
  const auto page = catalog_.list(query);
  if (!page) {
    if (page.error().code() != ErrorCode::NotFound) return page.error();
    return Error(ErrorCode::InvalidArgument,
                 "The cursor is not one that a list returned; start without.",
                 {{"cursor", "unknown"}});
  }
  Json list = Json::array();
  for (const runs::RunView& run : page->runs) {
    Json json = runs::run_json(run);
    json["curve"] = runs::small_curve_json(run.summary, kListCurvePoints);
    list.push_back(std::move(json));
  }
  return Json{{"runs", std::move(list)},
              {"next_cursor", page->next.empty() ? Json() : Json(page->next)},
              {"as_of", now - kClockSlack}};
}

Result<Json> RunService::events(const std::string& id, std::uint64_t after,
                                std::size_t limit) {
  ASSIGN_OR_RETURN(const runs::RunView run, catalog_.find(id));
  ASSIGN_OR_RETURN(const auto events,
                   catalog_.journal().events(id, after, limit));
  Json list = Json::array();
  for (const store::Event& event : events) {
    list.push_back(runs::event_json(event));
  }
  const bool has_more = !events.empty() && events.back().seq < run.summary.seq;
  return Json{{"events", std::move(list)},
              {"next", has_more ? Json(events.back().seq) : Json()},
              {"as_of", run.summary.seq}};
}

Result<Json> RunService::view(const std::string& id, std::uint64_t at) {
  ASSIGN_OR_RETURN(const runs::RunView run, catalog_.find(id));
  return runs::run_state_view(catalog_, run, at);
}

Result<Json> RunService::predict(const std::string& id, const Json& rows,
                                 std::optional<double> level,
                                 const CancelToken& cancel) {
  ASSIGN_OR_RETURN(const runs::RunView run, catalog_.find(id));
  if (!runs::run_json(run).value("can_predict", false)) {
    return Error(ErrorCode::FailedPrecondition,
                 "The run " + in_quotes(id) +
                     " has no model yet; wait until it has ended.");
  }
  if (options_.program.empty()) {
    return Error(ErrorCode::FailedPrecondition,
                 "Predictions need the program `lamarck`.");
  }
  ASSIGN_OR_RETURN(Json predictions,
                   runs::predict_rows(options_.program, run.summary.folder,
                                      rows, level, cancel));
  const std::string target = run.summary.facts.value("target", "");
  for (Json& each : predictions) {
    if (each.is_object()) each["value"] = predicted_value(each, target);
  }
  return Json{{"predictions", std::move(predictions)}, {"target", target}};
}

Result<Json> RunService::artifact(const std::string& id,
                                  const std::string& name,
                                  const CancelToken& cancel) {
  ASSIGN_OR_RETURN(const runs::RunView run, catalog_.find(id));
  const auto files = runs::run_artifacts(run.summary);
  // Only names that a list of the folder returned, so no path can leave it.
  for (const runs::RunArtifact& each : files) {
    if (each.name != name) continue;
    return Json{
        {"path", (std::filesystem::path(run.summary.folder) / name).string()},
        {"type", each.type},
        {"name", name}};
  }
  const auto exports = runs::run_exports(run.summary, files);
  if (!options_.program.empty() &&
      std::ranges::find(exports, name) != exports.end()) {
    const auto file = *std::ranges::find_if(
        runs::exported_files(), [&](const runs::ExportedFile& each) {
          return each.kind == run.summary.kind && each.name == name;
        });
    ASSIGN_OR_RETURN(
        std::string path,
        runs::export_file(options_.program, run.summary.folder, file, cancel));
    return Json{{"path", std::move(path)},
                {"type", runs::media_type(name)},
                {"name", name}};
  }
  return Error(
      ErrorCode::NotFound,
      "The run " + in_quotes(id) + " has no file " + in_quotes(name) + ".");
}

void RunService::stop() {
  streams_.stop();
  host_.stop();
}

}  // namespace lamarck::server
