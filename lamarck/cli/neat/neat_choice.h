// The task chosen on the command line of `lamarck neat`.

#pragma once

#include <optional>
#include <string>
#include <vector>

#include "lamarck/base/cancel_token.h"
#include "lamarck/base/result.h"
#include "lamarck/neat/neat_tasks.h"

namespace lamarck::cli {

struct NeatChoice {
  std::string task;                   // A task name, or a CSV file.
  std::optional<std::string> target;  // This and the rest are for files.
  std::vector<std::string> ignore;
  std::optional<double> goal;
  std::string encoding;  // Empty for UTF-8.
};

// Whether the task is a CSV file.
bool is_data_file(const NeatChoice& choice);

// A known task name wins. Otherwise a word that exists as a file or contains a
// dot or slash is a CSV file. Any other word is an error that suggests a task.
// `cancel` ends the wait for more of a pipe.
Result<neat::NeatBenchmark> make_neat_benchmark(const NeatChoice& choice,
                                                const CancelToken& cancel);

}  // namespace lamarck::cli
