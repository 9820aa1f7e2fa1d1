// The events of a run of evolution. Profiler<EvolutionEvent> delivers them.

#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

namespace lamarck::evolution {

class Network;

struct GenerationDone {
  static constexpr std::string_view type = "generation_done";
  struct Payload {
    std::int64_t generation;
    std::int64_t evaluations;     // In the run so far.
    std::int64_t gradient_steps;  // In the run so far.
    double best_loss;
    double best_score;
    std::size_t hidden_nodes;  // In the best network, like edges.
    std::size_t edges;
    std::size_t recurrent_edges;
    double seconds;
  } payload;
};

// Each child is reported twice: as MutationTried when it is created, and as
// MutationKept or MutationRolledBack when its fate is decided.
struct MutationDetails {
  std::size_t island;
  std::int64_t generation;
  std::string mutation;
  double loss;   // After training; in MutationTried, that of the parent.
  double score;  // The same.
  double parent_loss = 0;
};
struct MutationTried {
  static constexpr std::string_view type = "mutation_tried";
  MutationDetails payload;
};
struct MutationKept {
  static constexpr std::string_view type = "mutation_kept";
  MutationDetails payload;
};
struct MutationRolledBack {
  static constexpr std::string_view type = "mutation_rolled_back";
  MutationDetails payload;
};
// A candidate was discarded because its loss was not finite.
struct CandidateDropped {
  static constexpr std::string_view type = "candidate_dropped";
  MutationDetails payload;
};

struct BestImproved {
  static constexpr std::string_view type = "best_improved";
  struct Payload {
    std::int64_t generation;
    double loss;
    double score;
    std::size_t hidden_nodes;
    std::size_t edges;
    std::size_t recurrent_edges;
    std::int64_t evaluations = 0;  // In the run so far, like seconds.
    double seconds = 0;
    std::string mutation;  // The one that made it; "begin" for the first.
    // The networks, one for each of the team. Valid during the call only.
    const std::vector<Network>* networks = nullptr;
  } payload;
};

struct Migrated {
  static constexpr std::string_view type = "migrated";
  struct Payload {
    std::int64_t generation;
    std::size_t from;  // Islands.
    std::size_t to;
    double loss;
    bool settled;  // Whether it replaced a member of the other island.
  } payload;
};

struct IslandRestarted {
  static constexpr std::string_view type = "island_restarted";
  struct Payload {
    std::int64_t generation;
    std::size_t island;
  } payload;
};

struct CheckpointSaved {
  static constexpr std::string_view type = "checkpoint_saved";
  struct Payload {
    std::int64_t generation;
    std::string path;
  } payload;
};

struct EvolutionEnded {
  static constexpr std::string_view type = "evolution_ended";
  struct Payload {
    bool target_reached;
    std::string reason;  // "target", "seconds", "generations", ...
  } payload;
};

using EvolutionEvent =
    std::variant<GenerationDone, MutationTried, MutationKept,
                 MutationRolledBack, CandidateDropped, BestImproved, Migrated,
                 IslandRestarted, CheckpointSaved, EvolutionEnded>;

}  // namespace lamarck::evolution
