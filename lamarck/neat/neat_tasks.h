// The tasks that NEAT is measured by, each with the settings that suit it.

#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "lamarck/base/result.h"
#include "lamarck/neat/neat_task.h"

namespace lamarck::neat {

struct NeatBenchmark {
  NeatTask task;
  NeatOptions options;
};

// Exclusive or of two inputs; solved when the squared errors sum to 0.1 or
// less.
NeatBenchmark xor_benchmark();
// "xor", "cartpole" and so on, as on the command line.
std::vector<std::string> neat_benchmark_names();
Result<NeatBenchmark> neat_benchmark_named(std::string_view name);

}  // namespace lamarck::neat
