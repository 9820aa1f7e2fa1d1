// Advances the islands of a run by a crew.
//
// An island stays where it was computed last; only what a generation changed
// travels. The leader has all islands too, so that it can save them and give
// them to others.

#pragma once

#include <cstddef>
#include <functional>
#include <mutex>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "lamarck/base/result.h"
#include "lamarck/crew/crew.h"
#include "lamarck/evolution/evolution_event.h"
#include "lamarck/evolution/network_island.h"

namespace lamarck::evolution {

class IslandCrew {
 public:
  struct Steps {
    // One generation of an island. Called by several threads, for different
    // islands.
    std::function<void(Island&)> advance;
    // Receives what `note` was given during that generation.
    std::function<void(const EvolutionEvent&)> report;
    // Whether the leader ends the run now.
    std::function<bool()> should_stop;
  };
  IslandCrew(crew::Crew& crew, std::size_t islands, Steps steps);

  // An event of an island during `advance`. Thread safety: any thread.
  void note(const EvolutionEvent& event);

  // Leader: advances all islands by a generation. Fails with Cancelled, and
  // leaves the islands as they were, if the run ends.
  Result<void> advance(std::vector<Island>& islands);
  // Leader: `islands` were changed between generations; `before` is what they
  // were.
  void note_changes(const std::vector<Island>& before,
                    const std::vector<Island>& islands);
  // Member: advances islands until the leader ends the run; returns its
  // summary.
  Result<std::string> serve();

 private:
  std::string live(std::size_t index, std::string_view input);

  crew::Crew& crew_;
  const Steps steps_;
  const crew::Work work_;
  std::vector<std::optional<Island>> own_;  // Computed by this process.
  std::vector<std::string> changes_;        // That the owners do not have yet.
  std::mutex mutex_;
  std::vector<std::vector<EvolutionEvent>> events_;  // Guarded by mutex_.
};

}  // namespace lamarck::evolution
