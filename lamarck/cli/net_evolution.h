// `lamarck evolve net`: from a CSV file to a model, a picture and a report.

#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "lamarck/cli/command.h"
#include "lamarck/evolution/evolution.h"

namespace lamarck::cli {

// What was given; what was not has its default later, so that --resume can
// tell.
struct NetFlags {
  std::string data;
  std::optional<std::string> target;
  std::optional<std::string> ignore;
  std::optional<std::string> task;
  bool is_series = false;
  std::optional<std::int64_t> horizon;
  std::optional<std::string> grain;
  std::optional<std::string> strategy;
  std::optional<std::string> metric;
  std::optional<double> goal;
  std::optional<std::string> budget;
  std::optional<std::string> test;
  std::optional<double> test_split;
  std::optional<std::int64_t> islands;
  std::optional<std::uint64_t> seed;
  std::optional<std::int64_t> seeds;
  std::optional<std::string> out;
  std::optional<std::string> resume;
};

Result<void> evolve_net(const NetFlags& flags, CommandContext& context);

// "60s", "2m", "500gen", "10000eval", or several with commas between.
Result<evolution::EvolutionBudget> parse_budget(std::string_view text);

}  // namespace lamarck::cli
