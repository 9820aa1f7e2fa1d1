// Exports the results of a run in other formats.

#pragma once

#include <filesystem>
#include <string>

#include "lamarck/cli/command.h"

namespace lamarck::cli {

// The files to write; an empty name skips the format.
struct RunExport {
  std::string jsonl;
  std::string python;
  std::string latex;
  std::string cpp;
  bool is_forced = false;  // May replace files.
};

// Adds the flags that apply to runs only.
void add_run_formats(CLI::App& app, RunExport& wanted);

// Produces all files before it writes the first
// one, so that an error leaves none behind.
Result<void> export_run(const std::filesystem::path& folder,
                        const RunExport& wanted, CommandContext& context);

}  // namespace lamarck::cli
