// The task that a command line of `lamarck neat` asks for.

#pragma once

#include <optional>
#include <string>
#include <vector>

#include "lamarck/base/result.h"
#include "lamarck/neat/neat_tasks.h"

namespace lamarck::cli {

struct NeatChoice {
  std::string task;                   // A name, or a file of rows.
  std::optional<std::string> target;  // The rest is only for files.
  std::vector<std::string> ignore;
  std::optional<double> goal;
};

// What has a name is that task; a file is anything else that exists or has a
// dot or a slash in it.
Result<neat::NeatBenchmark> neat_benchmark_of(const NeatChoice& choice);

}  // namespace lamarck::cli
