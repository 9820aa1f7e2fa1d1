// Summaries of NEAT runs with several seeds.

#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "lamarck/base/json.h"
#include "lamarck/neat/neat_search.h"

namespace lamarck::report {

struct NeatRun {
  std::uint64_t seed = 0;
  neat::NeatOutcome outcome;
  double measured = 0;  // The value of the series' measure, if it has one.
};

struct NeatSeries {
  std::string task;
  std::size_t population = 0;
  std::string measure;        // Name of the task's measure, such as
                              // "generalization"; may be empty.
  std::vector<NeatRun> runs;  // Only runs that were not cancelled.
  double cpu_seconds = 0;     // Sum over all runs.
};

// Returns {"task", "population", "seeds", "simd", "solved", "evaluations_mean",
// "evaluations_sd", "hidden_mean", "evaluations_per_cpu_s", "runs"}. With a
// measure, "measure" contains its name and each run a field of that name.
Json neat_report(const NeatSeries& series);

// Formats the report as one line of text.
std::string neat_text(const Json& report);

}  // namespace lamarck::report
