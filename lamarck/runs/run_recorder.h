// Records a run in the journal from a thread of its own, so that the run never
// waits for the disk.
//
// The thread asks its source for new events a few times per second at first and
// less often later, appends them together, and reports that the process is
// alive if there are none. It also reads requests to stop from the journal. A
// journal that cannot be written does not disturb the run: `finish` says why.

#pragma once

#include <chrono>
#include <condition_variable>
#include <cstdint>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <thread>
#include <vector>

#include "lamarck/base/cancel_token.h"
#include "lamarck/base/clock.h"
#include "lamarck/base/id.h"
#include "lamarck/base/json.h"
#include "lamarck/base/result.h"
#include "lamarck/runs/run_event.h"
#include "lamarck/runs/run_summary.h"
#include "lamarck/store/journal.h"

namespace lamarck::runs {

// Collects what happens in a run. `collect` is called by the recorder's thread
// while other threads add events.
class RunSource {
 public:
  virtual ~RunSource() = default;
  // Appends the events since the last call. Sources thin them, so that a call
  // adds few.
  virtual void collect(std::vector<RunEvent>& events) = 0;
};

// What is known about a run before it starts.
struct RunStart {
  std::string id;  // "" = a new one. An existing run is continued.
  std::string kind;
  std::string goal;  // One line.
  Json options = Json::object();
  std::optional<std::uint64_t> seed;
  Json limits = Json::array();  // [{"limit": 30, "unit": "seconds"}].
  std::string folder;           // Absolute; "" = none.
  std::string starter = "command";
};

// "net-7k3m9q2x"; `random` must differ for each run.
std::string make_run_id(std::string_view kind, std::uint64_t random);

// The first event of a run and the append that creates it.
store::Append make_new_run(const RunStart& start, std::string event_id,
                           Clock::WallTime now, std::string_view state);

struct RecorderOptions {
  std::string journal;  // A file, created if it does not exist.
  RunStart start;
  // Further facts of the event "started": score_name, inputs, outputs ...
  Json facts = Json::object();
  CancelToken cancel;  // Of the program.
  // The shortest time between two appends.
  std::chrono::milliseconds interval{250};
};

// Thread safety: `set_source` and `finish` from one thread, `cancel` from any.
class RunRecorder {
 public:
  // Starts the thread. `clock` must outlive the object.
  RunRecorder(RecorderOptions options, Clock& clock);
  // Records a run without `finish` as failed.
  ~RunRecorder();
  RunRecorder(const RunRecorder&) = delete;
  RunRecorder& operator=(const RunRecorder&) = delete;

  const std::string& id() const { return id_; }
  // Cancelled with the program, and by a request to stop in the journal.
  CancelToken cancel() const { return stop_.token(); }

  // `source` must outlive the recorder or be replaced by null.
  void set_source(RunSource* source);
  void add(RunEvent event);

  // Appends the last events and waits until they are on the disk. Fails with
  // the reason if the run was not recorded completely. `state` is done, failed
  // or interrupted.
  Result<void> finish(std::string_view state, std::string message, Json result);

 private:
  void work();
  std::string next_event_id();
  Result<void> open();
  Result<void> append_pending(bool is_last);
  Result<void> append(const std::vector<RunEvent>& events,
                      std::optional<std::string> new_state);
  Result<void> look_for_requests();
  Result<void> save_summary();
  std::chrono::milliseconds pause() const;

  const RecorderOptions options_;
  Clock& clock_;
  const std::string id_;
  IdGenerator ids_;
  CancelSource stop_;

  std::mutex mutex_;
  std::condition_variable changed_;
  // Guarded by mutex_.
  RunSource* source_ = nullptr;
  std::vector<RunEvent> added_;
  bool is_finished_ = false;
  Result<void> outcome_;

  // Of the thread alone.
  std::unique_ptr<store::Journal> journal_;
  RunSummary summary_;
  std::chrono::nanoseconds began_{0};
  std::chrono::nanoseconds last_append_{0};
  std::chrono::nanoseconds last_save_{0};

  std::thread thread_;  // Last, because it uses the others.
};

}  // namespace lamarck::runs
