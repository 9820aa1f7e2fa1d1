// The settings of a problem, from problem.toml in its folder:
//
//   evaluate = "node evaluate.js"   # Instead of evaluate.py.
//   inputs = ["small", "large"]     # Of that command; optional.
//   goal = 100                      # Stop at this score.
//
//   [limits]                        # Of one evaluation.
//   time = "2min"
//   memory = "2GB"
//   processes = 32
//   parallel = 1                    # Evaluations at the same time.
//
//   [cascade]
//   floor = 0                       # A lower score on any input is a failure.
//   [cascade.floors]                # The same for single inputs.
//   small = 10

#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "lamarck/base/result.h"

namespace lamarck::problems {

inline constexpr const char* kProblemSettingsFile = "problem.toml";

// Unset fields have the defaults of the runner.
struct ProblemSettings {
  std::vector<std::string> evaluate;  // Program and arguments; may be empty.
  std::vector<std::string> inputs;
  std::optional<double> goal;
  std::optional<std::chrono::milliseconds> time;
  std::optional<std::uint64_t> memory_bytes;
  std::optional<std::size_t> processes;
  std::optional<std::size_t> parallel;
  std::optional<double> cascade_floor;
  std::map<std::string, double> cascade_floors;  // By input.
};

// Reads problem.toml; without that file everything is unset. Errors name the
// file and the key.
Result<ProblemSettings> read_problem_settings(
    const std::filesystem::path& folder);

// Parses "500ms", "10s", "2min" or "1h"; nullopt unless it is positive.
std::optional<std::chrono::milliseconds> parse_duration(std::string_view text);
// Parses "512MB", "2GB" or a number of bytes; KB, MB and GB are powers of 1024.
std::optional<std::uint64_t> parse_bytes(std::string_view text);

}  // namespace lamarck::problems
