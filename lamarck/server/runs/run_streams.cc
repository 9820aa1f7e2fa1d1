#include "lamarck/server/runs/run_streams.h"

#include <algorithm>
#include <utility>
#include <nlohmann/json.hpp>

#include "lamarck/base/json.h"
#include "lamarck/runs/run_event.h"

namespace lamarck::server {
namespace {

using std::chrono_literals::operator""ms;
using std::chrono_literals::operator""s;

constexpr std::chrono::milliseconds kTick = 120ms;
constexpr std::chrono::nanoseconds kOverviewPeriod = 500ms;
constexpr std::chrono::nanoseconds kBeat = 15s;
constexpr std::size_t kEventsPerMessage = 500;
// A reader that missed more loads the view again.
constexpr std::uint64_t kMaxMissed = 5'000;
constexpr std::size_t kOverviewCurve = 40;

net::HttpHeaders stream_headers() {
  return {{"Content-Type", "text/event-stream"},
          {"Cache-Control", "no-store"},
          {"X-Accel-Buffering", "no"}};
}

Json overview_json(const runs::RunView& run) {
  Json json = runs::run_json(run);
  json["curve"] = runs::small_curve_json(run.summary, kOverviewCurve);
  return json;
}

}  // namespace

RunStreams::RunStreams(runs::RunCatalog& catalog, const std::string& journal)
    : catalog_(catalog) {
  if (!journal.empty()) {
    if (auto watch = store::open_journal_watch(journal)) {
      watch_ = *std::move(watch);
    }
  }
  unwatch_ = catalog_.journal().use_profiler(
      [this](const store::RunAppended& appended) {
        const std::lock_guard lock(mutex_);
        if (!streams_.empty()) appended_.insert(appended.payload.run);
      });
  thread_ = std::thread([this] { work(); });
}

RunStreams::~RunStreams() {
  unwatch_();
  stop();
}

void RunStreams::open(const std::string& run,
                      std::optional<std::uint64_t> after,
                      std::shared_ptr<net::HttpExchange> exchange) {
  auto stream = std::make_shared<Stream>();
  stream->run = run;
  if (after) {
    stream->after = *after;
  } else if (run.empty()) {
    stream->after = static_cast<std::uint64_t>(
        runs::milliseconds_since_1970(catalog_.clock().wall_time()));
  }
  stream->is_closed = std::make_shared<bool>(false);
  stream->exchange = exchange;
  stream->last_sent = catalog_.clock().elapsed();
  exchange->begin(200, stream_headers());
  exchange->write("retry: 1000\n\n");
  exchange->on_closed([this, closed = stream->is_closed] {
    const std::lock_guard lock(mutex_);
    *closed = true;
  });
  {
    const std::lock_guard lock(mutex_);
    if (!is_stopping_) {
      streams_.push_back(std::move(stream));
      exchange = nullptr;
    }
  }
  if (exchange != nullptr) exchange->end();
  changed_.notify_all();
}

std::size_t RunStreams::count() {
  const std::lock_guard lock(mutex_);
  return streams_.size();
}

void RunStreams::stop() {
  std::vector<std::shared_ptr<Stream>> ended;
  {
    const std::lock_guard lock(mutex_);
    is_stopping_ = true;
    ended = std::exchange(streams_, {});
  }
  changed_.notify_all();
  for (const auto& stream : ended) stream->exchange->end();
  if (thread_.joinable()) thread_.join();
}

void RunStreams::work() {
  while (true) {
    std::vector<std::shared_ptr<Stream>> streams;
    {
      std::unique_lock lock(mutex_);
      changed_.wait(lock, [&] { return is_stopping_ || !streams_.empty(); });
      if (is_stopping_) return;
      std::erase_if(streams_,
                    [](const auto& stream) { return *stream->is_closed; });
      streams = streams_;
    }
    serve(streams);
    std::unique_lock lock(mutex_);
    if (changed_.wait_for(lock, kTick, [&] { return is_stopping_; })) return;
  }
}

void RunStreams::serve(std::vector<std::shared_ptr<Stream>>& streams) {
  const auto now = catalog_.clock().elapsed();
  std::vector<std::shared_ptr<Stream>> overviews;
  for (const auto& stream : streams) {
    if (stream->run.empty()) {
      overviews.push_back(stream);
    } else {
      send_run_events(*stream);
    }
  }
  const bool has_new = std::ranges::any_of(
      overviews, [](const auto& stream) { return stream->is_new; });
  if (!overviews.empty() && (has_new || now >= next_overview_)) {
    next_overview_ = now + kOverviewPeriod;
    send_overview(overviews);
  }
  for (const auto& stream : streams) {
    if (now - stream->last_sent < kBeat) continue;
    stream->last_sent = now;
    stream->exchange->write(": beat\n\n");
  }
}

void RunStreams::send(Stream& stream, std::string_view type, std::uint64_t id,
                      const Json& data) {
  stream.last_sent = catalog_.clock().elapsed();
  stream.exchange->write("id: " + std::to_string(id) +
                         "\nevent: " + std::string(type) +
                         "\ndata: " + dump_json(data) + "\n\n");
}

void RunStreams::send_run_events(Stream& stream) {
  const auto run = catalog_.find(stream.run);
  if (!run) {
    if (std::exchange(stream.state, std::string(runs::kRemoved)) !=
        runs::kRemoved) {
      send(stream, "run", stream.after,
           {{"id", stream.run}, {"state", runs::kRemoved}});
    }
    return;
  }
  const std::uint64_t head = run->summary.seq;
  if (head > stream.after + kMaxMissed) {
    stream.after = head;
    send(stream, "reset", head, {{"as_of", head}});
  } else if (head > stream.after) {
    const auto events =
        catalog_.journal().events(stream.run, stream.after, kEventsPerMessage);
    if (!events || events->empty()) return;
    Json list = Json::array();
    for (const store::Event& event : *events) {
      list.push_back(runs::event_json(event));
    }
    stream.after = events->back().seq;
    send(stream, "events", stream.after,
         {{"run", stream.run}, {"events", std::move(list)}});
  }
  // Also when the process dies, which no event says.
  if (std::exchange(stream.state, run->state) != run->state) {
    send(stream, "run", stream.after, runs::run_json(*run));
  }
}

std::set<std::string> RunStreams::take_changed() {
  std::set<std::string> changed;
  {
    const std::lock_guard lock(mutex_);
    changed.swap(appended_);
  }
  if (watch_ != nullptr) {
    if (const auto changes = watch_->poll()) {
      for (const auto& change : *changes) changed.insert(change.run);
    }
  }
  return changed;
}

void RunStreams::send_overview(std::vector<std::shared_ptr<Stream>>& streams) {
  std::set<std::string> changed = take_changed();
  for (const auto& stream : streams) {
    if (!std::exchange(stream->is_new, false)) continue;
    const auto missed =
        catalog_.changed_since(static_cast<std::int64_t>(stream->after));
    if (!missed) continue;
    for (const runs::RunView& run : *missed) {
      stream->after = std::max(stream->after,
                               static_cast<std::uint64_t>(run.summary.updated));
      send(*stream, "run", stream->after, overview_json(run));
    }
  }
  changed.insert(active_.begin(), active_.end());
  for (const std::string& id : changed) {
    const auto run = catalog_.find(id);
    if (!run) {
      active_.erase(id);
      const auto stored = catalog_.journal().run(id);
      if (!stored || stored->state != runs::kRemoved) continue;
      for (const auto& stream : streams) {
        send(*stream, "run", stream->after,
             {{"id", id}, {"state", runs::kRemoved}});
      }
      continue;
    }
    const bool was_active = active_.contains(id);
    if (run->is_active()) {
      active_.insert(id);
    } else {
      active_.erase(id);
    }
    const bool has_ended = was_active && !run->is_active();
    const Json json = overview_json(*run);
    for (const auto& stream : streams) {
      const auto updated = static_cast<std::uint64_t>(run->summary.updated);
      if (updated <= stream->after && !has_ended) continue;
      send(*stream, "run", std::max(stream->after, updated), json);
    }
  }
  // After all runs, so that one does not hide another.
  for (const std::string& id : changed) {
    const auto run = catalog_.journal().run(id);
    if (!run) continue;
    const auto updated =
        static_cast<std::uint64_t>(runs::milliseconds_since_1970(run->updated));
    for (const auto& stream : streams) {
      stream->after = std::max(stream->after, updated);
    }
  }
}

}  // namespace lamarck::server
