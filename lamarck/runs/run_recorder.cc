#include "lamarck/runs/run_recorder.h"

#include <algorithm>
#include <utility>

#include "lamarck/base/entropy.h"
#include "lamarck/base/id.h"
#include "lamarck/base/macros.h"
#include "lamarck/base/one_line.h"
#include "lamarck/runs/run_process.h"
#include "lamarck/store/journal_place.h"

namespace lamarck::runs {
namespace {

using std::chrono_literals::operator""ms;
using std::chrono_literals::operator""s;

// While nothing happens, an event says that the process is alive.
constexpr std::chrono::nanoseconds kBeatPeriod = 5s;
constexpr std::chrono::nanoseconds kSavePeriod = 10s;
constexpr std::chrono::milliseconds kMaxPause = 5'000ms;
// How soon a request to stop is seen.
constexpr std::chrono::milliseconds kLookPeriod = 500ms;
// The pause grows to this part of the run's duration.
constexpr int kPauseShare = 240;
constexpr std::size_t kMaxGoal = 300;

}  // namespace

std::string make_run_id(std::string_view kind, std::uint64_t random) {
  // Without letters and digits that look alike.
  constexpr std::string_view kDigits = "23456789abcdefghjkmnpqrstuvwxyz";
  std::string id(kind);
  id += '-';
  for (int i = 0; i < 8; ++i) {
    id += kDigits[random % kDigits.size()];
    random /= kDigits.size();
  }
  return id;
}

store::Append make_new_run(const RunStart& start, std::string event_id,
                           Clock::WallTime now, std::string_view state) {
  RunEvent created{.type = "created",
                   .payload = {{"kind", start.kind},
                               {"goal", start.goal},
                               {"options", start.options},
                               {"limits", start.limits},
                               {"folder", start.folder},
                               {"starter", start.starter}}};
  if (start.seed) created.payload["seed"] = *start.seed;
  store::Append request;
  request.run = start.id;
  request.new_run = store::Run{.id = start.id,
                               .kind = start.kind,
                               .title = one_line(start.goal, kMaxGoal),
                               .state = std::string(state),
                               .created = now,
                               .updated = now};
  request.events.push_back(make_event(created, std::move(event_id), now));
  return request;
}

RunRecorder::RunRecorder(RecorderOptions options, Clock& clock)
    : options_(std::move(options)),
      clock_(clock),
      id_(options_.start.id.empty()
              ? make_run_id(options_.start.kind, entropy_seed())
              : options_.start.id),
      ids_(clock, Rng(entropy_seed())),
      stop_(options_.cancel),
      began_(clock.elapsed()),
      thread_([this] { work(); }) {}

RunRecorder::~RunRecorder() {
  if (thread_.joinable()) {
    (void)finish(kFailed, "The run ended with an error.", nullptr);
  }
}

void RunRecorder::set_source(RunSource* source) {
  const std::lock_guard lock(mutex_);
  // Do not lose what the old one has.
  if (source_ != nullptr) source_->collect(added_);
  source_ = source;
}

void RunRecorder::add(RunEvent event) {
  const std::lock_guard lock(mutex_);
  added_.push_back(std::move(event));
}

Result<void> RunRecorder::finish(std::string_view state, std::string message,
                                 Json result) {
  set_source(nullptr);
  add({.type = "ended",
       .payload = {{"state", state},
                   {"message", std::move(message)},
                   {"result", std::move(result)}}});
  {
    const std::lock_guard lock(mutex_);
    is_finished_ = true;
  }
  changed_.notify_all();
  if (thread_.joinable()) thread_.join();
  return outcome_;
}

// ---- The thread.

std::string RunRecorder::next_event_id() { return "evt_" + ids_.next(); }

void RunRecorder::work() {
  Result<void> done = open();
  bool is_last = false;
  while (done && !is_last) {
    {
      std::unique_lock lock(mutex_);
      changed_.wait_for(lock, std::min(pause(), kLookPeriod),
                        [&] { return is_finished_; });
      is_last = is_finished_;
    }
    const auto since = clock_.elapsed() - last_append_;
    if (is_last || since >= pause()) {
      done = append_pending(is_last);
    } else {
      done = look_for_requests();
    }
  }
  const std::lock_guard lock(mutex_);
  outcome_ = std::move(done);
}

std::chrono::milliseconds RunRecorder::pause() const {
  const auto grown = std::chrono::duration_cast<std::chrono::milliseconds>(
      (clock_.elapsed() - began_) / kPauseShare);
  return std::clamp(grown, std::min(options_.interval, kMaxPause), kMaxPause);
}

Result<void> RunRecorder::open() {
  ASSIGN_OR_RETURN(journal_,
                   store::open_journal_at({.place = options_.journal}));
  RunStart start = options_.start;
  start.id = id_;
  const auto known = journal_->run(id_);
  if (!known && known.error().code() != ErrorCode::NotFound) {
    return known.error();
  }
  if (known) {
    ASSIGN_OR_RETURN(const auto checkpoint, journal_->latest_checkpoint(id_));
    if (checkpoint) {
      ASSIGN_OR_RETURN(const Json state,
                       parse_json(checkpoint->state_snapshot));
      ASSIGN_OR_RETURN(summary_, parse_run_summary(state));
    }
    RETURN_IF_ERROR(look_for_requests());
  } else {
    store::Append request =
        make_new_run(start, next_event_id(), clock_.wall_time(), kRunning);
    store::Event created = request.events.front();
    RETURN_IF_ERROR(journal_->append(std::move(request)));
    created.seq = 1;
    apply(summary_, created);
  }
  const ProcessIdentity process = this_process();
  Json facts = options_.facts;
  facts["pid"] = process.pid;
  facts["start"] = process.start;
  facts["host"] = process.host;
  facts["session"] = summary_.sessions + 1;
  facts["limits"] = start.limits;
  if (start.seed) facts["seed"] = *start.seed;
  if (!start.folder.empty()) facts["folder"] = start.folder;
  return append({{.type = "started", .payload = std::move(facts)}},
                std::string(kRunning));
}

Result<void> RunRecorder::append_pending(bool is_last) {
  std::vector<RunEvent> events;
  {
    const std::lock_guard lock(mutex_);
    if (source_ != nullptr) source_->collect(events);
    events.insert(events.end(), std::make_move_iterator(added_.begin()),
                  std::make_move_iterator(added_.end()));
    added_.clear();
  }
  const auto now = clock_.elapsed();
  if (events.empty()) {
    if (now - last_append_ < kBeatPeriod) return look_for_requests();
    events.push_back({.type = "beat"});
  }
  std::optional<std::string> state;
  if (is_last) state = events.back().payload.value("state", "");
  RETURN_IF_ERROR(append(events, std::move(state)));
  if (is_last || now - last_save_ >= kSavePeriod) {
    last_save_ = now;
    return save_summary();
  }
  return {};
}

Result<void> RunRecorder::append(const std::vector<RunEvent>& events,
                                 std::optional<std::string> new_state) {
  store::Append request;
  request.run = id_;
  const Clock::WallTime now = clock_.wall_time();
  for (const RunEvent& event : events) {
    request.events.push_back(make_event(event, next_event_id(), now));
  }
  request.new_state = std::move(new_state);
  std::vector<store::Event> stored = request.events;
  ASSIGN_OR_RETURN(const store::Appended appended,
                   journal_->append(std::move(request)));
  last_append_ = clock_.elapsed();
  const std::uint64_t before = appended.head - stored.size();
  if (before != summary_.seq) {
    // Another process has appended: a request to stop.
    RETURN_IF_ERROR(look_for_requests());
  } else {
    for (std::size_t i = 0; i < stored.size(); ++i) {
      stored[i].seq = before + i + 1;
      apply(summary_, stored[i]);
    }
  }
  return {};
}

// Also brings the summary up to date.
Result<void> RunRecorder::look_for_requests() {
  ASSIGN_OR_RETURN(const std::vector<store::Event> events,
                   journal_->events(id_, summary_.seq));
  for (const store::Event& event : events) apply(summary_, event);
  if (summary_.state == kStopping) {
    stop_.cancel("The run was stopped on request.");
  }
  return {};
}

Result<void> RunRecorder::save_summary() {
  ASSIGN_OR_RETURN(const auto last, journal_->events(id_, summary_.seq - 1, 1));
  if (last.empty()) return {};
  return journal_->save_checkpoint(
      {.run = id_,
       .seq = summary_.seq,
       .last_event_id = last.front().id,
       .state_snapshot = dump_json(to_json(summary_)),
       .ts = clock_.wall_time()});
}

}  // namespace lamarck::runs
