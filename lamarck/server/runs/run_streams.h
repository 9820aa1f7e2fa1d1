// Streams of server-sent events about runs. A thread reads the journal for all
// of them while there are any, because runs write it from other processes.

#pragma once

#include <chrono>
#include <condition_variable>
#include <cstdint>
#include <memory>
#include <mutex>
#include <optional>
#include <set>
#include <string>
#include <thread>
#include <vector>

#include "lamarck/base/profiler.h"
#include "lamarck/net/http_server.h"
#include "lamarck/runs/run_catalog.h"
#include "lamarck/store/journal_watch.h"

namespace lamarck::server {

// Thread safety: all members may be called from any thread.
class RunStreams {
 public:
  // `catalog` must outlive the object. `journal` is its place; "" = in memory.
  RunStreams(runs::RunCatalog& catalog, const std::string& journal);
  ~RunStreams();
  RunStreams(const RunStreams&) = delete;
  RunStreams& operator=(const RunStreams&) = delete;

  // Streams the events of a run after `after`; without a run, changes of all
  // runs after that time. nullopt = from now on.
  void open(const std::string& run, std::optional<std::uint64_t> after,
            std::shared_ptr<net::HttpExchange> exchange);
  std::size_t count();
  void stop();

 private:
  struct Stream {
    std::string run;  // "" = the overview.
    std::uint64_t after = 0;
    std::shared_ptr<net::HttpExchange> exchange;
    std::shared_ptr<bool> is_closed;  // Guarded by mutex_.
    std::string state;                // Of the run, as last sent.
    std::chrono::nanoseconds last_sent{0};
    bool is_new = true;
  };

  void work();
  void serve(std::vector<std::shared_ptr<Stream>>& streams);
  void send_run_events(Stream& stream);
  void send_overview(std::vector<std::shared_ptr<Stream>>& streams);
  void send(Stream& stream, std::string_view type, std::uint64_t id,
            const Json& data);
  std::set<std::string> take_changed();

  runs::RunCatalog& catalog_;
  std::unique_ptr<store::JournalWatch> watch_;  // Null without a file.
  Remover unwatch_;

  std::mutex mutex_;
  std::condition_variable changed_;
  // Guarded by mutex_.
  std::vector<std::shared_ptr<Stream>> streams_;
  std::set<std::string> appended_;  // By this process.
  bool is_stopping_ = false;

  // Of the thread.
  std::set<std::string> active_;  // Runs whose process may end.
  std::chrono::nanoseconds next_overview_{0};

  std::thread thread_;
};

}  // namespace lamarck::server
