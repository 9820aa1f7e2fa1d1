// What the folder of a run becomes for others to read.

#pragma once

#include <filesystem>
#include <string>

#include "lamarck/cli/command.h"

namespace lamarck::cli {

// Files to write; those that are empty are not.
struct RunExport {
  std::string jsonl;
  std::string python;
  std::string latex;
  std::string cpp;
};

// Adds the flags that only runs have.
void add_run_formats(CLI::App& app, RunExport& wanted);

// Nothing is written unless everything can be made.
Result<void> export_run(const std::filesystem::path& folder,
                        const RunExport& wanted, CommandContext& context);

}  // namespace lamarck::cli
