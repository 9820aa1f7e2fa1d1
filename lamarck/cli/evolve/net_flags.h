// The flags of `lamarck evolve net`, and the file that stores them in the
// folder of a run.

#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <string_view>

#include "lamarck/base/result.h"
#include "lamarck/cli/evolve/run_folder.h"
#include "lamarck/table/table_evolution.h"

namespace lamarck::cli {

// The flags as given. Defaults are applied later, so that --resume can tell
// which flags were given.
struct NetFlags {
  std::string data;
  std::optional<std::string> target;
  std::optional<std::string> ignore;
  std::optional<std::string> encoding;
  std::optional<std::string> task;
  bool is_series = false;
  bool is_single = false;  // --single.
  std::optional<std::int64_t> horizon;
  std::optional<std::int64_t> lags;
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
  bool is_forced = false;           // --force; not stored.
  std::optional<std::string> crew;  // A URL; not stored.
};

// The same with defaults applied, validated.
struct NetRun {
  std::filesystem::path data;
  std::optional<std::filesystem::path> test;
  std::string encoding;  // Of both files; empty for UTF-8.
  std::filesystem::path out;
  std::int64_t seeds = 0;  // 0 to run only options.evolution.seed.
  bool resume = false;
  bool is_forced = false;
  table::TableEvolutionOptions options;
};

// Validates the flags. With --resume, reads the stored flags of the run; a
// given budget or goal replaces the stored one.
Result<NetRun> make_net_run(const NetFlags& flags);

// Returns the contents of kRunFile, which --resume reads.
std::string run_file_text(const NetFlags& flags);

// Parses "60s", "2m", "500gen", "10000eval", or several separated by commas.
Result<evolution::EvolutionBudget> parse_budget(std::string_view text);

}  // namespace lamarck::cli
