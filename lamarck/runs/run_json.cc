// The JSON forms of a run.

#include <algorithm>
#include <array>
#include <cmath>
#include <filesystem>
#include <utility>

#include "lamarck/runs/program_call.h"
#include "lamarck/runs/run_catalog.h"
#include "lamarck/runs/run_event.h"

namespace lamarck::runs {
namespace {

struct MediaType {
  std::string_view ending;
  std::string_view type;
};
constexpr std::array kMediaTypes = {
    MediaType{".cc", "text/x-c++src"},
    MediaType{".csv", "text/csv"},
    MediaType{".html", "text/html"},
    MediaType{".json", "application/json"},
    MediaType{".jsonl", "application/x-ndjson"},
    MediaType{".onnx", "application/octet-stream"},
    MediaType{".py", "text/x-python"},
    MediaType{".svg", "image/svg+xml"},
    MediaType{".tex", "application/x-tex"},
};

Json known_number(double value) {
  return std::isfinite(value) ? Json(value) : Json();
}

Json time_or_null(std::int64_t time) { return time == 0 ? Json() : Json(time); }

double spent(const RunSummary& summary, const std::string& unit) {
  if (unit == "seconds") return summary.seconds;
  if (unit == "generations") return summary.generations;
  return summary.evaluations;
}

// The limit that will be reached first.
Json budget_json(const RunSummary& summary) {
  Json nearest = {
      {"limit", nullptr}, {"spent", summary.seconds}, {"unit", "seconds"}};
  if (!is_evolving_kind(summary.kind)) {
    // Sessions and tasks record no progress, only when they began and changed.
    const auto time = summary.updated - summary.started;
    nearest["spent"] =
        static_cast<double>(std::max<std::int64_t>(time, 0)) / 1e3;
  }
  double share = -1;
  for (const Json& each : summary.limits) {
    if (!each.is_object()) continue;
    const std::string unit = each.value("unit", "seconds");
    const double limit = each.value("limit", 0.0);
    if (limit <= 0) continue;
    const double part = spent(summary, unit) / limit;
    if (part <= share) continue;
    share = part;
    nearest = {
        {"limit", limit}, {"spent", spent(summary, unit)}, {"unit", unit}};
  }
  return nearest;
}

std::string message_of(const RunView& run) {
  if (!run.replaced_by.empty()) {
    return "Its files were replaced by those of the run " + run.replaced_by +
           ", which was written into the same folder.";
  }
  return run.state == kDead ? "The process of the run ended unexpectedly."
                            : run.summary.message;
}

bool is_hidden(const std::string& name) {
  return name.starts_with('.') || name.starts_with("checkpoint");
}

}  // namespace

std::string media_type(std::string_view name) {
  for (const MediaType& each : kMediaTypes) {
    if (name.ends_with(each.ending)) return std::string(each.type);
  }
  return "application/octet-stream";
}

std::vector<RunArtifact> run_artifacts(const RunSummary& summary) {
  namespace fs = std::filesystem;
  std::vector<RunArtifact> artifacts;
  if (summary.folder.empty()) return artifacts;
  std::error_code failure;
  for (const auto& entry : fs::directory_iterator(summary.folder, failure)) {
    const std::string name = entry.path().filename().string();
    std::error_code ignored;
    if (!entry.is_regular_file(ignored) || is_hidden(name)) continue;
    artifacts.push_back({name, media_type(name), entry.file_size(ignored)});
  }
  std::ranges::sort(artifacts, {}, &RunArtifact::name);
  return artifacts;
}

std::vector<std::string> run_exports(
    const RunSummary& summary, const std::vector<RunArtifact>& artifacts) {
  const auto has = [&artifacts](std::string_view name) {
    return std::ranges::find(artifacts, name, &RunArtifact::name) !=
           artifacts.end();
  };
  std::vector<std::string> names;
  for (const ExportedFile& each : exported_files()) {
    if (each.kind == summary.kind && has(each.source) && !has(each.name)) {
      names.emplace_back(each.name);
    }
  }
  return names;
}

Json run_json(const RunView& run) {
  const RunSummary& summary = run.summary;
  Json artifacts = Json::array();
  bool has_model = false;
  const std::vector<RunArtifact> files = run_artifacts(summary);
  for (const RunArtifact& each : files) {
    has_model = has_model || each.name == "model.lmk" || each.name == "law.py";
    artifacts.push_back(
        {{"name", each.name}, {"type", each.type}, {"bytes", each.bytes}});
  }
  const bool can_predict =
      has_model && (summary.kind == "net" || summary.kind == "fn");
  const std::string& host = summary.process.host;
  return {{"id", run.id},
          {"kind", summary.kind},
          {"goal", summary.goal},
          {"options", summary.options},
          {"seed", summary.seed ? Json(*summary.seed) : Json()},
          {"state", run.state},
          {"message", message_of(run)},
          {"created", summary.created},
          {"updated", summary.updated},
          {"started", time_or_null(summary.started)},
          {"ended", time_or_null(summary.ended)},
          {"budget", budget_json(summary)},
          {"score", known_number(summary.score)},
          {"score_name", summary.score_name},
          {"higher_is_better", summary.is_higher_better},
          {"folder", summary.folder},
          {"artifacts", std::move(artifacts)},
          {"exports", run_exports(summary, files)},
          {"can_stop", run.can_stop()},
          {"can_resume", run.can_resume()},
          {"can_predict", can_predict},
          {"as_of", summary.seq},
          {"host", host.substr(0, host.find('/'))},
          {"pid", summary.process.pid}};
}

Json run_details_json(const RunView& run) {
  Json json = run_json(run);
  json["result"] = run.summary.result;
  json["inputs"] = run.summary.facts.value("inputs", Json::array());
  return json;
}

Json small_curve_json(const RunSummary& summary, std::size_t points) {
  Json json = Json::array();
  for (const CurvePoint& point : sampled_curve(summary.curve, points)) {
    if (!std::isfinite(point.score)) continue;
    json.push_back({point.seconds, point.score});
  }
  return json;
}

Json curve_json(const RunSummary& summary, std::size_t points) {
  Json generation = Json::array();
  Json evaluations = Json::array();
  Json seconds = Json::array();
  Json tokens = Json::array();
  Json seq = Json::array();
  Json score = Json::array();
  Json loss = Json::array();
  for (const CurvePoint& point : sampled_curve(summary.curve, points)) {
    generation.push_back(known_number(point.generation));
    evaluations.push_back(known_number(point.evaluations));
    seconds.push_back(known_number(point.seconds));
    tokens.push_back(known_number(point.tokens));
    seq.push_back(point.seq);
    score.push_back(known_number(point.score));
    loss.push_back(known_number(point.loss));
  }
  return {{"x",
           {{"generation", std::move(generation)},
            {"evaluations", std::move(evaluations)},
            {"seconds", std::move(seconds)},
            {"tokens", std::move(tokens)}}},
          {"seq", std::move(seq)},
          {"score", std::move(score)},
          {"loss", std::move(loss)},
          {"as_of", summary.seq}};
}

}  // namespace lamarck::runs
