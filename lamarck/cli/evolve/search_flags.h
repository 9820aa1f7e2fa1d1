// The flags of `lamarck evolve fn` and `lamarck evolve program`, and the file
// that stores them in the folder of a run.

#pragma once

#include <chrono>
#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "lamarck/archipelago/evolver_options.h"
#include "lamarck/base/json.h"
#include "lamarck/base/result.h"
#include "lamarck/cli/evolve/joined_run.h"
#include "lamarck/cli/evolve/run_folder.h"
#include "lamarck/law/law_search.h"

namespace lamarck::cli {

inline constexpr std::string_view kFnKind = "fn";
inline constexpr std::string_view kProgramKind = "program";

// The flags as given. Defaults are applied later, so that --resume can tell
// which flags were given.
struct SearchFlags {
  std::string data;  // A CSV file, or the folder of a program.
  std::optional<std::string> target;
  std::optional<std::string> inputs;
  std::optional<std::string> encoding;
  std::optional<std::string> engine;
  std::optional<std::string> problem;
  std::optional<std::string> seed_equation;
  std::optional<std::string> functions;
  std::optional<std::string> units;
  std::optional<std::int64_t> max_size;
  std::optional<std::int64_t> islands;
  std::optional<std::int64_t> parallel;
  std::optional<std::string> preset;
  std::optional<double> goal;
  std::optional<std::string> time_limit;
  std::optional<std::string> memory_limit;
  std::vector<std::string> reset;
  std::vector<std::string> budget;
  std::vector<std::string> tests;
  std::optional<std::uint64_t> seed;
  std::optional<std::string> out;
  std::optional<std::string> resume;
  bool is_forced = false;           // --force; not stored.
  std::optional<std::string> crew;  // A URL; not stored.
};

// The same with defaults applied, validated.
struct SearchRun {
  std::string kind;
  std::filesystem::path data;
  std::filesystem::path out;
  bool is_resumed = false;
  std::optional<law::LawEngine> engine;  // Empty to choose by program.
  std::string problem;                   // A description; may be empty.
  std::string seed_equation;             // Infix or Python, or empty.
  std::optional<std::size_t> max_size;
  archipelago::EvolverOptions evolver;
  // Of one evaluation of a program; unset if problem.toml decides.
  std::optional<std::chrono::milliseconds> time_limit;
  std::optional<std::uint64_t> memory_limit;  // Bytes.
  SearchFlags flags;                          // As given when the run started.
};

// Validates the flags. With --resume, reads the stored flags of the run; a
// given budget, goal or number of threads replaces the stored one. If
// --parallel is not given, `threads` applies; 0 means one per core.
Result<SearchRun> make_search_run(std::string_view kind,
                                  const SearchFlags& flags,
                                  std::size_t threads);

// Returns the contents of the file that --resume and `lamarck replay` read.
std::string search_file_text(const SearchRun& run);
// For the leader of a crew, which may have been killed whole: lets the run
// continue if its folder has an unfinished one with the same flags.
void continue_unfinished(SearchRun& run, std::ostream& notes);
// Creates and locks the folder of the run and stores its flags there. A resumed
// run without a checkpoint starts over.
Result<FileLock> open_search_folder(const SearchRun& run, std::ostream& notes);
// Reads the run in a folder. Fails if there is none, or if it is a run of
// `lamarck evolve net`.
Result<SearchRun> read_search_run(const std::filesystem::path& folder);
// The run of a member at another machine, with these flags.
Result<SearchRun> joined_search(const JoinedRun& joined, const Json& flags);
// Whether the folder contains a run of `evolve fn` or `evolve program`.
bool contains_search(const std::filesystem::path& folder);

std::string_view engine_name(law::LawEngine engine);

}  // namespace lamarck::cli
