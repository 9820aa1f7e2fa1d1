// What happens while networks evolve, for whoever listens.

#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <variant>

namespace lamarck::evolution {

struct GenerationDone {
  static constexpr std::string_view type = "generation_done";
  struct Payload {
    std::int64_t generation;
    std::int64_t evaluations;  // Of the whole run so far.
    std::int64_t gradient_steps;
    double best_loss;
    double best_score;
    std::size_t hidden_nodes;  // Of the best, as the two below.
    std::size_t edges;
    std::size_t recurrent_edges;
    double seconds;
  } payload;
};

// The three are told of one child: first that it is tried, then what became
// of it.
struct MutationTold {
  std::size_t island;
  std::int64_t generation;
  std::string mutation;
  double loss;   // After training; of MutationTried the parent's.
  double score;  // Likewise.
};
struct MutationTried {
  static constexpr std::string_view type = "mutation_tried";
  MutationTold payload;
};
struct MutationKept {
  static constexpr std::string_view type = "mutation_kept";
  MutationTold payload;
};
struct MutationRolledBack {
  static constexpr std::string_view type = "mutation_rolled_back";
  MutationTold payload;
};
// Its loss was not a number; it is gone.
struct CandidateDropped {
  static constexpr std::string_view type = "candidate_dropped";
  MutationTold payload;
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
  } payload;
};

struct Migrated {
  static constexpr std::string_view type = "migrated";
  struct Payload {
    std::int64_t generation;
    std::size_t from;  // Islands.
    std::size_t to;
    double loss;
    bool settled;  // Whether it was good enough to stay.
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
