// The folder that a run writes its files into.

#pragma once

#include <filesystem>
#include <optional>
#include <ostream>
#include <string>

#include "lamarck/base/file_lock.h"
#include "lamarck/base/result.h"

namespace lamarck::cli {

// What Ctrl-C prints while data is read and prepared.
inline constexpr const char* kInterruptedBefore =
    "lamarck: Interrupted before the search began; nothing is written.\n";

// Describes the run, for --resume, `show` and `replay`.
inline constexpr const char* kRunFile = "run.json";
inline constexpr const char* kModelFile = "model.lmk";

struct RunFolderUse {
  std::filesystem::path folder;
  std::string kind;  // "net", "fn", "program" or "neat".
  bool is_resumed = false;
  bool is_forced = false;  // May replace anything.
};

// Creates the folder and locks it until the result is destroyed. A new run
// replaces an earlier one of the same kind, with a note on `notes`. Without
// `is_forced`, fails if the folder has files but no run, if its run is of
// another kind, or if it used a model, because the answers cost money. Also
// fails if another process uses the folder.
Result<FileLock> open_run_folder(const RunFolderUse& use, std::ostream& notes);

// The kind of the run in a folder; nothing if it has none.
std::optional<std::string> run_kind(const std::filesystem::path& folder);
// "lamarck evolve net", or "lamarck neat".
std::string run_command_name(const std::string& kind);

// The error of --resume for a run that another command made.
Error other_kind(const std::filesystem::path& folder, const std::string& kind);

// Says why a resumed run did nothing: its budget is used up.
std::string used_up_note(const std::filesystem::path& folder,
                         const std::string& kind);

// Whether a process is running the run in the folder.
bool is_running(const std::filesystem::path& folder);
// What to do about a run without a result: "wait until it ends" or "continue it
// with `lamarck evolve fn --resume DIR`".
std::string unfinished_remedy(const std::filesystem::path& folder,
                              const std::string& kind);

// Whether the folder has a checkpoint to resume from. A run that stopped before
// its first checkpoint can only start over.
bool has_checkpoint(const std::filesystem::path& folder);

// Returns the model of a run of `evolve net` or `neat` if `path` is its folder,
// else `path`. Fails for a folder without a model.
Result<std::filesystem::path> find_model_file(
    const std::filesystem::path& path);

}  // namespace lamarck::cli
