// Several targets of `lamarck evolve fn`: one law each, in a folder of its own.

#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "lamarck/base/json.h"
#include "lamarck/base/result.h"
#include "lamarck/cli/evolve/search_flags.h"
#include "lamarck/data/table.h"
#include "lamarck/law/law.h"

namespace lamarck::cli {

// The file that names the targets and their folders.
inline constexpr const char* kTargetsFile = "targets.json";

struct FnTarget {
  std::string name;
  std::filesystem::path folder;
};

// Returns the columns that `target` names, separated by commas; the whole text
// if the table has such a column. Fails if a column is missing or given twice.
Result<std::vector<std::string>> target_names(const data::Table& table,
                                              const std::string& target);

// The flags of each target: its folder, and as inputs the numeric columns that
// are not targets, unless --inputs is given.
Result<std::vector<SearchFlags>> flags_of_targets(
    const SearchFlags& flags, const std::filesystem::path& out,
    const data::Table& table, const std::vector<std::string>& targets);

// Whether the folder contains laws for several targets.
bool contains_targets(const std::filesystem::path& folder);
Result<void> write_targets(const std::filesystem::path& folder,
                           const std::vector<SearchFlags>& flags);
Result<std::vector<FnTarget>> read_targets(const std::filesystem::path& folder);

// A part that occurs in the laws of several targets.
struct SharedPart {
  std::string formula;
  std::vector<std::string> targets;
};

// The largest parts with an operation on an input. REQUIRES: all laws have the
// same inputs, and there is a name for each law.
std::vector<SharedPart> shared_parts(const std::vector<law::Law>& laws,
                                     const std::vector<std::string>& targets);
std::string shared_text(const std::vector<SharedPart>& parts);
Json shared_json(const std::vector<SharedPart>& parts);

}  // namespace lamarck::cli
