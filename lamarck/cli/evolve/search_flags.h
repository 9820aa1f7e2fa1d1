// What `lamarck evolve fn` and `lamarck evolve program` were asked for, and
// what a folder remembers of it.

#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "lamarck/archipelago/evolver_options.h"
#include "lamarck/base/result.h"
#include "lamarck/law/law_search.h"

namespace lamarck::cli {

inline constexpr std::string_view kFnKind = "fn";
inline constexpr std::string_view kProgramKind = "program";

// What was given; what was not has its default later, so that --resume can
// tell.
struct SearchFlags {
  std::string data;  // A table, or the folder of a program.
  std::optional<std::string> target;
  std::optional<std::string> inputs;
  std::optional<std::string> engine;
  std::optional<std::string> problem;
  std::optional<std::string> seed_equation;
  std::optional<std::string> functions;
  std::optional<std::int64_t> max_size;
  std::optional<std::int64_t> islands;
  std::optional<std::int64_t> parallel;
  std::vector<std::string> reset;
  std::vector<std::string> budget;
  std::vector<std::string> tests;
  std::optional<std::uint64_t> seed;
  std::optional<std::string> out;
  std::optional<std::string> resume;
};

// The same, complete and checked.
struct SearchRun {
  std::string kind;
  std::filesystem::path data;
  std::filesystem::path out;
  bool is_resumed = false;
  std::optional<law::LawEngine> engine;  // Nothing: what suits.
  std::string problem;                   // In words; may be empty.
  std::string seed_equation;             // Infix or Python, or empty.
  std::optional<std::size_t> max_size;
  archipelago::EvolverOptions evolver;
  SearchFlags flags;  // As they were given when the run began.
};

// Of --resume, what the folder remembers, with the budget and the number of
// threads that are given. `threads` are used where --parallel does not say; 0
// means one for each core.
Result<SearchRun> search_run_of(std::string_view kind, const SearchFlags& flags,
                                std::size_t threads);

// What --resume and `lamarck replay` need to know, as a file of the folder.
std::string search_file_text(const SearchRun& run);
// The run that a folder holds. The error says that it holds none.
Result<SearchRun> remembered_search(const std::filesystem::path& folder);
// Whether there is such a file; a run of `evolve net` has another one.
bool holds_search(const std::filesystem::path& folder);

std::string_view engine_name(law::LawEngine engine);

}  // namespace lamarck::cli
