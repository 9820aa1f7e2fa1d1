// Watches a run of `evolve`: shows its progress and measures its speed.

#pragma once

#include <chrono>
#include <cstdint>
#include <optional>
#include <string>

#include "lamarck/archipelago/function.h"
#include "lamarck/base/progress.h"
#include "lamarck/cli/command.h"
#include "lamarck/cli/evolve/search_flags.h"

namespace lamarck::cli {

class RunWatch {
 public:
  // `out` and `clock` must outlive the object.
  RunWatch(std::ostream& out, Clock& clock, ProgressOptions options,
           bool is_resumed);

  // For a resumed run: `done` steps were made before. Without this call, the
  // first `update` says how many.
  void begin_at(std::int64_t done);

  // Shows the steps made in all sessions. The last line of the display leaves
  // out the remaining time.
  void update(std::int64_t done, std::string remark,
              std::optional<double> seconds_left = {});
  void finish();

  // Whether `begin_at` or `update` has been called.
  bool has_begun() const { return has_begun_; }
  // Whether a resumed run has done nothing.
  bool is_idle() const { return is_resumed_ && !has_begun_; }

  double seconds() const;
  // The rate of the steps since the watch was made; `done` counts all steps.
  double steps_per_second(std::int64_t done) const;

 private:
  Clock& clock_;
  std::chrono::nanoseconds begin_;
  Progress progress_;
  bool is_resumed_;
  bool has_begun_ = false;
  std::int64_t before_ = 0;  // Steps made before the run was resumed.
  std::string last_;         // The last remark.
};

// Watches the evaluations of `evolve fn` or `evolve program`.
RunWatch watch_search(const SearchRun& run, CommandContext& context);

// ", 1200 tokens, 0.013 usd"; empty if no model was used.
std::string cost_remark(const archipelago::MutationCost& cost);

}  // namespace lamarck::cli
