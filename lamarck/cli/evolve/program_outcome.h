// The result of `lamarck evolve program` as text, JSON and an HTML report.

#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "lamarck/archipelago/evolver_options.h"
#include "lamarck/base/json.h"
#include "lamarck/cli/evolve/search_flags.h"

namespace lamarck::cli {

inline constexpr const char* kBestProgramFile = "best.py";

struct ProgramAncestor {
  std::uint64_t id = 0;
  std::string maker;  // "llm", "tree: crossover".
  double score = 0;
};

// The best score after a number of evaluations.
struct ProgramStep {
  std::int64_t evaluations = 0;
  double best = 0;
};

struct ProgramOutcome {
  std::string engine;
  std::string program;  // The complete best program.
  std::string source;   // Its evolved function.
  double score = 0;
  std::vector<std::string> inputs;  // Names; empty if they have none.
  std::vector<double> scores;       // One per input.
  double first_score = 0;           // The initial program.
  std::vector<double> first_scores;
  std::vector<ProgramAncestor> lineage;  // From the first to the best.
  std::vector<ProgramStep> curve;
  archipelago::EvolverCounts counts;
  std::string reason;  // Why the run stopped.
  double seconds = 0;
  double evaluations_per_s = 0;

  // Returns "input 3" if inputs have no names.
  std::string input_name(std::size_t input) const;
};

Json program_json(const ProgramOutcome& outcome, const SearchRun& run);
std::string program_text(const ProgramOutcome& outcome, const SearchRun& run);
std::string program_page(const ProgramOutcome& outcome, const SearchRun& run);

}  // namespace lamarck::cli
