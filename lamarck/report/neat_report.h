// Runs of NEAT from several seeds, and what they came to.

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
  double measured = 0;  // If the series has a measure.
};

struct NeatSeries {
  std::string task;
  std::size_t population = 0;
  std::string measure;  // Its name, such as "generalisation"; may be empty.
  std::vector<NeatRun> runs;  // Those that ended by themselves.
  double cpu_seconds = 0;
};

// {"task", "population", "seeds", "solved", "evaluations_mean",
// "evaluations_sd", "hidden_mean", "evaluations_per_cpu_s", "runs"}. With a
// measure there is also its name, "measure", and each run holds it by that
// name.
Json neat_report(const NeatSeries& series);
// The report for a person.
std::string neat_text(const Json& report);

}  // namespace lamarck::report
