// Benchmark tasks for NEAT, each with suitable options.

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

// XOR of two inputs. The task is solved when the sum of the squared errors is
// at most 0.1.
NeatBenchmark xor_benchmark();

// Returns "xor", "cartpole" and so on, as used on the command line.
std::vector<std::string> neat_benchmark_names();
// Finds a benchmark by name. The error for an unknown name suggests another.
Result<NeatBenchmark> neat_benchmark_named(std::string_view name);

}  // namespace lamarck::neat
