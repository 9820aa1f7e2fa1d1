// Lists and shows the runs of a journal: evolutions, thought sessions and agent
// tasks.

#pragma once

#include <cstdint>
#include <map>
#include <mutex>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "lamarck/base/clock.h"
#include "lamarck/base/json.h"
#include "lamarck/base/result.h"
#include "lamarck/runs/run_summary.h"
#include "lamarck/store/journal.h"

namespace lamarck::runs {

// A run as it is now: its summary, with the state "dead" if its process ended
// without saying so.
struct RunView {
  std::string id;
  RunSummary summary;
  std::string state;
  // The run that replaced the files of this one; then `summary.folder` is "".
  std::string replaced_by = {};

  bool is_active() const;  // queued, running or stopping.
  bool can_stop() const;
  bool can_resume() const;
};

struct RunQuery {
  std::string kind;   // "" = all.
  std::string state;  // "" = all.
  std::string text;   // In the id, the goal or the options, in any case.
  std::string after;  // The last run of the previous page.
  std::size_t limit = 50;
};

struct RunPage {
  std::vector<RunView> runs;  // Newest first.
  std::string next;           // For RunQuery::after; "" at the end.
};

// Keeps the summaries of the runs that were asked for, and applies only new
// events. Thread safety: all members may be called from any thread.
class RunCatalog {
 public:
  // Both must outlive the object.
  RunCatalog(store::Journal& journal, Clock& clock);

  Result<RunPage> list(const RunQuery& query);
  // Fails with NotFound, also for a removed run.
  Result<RunView> find(std::string_view id);
  // Like `find`, for a part of an id that only one run begins with, and for
  // "last", the newest run that evolves something, or "last-KIND", the newest
  // of a kind.
  Result<RunView> find_by_prefix(const std::string& text);
  // The runs that changed after a time in milliseconds, oldest change first.
  Result<std::vector<RunView>> changed_since(std::int64_t time);

  store::Journal& journal() { return journal_; }
  Clock& clock() { return clock_; }

 private:
  Result<RunView> make_view(const store::Run& run);
  Result<RunSummary> read_summary(const store::Run& run);
  std::string current_state(const RunSummary& summary) const;

  store::Journal& journal_;
  Clock& clock_;
  std::mutex mutex_;
  std::map<std::string, RunSummary, std::less<>> known_;  // Guarded by mutex_.
};

// The run object of the HTTP interface and of --json; see docs/runs.md.
Json run_json(const RunView& run);
// The same with its result.
Json run_details_json(const RunView& run);
// [[seconds, score], ...] with at most `points` points.
Json small_curve_json(const RunSummary& summary, std::size_t points);
// {"x": {"generation": [], "tokens": [], ...}, "seq": [], "score": [], "loss":
// []}.
Json curve_json(const RunSummary& summary, std::size_t points);

// The files of a run, by name.
struct RunArtifact {
  std::string name;
  std::string type;  // Media type.
  std::uint64_t bytes = 0;
};
std::vector<RunArtifact> run_artifacts(const RunSummary& summary);
// The names of the files that `lamarck export` can make from the result of a
// run and that the run does not have: model.onnx, model.cc, ...
std::vector<std::string> run_exports(const RunSummary& summary,
                                     const std::vector<RunArtifact>& artifacts);
// The media type of a file by its name.
std::string media_type(std::string_view name);

}  // namespace lamarck::runs
