// What `lamarck evolve net` was asked for, and what a folder remembers of it.

#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <string_view>

#include "lamarck/base/result.h"
#include "lamarck/table/table_evolution.h"

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

// The same, complete and checked.
struct NetRun {
  std::filesystem::path data;
  std::optional<std::filesystem::path> test;
  std::filesystem::path out;
  std::int64_t seeds = 0;  // 0: the one of the options.
  bool resume = false;
  table::TableEvolutionOptions options;
};

// Of --resume, what the folder remembers, with the budget and the goal that are
// given.
Result<NetRun> net_run_of(const NetFlags& flags);

// What --resume needs to ask for the same again, as a file of the folder.
std::string run_file_text(const NetFlags& flags);
inline constexpr const char* kRunFile = "run.json";

// "60s", "2m", "500gen", "10000eval", or several with commas between.
Result<evolution::EvolutionBudget> parse_budget(std::string_view text);

}  // namespace lamarck::cli
