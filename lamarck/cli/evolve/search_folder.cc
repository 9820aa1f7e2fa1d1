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

Result<void> check_may_give_way(const fs::path& folder) {
  const auto before = remembered_search(folder);
  if (!before || !fs::exists(folder / kJournalFile)) return {};
  if (before->engine == law::LawEngine::Gp) return {};
  return Error(ErrorCode::AlreadyExists,
               fmt::format("{0} holds a run that asked a model; go on with it "
                           "by --resume {0}, or choose another folder with "
                           "--out.",
                           folder.string()));
}

}  // namespace

Result<void> make_folder(const fs::path& folder) {
  std::error_code failure;
  fs::create_directories(folder, failure);
  if (!failure && !fs::is_directory(folder, failure)) {
    failure = std::make_error_code(std::errc::not_a_directory);
  }
  if (!failure) return {};
  return Error(ErrorCode::IoFailed,
               fmt::format("The folder {} cannot be made: {}; choose another "
                           "one with --out.",
                           folder.string(), failure.message()));
}

Result<void> begin_search_folder(const SearchRun& run) {
  if (!run.is_resumed) RETURN_IF_ERROR(check_may_give_way(run.out));
  RETURN_IF_ERROR(make_folder(run.out));
  std::error_code ignored;
  for (const char* name : {kCheckpointFile, kJournalFile}) {
    fs::remove(run.out / name, ignored);
  }
  return write_file(run.out / kRunFile, search_file_text(run));
}

bool has_begun(const fs::path& folder) {
  std::error_code ignored;
  return fs::exists(folder / kCheckpointFile, ignored);
}

}  // namespace lamarck::cli
