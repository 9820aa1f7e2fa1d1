// Collects the events of an evolution of networks for the journal.

#pragma once

#include <chrono>
#include <cstdint>
#include <functional>
#include <map>
#include <mutex>
#include <optional>
#include <string>
#include <vector>

#include "lamarck/evolution/evolution_event.h"
#include "lamarck/evolution/network.h"
#include "lamarck/runs/network_view.h"
#include "lamarck/runs/run_recorder.h"

namespace lamarck::runs {

struct NetSourceOptions {
  NetworkLabels labels;
  // Converts a score, for which higher is always better, to the metric that
  // people see. Empty: as it is.
  std::function<double(double)> shown_score;
};

// Keeps every mutation that was kept, some of those that were rolled back, and
// the best networks, up to a limit for each `collect`; the newest of each is
// always kept, and counts are exact.
// Thread safety: all members may be called from any thread.
class NetSource final : public RunSource {
 public:
  explicit NetSource(NetSourceOptions options);

  // Takes less than a microsecond, except for a new best network, which it
  // copies.
  void note(const evolution::EvolutionEvent& event);
  void collect(std::vector<RunEvent>& events) override;

 private:
  struct NotedMutation {
    evolution::MutationDetails details;
    bool is_kept = false;
  };
  struct NotedBest {
    evolution::BestImproved::Payload payload;
    std::vector<evolution::Network> networks;
  };
  struct MutationCount {
    std::int64_t tried = 0;
    std::int64_t kept = 0;
  };
  struct Pending {
    std::vector<NotedMutation> mutations;
    std::int64_t skipped = 0;
    std::vector<NotedBest> best;
    std::optional<evolution::GenerationDone::Payload> progress;
    std::vector<RunEvent> others;
    std::map<std::string, MutationCount, std::less<>> counts;  // Of the run.
  };

  void note_mutation(const evolution::MutationDetails& details, bool is_kept);
  void note_best(const evolution::BestImproved::Payload& payload);
  double shown(double score) const;
  RunEvent mutations_event(const Pending& pending) const;
  RunEvent best_event(const NotedBest& best) const;

  const NetSourceOptions options_;
  std::mutex mutex_;
  Pending pending_;  // Guarded by mutex_.
};

}  // namespace lamarck::runs
