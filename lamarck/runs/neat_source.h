// Collects the generations of a NEAT run for the journal.

#pragma once

#include <chrono>
#include <mutex>
#include <optional>
#include <vector>

#include "lamarck/base/clock.h"
#include "lamarck/neat/neat_population.h"
#include "lamarck/runs/network_view.h"
#include "lamarck/runs/run_recorder.h"

namespace lamarck::runs {

// Thread safety: all members may be called from any thread.
class NeatSource final : public RunSource {
 public:
  // `clock` must outlive the object.
  NeatSource(NetworkLabels labels, Clock& clock);

  // `best` is the fittest genome so far. Copies it if its fitness grew.
  void note(const neat::GenerationEvaluated::Payload& generation,
            const neat::Genome& best);
  void collect(std::vector<RunEvent>& events) override;

 private:
  struct Noted {
    neat::GenerationEvaluated::Payload generation{};
    double seconds = 0;
  };

  const NetworkLabels labels_;
  Clock& clock_;
  const std::chrono::nanoseconds began_;
  std::mutex mutex_;
  // Guarded by mutex_.
  std::optional<Noted> latest_;
  std::optional<Noted> improved_;  // When `best_` became the best.
  neat::Genome best_;
  double record_ = -1;
};

}  // namespace lamarck::runs
