#include "lamarck/runs/run_summary.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>

#include "lamarck/runs/run_event.h"

namespace lamarck::runs {
namespace {

constexpr std::size_t kMaxCurve = 1'000;
constexpr double kUnknown = std::numeric_limits<double>::quiet_NaN();

double number_in(const Json& json, const char* name, double otherwise) {
  const auto found = json.find(name);
  if (found == json.end() || !found->is_number()) return otherwise;
  return found->get<double>();
}

std::int64_t integer_in(const Json& json, const char* name) {
  const auto found = json.find(name);
  if (found == json.end() || !found->is_number_integer()) return 0;
  return found->get<std::int64_t>();
}

std::string text_in(const Json& json, const char* name) {
  const auto found = json.find(name);
  return found != json.end() && found->is_string() ? found->get<std::string>()
                                                   : std::string();
}

bool flag_in(const Json& json, const char* name, bool otherwise = false) {
  const auto found = json.find(name);
  return found != json.end() && found->is_boolean() ? found->get<bool>()
                                                    : otherwise;
}

Json member_in(const Json& json, const char* name, Json otherwise) {
  const auto found = json.find(name);
  if (found != json.end()) return *found;
  return otherwise;
}

void read_seed(RunSummary& summary, const Json& payload) {
  const auto seed = payload.find("seed");
  if (seed == payload.end() || !seed->is_number_integer()) return;
  summary.seed = seed->get<std::uint64_t>();
}

ProcessIdentity process_in(const Json& payload) {
  return {.pid = integer_in(payload, "pid"),
          .start = static_cast<std::uint64_t>(integer_in(payload, "start")),
          .host = text_in(payload, "host")};
}

void apply_created(RunSummary& summary, const Json& payload) {
  summary.kind = text_in(payload, "kind");
  summary.goal = text_in(payload, "goal");
  summary.options = member_in(payload, "options", Json::object());
  read_seed(summary, payload);
  summary.limits = member_in(payload, "limits", Json::array());
  summary.starter = text_in(payload, "starter");
  summary.folder = text_in(payload, "folder");
}

void apply_started(RunSummary& summary, const Json& payload,
                   std::int64_t time) {
  summary.state = kRunning;
  if (summary.started == 0) summary.started = time;
  summary.ended = 0;
  summary.message.clear();
  summary.result = nullptr;
  summary.is_stop_wanted = false;
  ++summary.sessions;
  // An evolution of networks counts all sessions itself.
  if (summary.kind != "net") summary.seconds_before = summary.seconds;
  summary.process = process_in(payload);
  read_seed(summary, payload);  // The default, if none was asked for.
  summary.facts = payload;
  if (payload.contains("limits")) summary.limits = payload["limits"];
  if (payload.contains("folder")) summary.folder = text_in(payload, "folder");
  if (payload.contains("score_name")) {
    summary.score_name = text_in(payload, "score_name");
    summary.is_higher_better = flag_in(payload, "higher_is_better", true);
  }
}

// A resumed run goes on from its checkpoint: what its killed process did after
// that is lost.
void drop_lost_points(RunSummary& summary, const Json& payload) {
  const double evaluations = number_in(payload, "evaluations", kUnknown);
  auto& curve = summary.curve;
  if (summary.sessions < 2 || curve.empty() ||
      !(curve.back().evaluations > evaluations)) {
    return;
  }
  while (!curve.empty() && curve.back().evaluations > evaluations) {
    curve.pop_back();
  }
  if (summary.kind != "net") {
    summary.seconds_before = curve.empty() ? 0 : curve.back().seconds;
  }
}

void apply_numbers(RunSummary& summary, const Json& payload,
                   std::uint64_t seq) {
  drop_lost_points(summary, payload);
  summary.generations = number_in(payload, "generation", summary.generations);
  summary.evaluations = number_in(payload, "evaluations", summary.evaluations);
  const double seconds = number_in(payload, "seconds", kUnknown);
  if (std::isfinite(seconds)) {
    summary.seconds = summary.seconds_before + seconds;
  }
  summary.score = number_in(payload, "score", summary.score);
  summary.loss = number_in(payload, "loss", summary.loss);
  // The recommended law may have a larger error than the best one: then it is
  // the result, but not a point of the curve of the best error.
  const bool is_final = flag_in(payload, "final", false);
  if (is_final && !summary.curve.empty() &&
      !(summary.score <= summary.curve.back().score)) {
    return;
  }
  summary.curve.push_back(
      {.seq = seq,
       .generation = number_in(payload, "generation", kUnknown),
       .evaluations = summary.evaluations,
       .seconds = summary.seconds,
       .score = summary.score,
       .loss = summary.loss,
       .tokens = number_in(payload, "tokens", kUnknown)});
  if (summary.curve.size() > kMaxCurve) {
    summary.curve = sampled_curve(summary.curve, kMaxCurve / 2);
  }
}

void apply_ended(RunSummary& summary, const Json& payload, std::int64_t time) {
  summary.state = text_in(payload, "state");
  summary.message = text_in(payload, "message");
  summary.result = member_in(payload, "result", nullptr);
  summary.ended = time;
  // Rows that were held out judge a model better than those it was chosen by.
  if (summary.result.is_object()) {
    summary.score = number_in(summary.result, "test_score", summary.score);
  }
}

Json number_or_null(double value) {
  return std::isfinite(value) ? Json(value) : Json();
}

}  // namespace

RunSummary::RunSummary() : score(kUnknown), loss(kUnknown) {}

bool RunSummary::is_over() const {
  return state == kDone || state == kFailed || state == kInterrupted ||
         state == kRemoved;
}

void apply(RunSummary& summary, const store::Event& event) {
  const std::int64_t time = milliseconds_since_1970(event.ts);
  summary.seq = event.seq;
  summary.updated = std::max(summary.updated, time);
  const std::string& type = event.type;
  if (type == "beat" || type == "mutations") return;
  const Json payload = event_payload(event);
  if (type == "created") {
    summary.created = time;
    apply_created(summary, payload);
  } else if (type == "started") {
    apply_started(summary, payload, time);
  } else if (type == "agent_started" || type == "agent_resumed") {
    summary.process = process_in(member_in(payload, "process", Json::object()));
  } else if (type == "progress") {
    apply_numbers(summary, payload, event.seq);
  } else if (type == "best" || type == "front" || type == "program") {
    summary.pictures.push_back(event.seq);
    if (type != "front") apply_numbers(summary, payload, event.seq);
  } else if (type == "stop_requested") {
    summary.is_stop_wanted = true;
    if (summary.state == kRunning) summary.state = kStopping;
  } else if (type == "ended") {
    apply_ended(summary, payload, time);
  } else if (type == "removed") {
    summary.state = kRemoved;
  } else if (type == "queued") {
    summary.state = kQueued;
    summary.is_stop_wanted = false;
    summary.process = process_in(payload);
  } else if (type == "note" && payload.contains("words")) {
    summary.process = process_in(payload);
  }
}

std::vector<CurvePoint> sampled_curve(const std::vector<CurvePoint>& curve,
                                      std::size_t count) {
  if (curve.size() <= count) return curve;
  if (count < 4) return {curve.back()};
  const std::size_t groups = (count - 1) / 2;
  std::vector<CurvePoint> kept;
  for (std::size_t group = 0; group < groups; ++group) {
    const std::size_t begin = group * curve.size() / groups;
    const std::size_t end = (group + 1) * curve.size() / groups;
    std::size_t low = begin;
    std::size_t high = begin;
    for (std::size_t i = begin; i < end; ++i) {
      if (curve[i].score < curve[low].score) low = i;
      if (curve[i].score > curve[high].score) high = i;
    }
    kept.push_back(curve[std::min(low, high)]);
    if (low != high) kept.push_back(curve[std::max(low, high)]);
  }
  if (kept.back().seq != curve.back().seq) kept.push_back(curve.back());
  return kept;
}

Json to_json(const RunSummary& summary) {
  Json curve = Json::array();
  for (const CurvePoint& point : summary.curve) {
    curve.push_back({point.seq, number_or_null(point.generation),
                     point.evaluations, point.seconds,
                     number_or_null(point.score), number_or_null(point.loss),
                     number_or_null(point.tokens)});
  }
  return {{"kind", summary.kind},
          {"goal", summary.goal},
          {"options", summary.options},
          {"seed", summary.seed ? Json(*summary.seed) : Json()},
          {"state", summary.state},
          {"message", summary.message},
          {"created", summary.created},
          {"updated", summary.updated},
          {"started", summary.started},
          {"ended", summary.ended},
          {"limits", summary.limits},
          {"generations", summary.generations},
          {"evaluations", summary.evaluations},
          {"seconds", summary.seconds},
          {"seconds_before", summary.seconds_before},
          {"score", number_or_null(summary.score)},
          {"loss", number_or_null(summary.loss)},
          {"score_name", summary.score_name},
          {"higher_is_better", summary.is_higher_better},
          {"facts", summary.facts},
          {"folder", summary.folder},
          {"starter", summary.starter},
          {"pid", summary.process.pid},
          {"process_start", summary.process.start},
          {"host", summary.process.host},
          {"sessions", summary.sessions},
          {"is_stop_wanted", summary.is_stop_wanted},
          {"result", summary.result},
          {"curve", std::move(curve)},
          {"pictures", summary.pictures},
          {"seq", summary.seq}};
}

Result<RunSummary> parse_run_summary(const Json& json) {
  const Error damaged(ErrorCode::DataDamaged,
                      "The checkpoint of the run is not a summary.");
  if (!json.is_object() || !json.contains("seq")) return damaged;
  RunSummary summary;
  summary.kind = text_in(json, "kind");
  summary.goal = text_in(json, "goal");
  summary.options = member_in(json, "options", Json::object());
  const auto seed = json.find("seed");
  if (seed != json.end() && seed->is_number_integer()) {
    summary.seed = seed->get<std::uint64_t>();
  }
  summary.state = text_in(json, "state");
  summary.message = text_in(json, "message");
  summary.created = integer_in(json, "created");
  summary.updated = integer_in(json, "updated");
  summary.started = integer_in(json, "started");
  summary.ended = integer_in(json, "ended");
  summary.limits = member_in(json, "limits", Json::array());
  summary.generations = number_in(json, "generations", 0);
  summary.evaluations = number_in(json, "evaluations", 0);
  summary.seconds = number_in(json, "seconds", 0);
  summary.seconds_before = number_in(json, "seconds_before", 0);
  summary.score = number_in(json, "score", kUnknown);
  summary.loss = number_in(json, "loss", kUnknown);
  summary.score_name = text_in(json, "score_name");
  summary.is_higher_better = flag_in(json, "higher_is_better", true);
  summary.facts = member_in(json, "facts", Json::object());
  summary.folder = text_in(json, "folder");
  summary.starter = text_in(json, "starter");
  summary.process = {
      .pid = integer_in(json, "pid"),
      .start = static_cast<std::uint64_t>(integer_in(json, "process_start")),
      .host = text_in(json, "host")};
  summary.sessions = integer_in(json, "sessions");
  summary.is_stop_wanted = flag_in(json, "is_stop_wanted");
  summary.result = member_in(json, "result", nullptr);
  for (const Json& point : member_in(json, "curve", Json::array())) {
    // Older checkpoints have no tokens.
    if (!point.is_array() || point.size() < 6 || point.size() > 7 ||
        !point[0].is_number_unsigned()) {
      return damaged;
    }
    const auto at = [&](std::size_t i) {
      const bool is_known = i < point.size() && point[i].is_number();
      return is_known ? point[i].get<double>() : kUnknown;
    };
    summary.curve.push_back({.seq = static_cast<std::uint64_t>(at(0)),
                             .generation = at(1),
                             .evaluations = at(2),
                             .seconds = at(3),
                             .score = at(4),
                             .loss = at(5),
                             .tokens = at(6)});
  }
  for (const Json& seq : member_in(json, "pictures", Json::array())) {
    if (!seq.is_number_unsigned()) return damaged;
    summary.pictures.push_back(seq.get<std::uint64_t>());
  }
  summary.seq = static_cast<std::uint64_t>(integer_in(json, "seq"));
  return summary;
}

}  // namespace lamarck::runs
