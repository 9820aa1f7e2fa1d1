// The summary of a run, computed by applying its events in order: what lists,
// details and curves show. Its JSON form is the state of a checkpoint, so that
// a list need not read all events.

#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>
#include <nlohmann/json.hpp>

#include "lamarck/base/json.h"
#include "lamarck/base/result.h"
#include "lamarck/runs/run_process.h"
#include "lamarck/store/event.h"

namespace lamarck::runs {

// States. "dead" is not among them: it depends on processes, not on events.
inline constexpr std::string_view kQueued = "queued";
inline constexpr std::string_view kRunning = "running";
inline constexpr std::string_view kStopping = "stopping";
inline constexpr std::string_view kWaiting = "waiting";  // For a permission.
inline constexpr std::string_view kDone = "done";
inline constexpr std::string_view kFailed = "failed";
inline constexpr std::string_view kInterrupted = "interrupted";
inline constexpr std::string_view kDead = "dead";
inline constexpr std::string_view kRemoved = "removed";

struct CurvePoint {
  std::uint64_t seq = 0;
  // NaN if unknown.
  double generation = 0;
  double evaluations = 0;
  double seconds = 0;
  double score = 0;
  double loss = 0;
  double tokens = 0;  // Of a language model.
};

struct RunSummary {
  std::string kind;
  std::string goal;
  Json options = Json::object();
  std::optional<std::uint64_t> seed;
  std::string state = std::string(kQueued);
  std::string message;  // Why it ended.
  std::int64_t created = 0;
  std::int64_t updated = 0;
  std::int64_t started = 0;  // 0 = not yet.
  std::int64_t ended = 0;    // 0 = not yet.

  Json limits = Json::array();  // [{"limit": 30, "unit": "seconds"}].
  double generations = 0;       // Spent.
  double evaluations = 0;
  double seconds = 0;
  double seconds_before = 0;  // In earlier sessions; their events start at 0.

  double score;  // NaN without one.
  double loss;
  std::string score_name;
  bool is_higher_better = true;

  Json facts = Json::object();  // Of the event "started".
  std::string folder;
  std::string starter;  // "command" or "server".
  // Runs it, or has it in its queue.
  ProcessIdentity process;
  std::int64_t sessions = 0;    // How often it was started.
  bool is_stop_wanted = false;  // Since it was last started.
  Json result;                  // Null until it has ended.
  std::vector<CurvePoint> curve;
  std::vector<std::uint64_t> pictures;  // Events best, front and program.
  std::uint64_t seq = 0;                // The last event applied.

  RunSummary();
  bool is_over() const;
};

// Ignores events of unknown types. REQUIRES: event.seq is summary.seq + 1, or
// any later one.
void apply(RunSummary& summary, const store::Event& event);

Json to_json(const RunSummary& summary);
// Fails with DataDamaged.
Result<RunSummary> parse_run_summary(const Json& json);

// The points thinned to at most `count`, from which each group keeps its
// smallest and largest score, and the last point.
std::vector<CurvePoint> sampled_curve(const std::vector<CurvePoint>& curve,
                                      std::size_t count);

}  // namespace lamarck::runs
