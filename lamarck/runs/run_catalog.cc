#include "lamarck/runs/run_catalog.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "lamarck/agent/agent_run.h"
#include "lamarck/base/ascii.h"
#include "lamarck/base/macros.h"
#include "lamarck/base/one_line.h"
#include "lamarck/runs/record_file.h"
#include "lamarck/runs/run_event.h"

namespace lamarck::runs {
namespace {

constexpr std::size_t kPage = 200;
constexpr std::size_t kMaxKnown = 2'000;
// A run on another machine is dead after this time without an event; the
// recorder writes at least every 5 s.
constexpr std::int64_t kSilence = 20'000;

// Sessions and tasks have no summary of their own; their list entry has all
// that is needed.
std::string state_elsewhere(const store::Run& run) {
  std::string state;
  for (const char c : run.state) state += ascii::lower(c);
  if (state == "end" || state == "complete" || state == "completed" ||
      state == "done") {
    return std::string(kDone);
  }
  if (state == "failed" || state == "timeout" || state == "budget_exceeded") {
    return std::string(kFailed);
  }
  if (state == "paused" || state == "stopped") {
    return std::string(kInterrupted);
  }
  if (state == kQueued || state == kWaiting) return state;
  return std::string(kRunning);
}

RunSummary entry_summary(const store::Run& run) {
  RunSummary summary;
  summary.kind = run.kind;
  summary.goal = run.title;
  summary.state = state_elsewhere(run);
  summary.created = milliseconds_since_1970(run.created);
  summary.updated = milliseconds_since_1970(run.updated);
  summary.started = summary.created;
  summary.seq = run.head;
  return summary;
}

bool contains_text(std::string_view text, std::string_view part) {
  const auto found = std::search(
      text.begin(), text.end(), part.begin(), part.end(),
      [](char a, char b) { return ascii::lower(a) == ascii::lower(b); });
  return found != text.end();
}

bool matches(const RunView& run, const RunQuery& query) {
  if (run.state == kRemoved) return false;
  if (!query.state.empty() && run.state != query.state) return false;
  if (query.text.empty()) return true;
  return contains_text(run.id, query.text) ||
         contains_text(run.summary.goal, query.text) ||
         contains_text(dump_json(run.summary.options), query.text);
}

Error no_run(std::string_view id) {
  return {ErrorCode::NotFound,
          "There is no run " + in_quotes(id) +
              " in this journal; `lamarck runs list` shows those that exist.",
          {{"run", std::string(id)}}};
}

}  // namespace

bool RunView::is_active() const {
  return state == kQueued || state == kRunning || state == kStopping;
}

bool RunView::can_stop() const {
  return is_evolving_kind(summary.kind) &&
         (state == kQueued || state == kRunning);
}

bool RunView::can_resume() const {
  return is_evolving_kind(summary.kind) && replaced_by.empty() &&
         (state == kInterrupted || state == kDead);
}

RunCatalog::RunCatalog(store::Journal& journal, Clock& clock)
    : journal_(journal), clock_(clock) {}

std::string RunCatalog::current_state(const RunSummary& summary) const {
  if (summary.state != kRunning && summary.state != kStopping) {
    return summary.state;
  }
  // Sessions have no process.
  if (summary.process.pid == 0 && !is_evolving_kind(summary.kind)) {
    return summary.state;
  }
  switch (find_liveness(summary.process)) {
    case Liveness::Alive:
      return summary.state;
    case Liveness::Dead:
      return std::string(kDead);
    default:
      break;
  }
  const std::int64_t now = milliseconds_since_1970(clock_.wall_time());
  return now - summary.updated > kSilence ? std::string(kDead) : summary.state;
}

Result<RunSummary> RunCatalog::read_summary(const store::Run& run) {
  RunSummary summary;
  {
    const std::lock_guard lock(mutex_);
    const auto found = known_.find(run.id);
    if (found != known_.end()) summary = found->second;
  }
  if (summary.seq == run.head) return summary;
  if (summary.seq == 0) {
    ASSIGN_OR_RETURN(const auto saved, journal_.latest_checkpoint(run.id));
    if (saved) {
      ASSIGN_OR_RETURN(const Json state, parse_json(saved->state_snapshot));
      ASSIGN_OR_RETURN(summary, parse_run_summary(state));
    }
  }
  while (true) {
    ASSIGN_OR_RETURN(const auto events,
                     journal_.events(run.id, summary.seq, kPage));
    for (const store::Event& event : events) apply(summary, event);
    if (events.size() < kPage) break;
  }
  const std::lock_guard lock(mutex_);
  if (known_.size() >= kMaxKnown) known_.clear();
  known_[run.id] = summary;
  return summary;
}

Result<RunView> RunCatalog::make_view(const store::Run& run) {
  RunView view{.id = run.id, .summary = {}, .state = ""};
  if (is_evolving_kind(run.kind)) {
    ASSIGN_OR_RETURN(view.summary, read_summary(run));
    if (!view.summary.folder.empty()) {
      const std::string id = read_record_id(view.summary.folder);
      if (!id.empty() && id != run.id) {
        view.replaced_by = id;
        view.summary.folder.clear();
      }
    }
  } else {
    view.summary = entry_summary(run);
    if (run.kind == agent::kAgentRunKind && view.summary.state == kRunning) {
      ASSIGN_OR_RETURN(const RunSummary read, read_summary(run));
      view.summary.process = read.process;
    }
  }
  view.state = run.state == kRemoved ? run.state : current_state(view.summary);
  return view;
}

Result<RunView> RunCatalog::find(std::string_view id) {
  const auto run = journal_.run(id);
  if (!run) {
    return run.error().code() == ErrorCode::NotFound ? no_run(id) : run.error();
  }
  if (!is_run_kind(run->kind) || run->state == kRemoved) return no_run(id);
  return make_view(*run);
}

Result<RunView> RunCatalog::find_by_prefix(const std::string& text) {
  // "last-net", "last-agent" and so on.
  const std::string kind =
      text.starts_with("last-") ? text.substr(sizeof("last-") - 1) : "";
  const bool is_last = text == "last" || is_run_kind(kind);
  if (auto exact = find(text);
      exact || exact.error().code() != ErrorCode::NotFound) {
    return exact;
  }
  std::optional<store::Run> match;
  store::RunFilter filter{.limit = kPage};
  while (true) {
    ASSIGN_OR_RETURN(const auto runs, journal_.runs(filter));
    for (const store::Run& run : runs) {
      if (!is_run_kind(run.kind) || run.state == kRemoved) continue;
      if (is_last &&
          (kind.empty() ? is_evolving_kind(run.kind) : run.kind == kind)) {
        return make_view(run);
      }
      if (!run.id.starts_with(text)) continue;
      if (match) {
        return Error(ErrorCode::InvalidArgument,
                     fmt::format("{} could be {} or {}; write more of the id.",
                                 in_quotes(text), run.id, match->id));
      }
      match = run;
    }
    if (runs.size() < filter.limit) break;
    filter.after = runs.back().id;
  }
  if (!match) return no_run(text);
  return make_view(*match);
}

Result<RunPage> RunCatalog::list(const RunQuery& query) {
  RunPage page;
  store::RunFilter filter{
      .kind = query.kind, .after = query.after, .limit = kPage};
  while (true) {
    ASSIGN_OR_RETURN(const auto runs, journal_.runs(filter));
    for (const store::Run& run : runs) {
      if (!is_run_kind(run.kind) || run.state == kRemoved) continue;
      ASSIGN_OR_RETURN(RunView view, make_view(run));
      if (!matches(view, query)) continue;
      if (page.runs.size() == query.limit) {
        page.next = page.runs.back().id;
        return page;
      }
      page.runs.push_back(std::move(view));
    }
    if (runs.size() < filter.limit) return page;
    filter.after = runs.back().id;
  }
}

Result<std::vector<RunView>> RunCatalog::changed_since(std::int64_t time) {
  std::vector<RunView> changed;
  store::RunFilter filter{.limit = kPage};
  while (true) {
    ASSIGN_OR_RETURN(const auto runs, journal_.runs(filter));
    for (const store::Run& run : runs) {
      if (!is_run_kind(run.kind)) continue;
      if (milliseconds_since_1970(run.updated) <= time) continue;
      ASSIGN_OR_RETURN(RunView view, make_view(run));
      changed.push_back(std::move(view));
    }
    if (runs.size() < filter.limit) break;
    filter.after = runs.back().id;
  }
  std::ranges::stable_sort(
      changed, {}, [](const RunView& run) { return run.summary.updated; });
  return changed;
}

}  // namespace lamarck::runs
