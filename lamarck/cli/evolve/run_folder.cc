#include "lamarck/cli/evolve/search_folder.h"

#include <fmt/format.h>

#include <system_error>

#include "lamarck/base/file.h"
#include "lamarck/base/macros.h"
#include "lamarck/cli/evolve/fn_files.h"
#include "lamarck/cli/evolve/net_flags.h"

namespace lamarck::cli {
namespace {

namespace fs = std::filesystem;

constexpr const char* kCheckpointFile = "checkpoint.json";

// Only a run that used a model, and has a journal, is worth protecting.
Result<void> check_replaceable(const fs::path& folder) {
  const auto previous = read_search_run(folder);
  if (!previous || !fs::exists(folder / kJournalFile)) return {};
  if (previous->engine == law::LawEngine::Gp) return {};
  return Error(ErrorCode::AlreadyExists,
               fmt::format("{0} contains a run that used a model; continue it "
                           "with --resume {0}, or choose another folder with "
                           "--out.",
                           folder.string()));
}

}  // namespace

Result<void> make_folder(const fs::path& folder) {
  std::error_code failure;
  fs::create_directories(folder, failure);
  // Some libraries report no error if a file has that name.
  if (!failure && !fs::is_directory(folder, failure)) {
    failure = std::make_error_code(std::errc::not_a_directory);
  }
  if (!failure) return {};
  return Error(
      ErrorCode::IoFailed,
      fmt::format("Cannot create the folder {}: {}; choose another one "
                  "with --out.",
                  folder.string(), failure.message()));
}

Result<void> prepare_search_folder(const SearchRun& run) {
  if (!run.is_resumed) RETURN_IF_ERROR(check_replaceable(run.out));
  RETURN_IF_ERROR(make_folder(run.out));
  std::error_code ignored;
  // Otherwise --resume would mix the new run with the old one.
  for (const char* name : {kCheckpointFile, kJournalFile}) {
    fs::remove(run.out / name, ignored);
  }
  return write_file(run.out / kRunFile, search_file_text(run));
}

bool has_checkpoint(const fs::path& folder) {
  std::error_code ignored;
  return fs::exists(folder / kCheckpointFile, ignored);
}

}  // namespace lamarck::cli
