// Runs evolutions as child processes of the same program, a few at a time.
//
// The children end with this process, also if it is killed, and record
// themselves in the journal. What was not finished is resumed by the next host
// of the journal.

#pragma once

#include <condition_variable>
#include <cstdint>
#include <deque>
#include <map>
#include <mutex>
#include <string>
#include <thread>
#include <vector>

#include "lamarck/base/result.h"
#include "lamarck/runs/run_catalog.h"
#include "lamarck/runs/run_command.h"
#include "lamarck/runs/run_recorder.h"

namespace lamarck::runs {

struct RunHostOptions {
  std::string program;       // Path of `lamarck`; "" = nothing can be started.
  std::string journal;       // The file that children record in.
  std::string folder;        // For the folders of runs.
  std::size_t parallel = 2;  // Children at the same time; others wait.
};

// Thread safety: all members may be called from any thread.
class RunHost {
 public:
  // `catalog` must outlive the object.
  RunHost(RunHostOptions options, RunCatalog& catalog);
  // Calls `stop`.
  ~RunHost();
  RunHost(const RunHost&) = delete;
  RunHost& operator=(const RunHost&) = delete;

  // Records the run as queued and starts it as soon as possible. `table` is
  // the name of the data for people. Fails with InvalidArgument for options
  // or a table that the command refuses.
  Result<RunView> start(const RunRequest& request, const std::string& table);
  // Queues an interrupted or dead run again.
  Result<RunView> resume(const RunView& run);
  // Queues the runs that an earlier host of this journal did not finish.
  Result<std::size_t> resume_unfinished();

  // Asks all children to save their state and end, and waits for them.
  void stop();
  std::size_t running_count();

 private:
  struct Job {
    std::string run;
    std::vector<std::string> words;
  };
  struct Child {
    Job job;
    int pid = 0;
    bool is_signalled = false;
  };

  Result<std::vector<std::string>> words_for(const RunView& run) const;
  std::string run_folder(const std::string& id) const;
  std::string log_file(const std::string& id) const;
  Result<void> check_can_start() const;
  Result<void> check_words(const RunRequest& request,
                           std::vector<std::string> words,
                           const std::string& table) const;
  void queue(Job job);
  void work();
  void start_next(std::unique_lock<std::mutex>& lock);
  void reap(std::unique_lock<std::mutex>& lock);
  void settle(const std::string& run, int status);
  void record_failure(const std::string& run, const std::string& message);

  const RunHostOptions options_;
  RunCatalog& catalog_;
  std::mutex mutex_;
  std::condition_variable changed_;
  // Guarded by mutex_.
  std::deque<Job> waiting_;
  std::map<std::string, Child> children_;
  bool is_stopping_ = false;
  std::thread thread_;  // Last. Children get a signal when this thread ends.
};

}  // namespace lamarck::runs
