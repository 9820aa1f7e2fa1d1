#include "lamarck/server/thought_service.h"

#include <algorithm>
#include <chrono>
#include <mutex>
#include <optional>
#include <thread>
#include <utility>

#include "lamarck/base/cancel_token.h"
#include "lamarck/base/entropy.h"
#include "lamarck/base/hash.h"
#include "lamarck/base/macros.h"
#include "lamarck/server/thought_tools.h"
#include "lamarck/store/journal_place.h"
#include "lamarck/store/journal_watch.h"
#include "lamarck/thought/thinker.h"

namespace lamarck::server {
namespace {

using std::chrono_literals::operator""ms;

constexpr std::chrono::nanoseconds kWatchInterval = 250ms;
// The pause between two polls is at least this many times the duration of a
// poll, which is long with very many sessions.
constexpr int kPauseFactor = 10;
// Without subscribers, polls only every so many intervals. Not polling at all
// would make the first poll for a new subscriber long.
constexpr int kIdleIntervals = 20;
// A change of the session list notifies every client, so changes in quick
// succession share one notification.
constexpr std::chrono::nanoseconds kListInterval = 100ms;

}  // namespace

// In the order of dependency: members are destroyed in reverse order.
struct ThoughtService::Parts {
  explicit Parts(const Clock& time) : clock(time) {}

  const Clock& clock;
  std::unique_ptr<store::Journal> journal;
  std::shared_ptr<llm::ChatModel> model;
  std::unique_ptr<thought::Thinker> thinker;  // Null without a model.
  std::unique_ptr<thought::ThoughtEngine> engine;
  std::unique_ptr<mcp::McpServer> protocol;
  std::unique_ptr<store::JournalWatch> watch;  // Null if in memory.
  Remover unwatch;
  CancelSource stop;
  std::thread watcher;

  std::mutex list_mutex;
  // Guarded by list_mutex.
  std::optional<std::chrono::nanoseconds> list_announced;
  bool is_list_due = false;  // A change was not announced yet.

  ~Parts() {
    stop.cancel("The service is stopping.");
    if (watcher.joinable()) watcher.join();
    if (unwatch) unwatch();
  }

  // Notifies subscribers. `is_new`: the run has just started.
  void announce(const std::string& run, bool is_new) {
    if (is_new) announce_list();
    if (!protocol->has_subscribers()) return;
    for (const std::string& uri : changed_resources(run)) {
      protocol->resource_updated(uri);
      protocol->resources_updated_below(uri);
    }
  }

  // Announces the first change at once; the watcher announces those that follow
  // too soon.
  void announce_list() {
    {
      const std::lock_guard lock(list_mutex);
      const auto now = clock.elapsed();
      is_list_due = list_announced && now - *list_announced < kListInterval;
      if (is_list_due) return;
      list_announced = now;
    }
    protocol->resources_changed();
  }
  void announce_list_if_due() {
    {
      const std::lock_guard lock(list_mutex);
      if (!std::exchange(is_list_due, false)) return;
      list_announced = clock.elapsed();
    }
    protocol->resources_changed();
  }

  // Called for every append of this process.
  void on_append(const store::RunAppended::Payload& appended) {
    const auto& events = appended.events;
    if (watch && !events.empty()) {
      // So that the watch does not report these events again.
      watch->note_own(appended.run, events.back().seq);
    }
    announce(appended.run, !events.empty() && events.front().seq == 1);
  }

  // Polls for events that other processes append.
  void watch_others() {
    auto interval = kWatchInterval;
    for (int i = 1; !stop.token().wait_for(interval); ++i) {
      announce_list_if_due();
      if (watch == nullptr) continue;
      if (i % kIdleIntervals != 0 && !protocol->has_subscribers()) continue;
      const auto start = clock.elapsed();
      const auto changes = watch->poll();
      interval =
          std::max(kWatchInterval, (clock.elapsed() - start) * kPauseFactor);
      if (!changes) continue;
      for (const auto& change : *changes) {
        announce(change.run, change.is_new_run);
      }
    }
  }
};

ThoughtService::ThoughtService(std::unique_ptr<Parts> parts)
    : parts_(std::move(parts)) {}
ThoughtService::~ThoughtService() = default;

Result<std::unique_ptr<ThoughtService>> ThoughtService::open(
    ThoughtServiceOptions options, Clock& clock) {
  auto parts = std::make_unique<Parts>(clock);
  ASSIGN_OR_RETURN(parts->journal,
                   store::open_journal_at(
                       {.place = options.journal, .durable = options.durable}));
  if (!options.journal.empty()) {
    ASSIGN_OR_RETURN(parts->watch, store::open_journal_watch(options.journal));
  }
  parts->model = std::move(options.model);
  if (parts->model) {
    parts->thinker = std::make_unique<thought::ModelThinker>(*parts->model);
  }
  Rng rng(entropy_seed());
  if (options.protocol.state_key.empty()) {
    // From the system's entropy, because the key must not be predictable.
    for (int i = 0; i < 4; ++i) {
      options.protocol.state_key += to_hex64(entropy_seed());
    }
  }
  parts->engine = std::make_unique<thought::ThoughtEngine>(
      thought::EngineOptions{}, *parts->journal, clock, rng.split("engine"));
  mcp::Registry registry;
  add_thought_tools({.engine = *parts->engine,
                     .journal = *parts->journal,
                     .thinker = parts->thinker.get()},
                    registry);
  if (options.add_tools) options.add_tools(registry);
  ASSIGN_OR_RETURN(
      parts->protocol,
      mcp::McpServer::create(std::move(registry), options.protocol, clock,
                             rng.split("protocol"), parts->journal.get()));
  parts->unwatch = parts->journal->use_profiler(
      [parts = parts.get()](const store::RunAppended& event) {
        parts->on_append(event.payload);
      });
  parts->watcher =
      std::thread([parts = parts.get()] { parts->watch_others(); });
  return std::unique_ptr<ThoughtService>(new ThoughtService(std::move(parts)));
}

store::Journal& ThoughtService::journal() { return *parts_->journal; }
thought::ThoughtEngine& ThoughtService::engine() { return *parts_->engine; }
mcp::McpServer& ThoughtService::protocol() { return *parts_->protocol; }

}  // namespace lamarck::server
