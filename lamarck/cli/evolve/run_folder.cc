#include "lamarck/cli/evolve/run_folder.h"

#include <fmt/format.h>

#include <array>
#include <system_error>
#include <nlohmann/json.hpp>

#include "lamarck/base/file.h"
#include "lamarck/base/json.h"
#include "lamarck/base/macros.h"
#include "lamarck/base/one_line.h"
#include "lamarck/cli/evolve/fn_files.h"
#include "lamarck/runs/record_file.h"

namespace lamarck::cli {
namespace {

namespace fs = std::filesystem;

constexpr const char* kLockFile = ".lock";
constexpr const char* kCheckpointFile = "checkpoint.json";

// What runs of any kind write. The lock stays: removing it would let two
// processes hold locks on different files of that name.
constexpr std::array kRunFiles = {
    kRunFile,         kModelFile,      kCheckpointFile, "checkpoint.lmk",
    "network.svg",    "held_out.json", kJournalFile,    kLawPythonFile,
    kLawLatexFile,    kFrontFile,      "best.py",       kReportFile,
    runs::kRecordFile};

std::string folder_name(const fs::path& folder) {
  return one_line(folder.string(), 300);
}

Error taken_folder(const fs::path& folder, const std::string& why,
                   const std::string& remedy) {
  return Error(ErrorCode::AlreadyExists,
               fmt::format("{} {}; {}, or add --force.", folder_name(folder),
                           why, remedy));
}

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
                  folder_name(folder), failure.message()));
}

// Returns the first file, by name, that a run would not have left behind, or
// "" if the folder is empty.
std::string first_file(const fs::path& folder) {
  std::string first;
  std::error_code ignored;
  for (const auto& entry : fs::directory_iterator(folder, ignored)) {
    const std::string name = entry.path().filename().string();
    // A run that was killed may leave a temporary file.
    if (name == kLockFile || name.starts_with(".lamarck-")) continue;
    if (first.empty() || name < first) first = name;
  }
  return first;
}

Result<Json> read_run_file(const fs::path& folder) {
  constexpr std::uint64_t kMaxBytes = 16 << 20;
  ASSIGN_OR_RETURN(const std::string text,
                   read_file(folder / kRunFile, kMaxBytes));
  ASSIGN_OR_RETURN(Json json, parse_json(text));
  if (json.is_object() && (json.contains("data") || json.contains("task"))) {
    return json;
  }
  return Error(ErrorCode::DataDamaged, "This is not a run.");
}

std::string kind_of(const Json& run) {
  // Runs of `evolve net` store no kind.
  const auto kind = run.find("kind");
  return kind != run.end() && kind->is_string() ? kind->get<std::string>()
                                                : "net";
}

bool used_model(const Json& run, const fs::path& folder) {
  std::error_code ignored;
  const auto engine = run.find("engine");
  return engine != run.end() && *engine != "gp" &&
         fs::exists(folder / kJournalFile, ignored);
}

// Fails if a new run must not write into the folder.
Result<void> check_free(const RunFolderUse& use) {
  const std::string file = first_file(use.folder);
  if (use.is_forced || file.empty()) return {};
  const std::string other = "choose another folder with --out";
  const auto run = read_run_file(use.folder);
  if (!run) {
    return taken_folder(
        use.folder,
        "has files that are not of a run, such as " + one_line(file), other);
  }
  const std::string kind = kind_of(*run);
  if (kind != use.kind) {
    return taken_folder(
        use.folder,
        fmt::format("contains a run of `{}`", run_command_name(kind)), other);
  }
  if (!used_model(*run, use.folder)) return {};
  return taken_folder(use.folder, "contains a run that used a model",
                      fmt::format("continue it with --resume {}, {}",
                                  folder_name(use.folder), other));
}

Result<FileLock> lock_folder(const fs::path& folder) {
  auto lock = FileLock::acquire(folder / kLockFile);
  if (lock || lock.error().code() != ErrorCode::Conflict) return lock;
  const std::string process = lock.error().fields().at("process");
  return Error(
      ErrorCode::Conflict,
      fmt::format("{} is in use by another run{}; wait until it ends, or "
                  "choose another folder with --out.",
                  folder_name(folder),
                  process.empty() ? "" : " (process " + process + ")"));
}

// Otherwise --resume and `show` would mix the new run with the old one.
void remove_run(const fs::path& folder) {
  std::error_code ignored;
  for (const char* name : kRunFiles) fs::remove(folder / name, ignored);
}

}  // namespace

Result<FileLock> open_run_folder(const RunFolderUse& use, std::ostream& notes) {
  if (use.is_resumed) return lock_folder(use.folder);
  RETURN_IF_ERROR(make_folder(use.folder));
  // Before the lock, which would be a new file among those of the user.
  RETURN_IF_ERROR(check_free(use));
  ASSIGN_OR_RETURN(FileLock lock, lock_folder(use.folder));
  if (run_kind(use.folder)) {
    notes << fmt::format("lamarck: Replacing the earlier run in {}.\n",
                         folder_name(use.folder));
    remove_run(use.folder);
  }
  return lock;
}

std::optional<std::string> run_kind(const fs::path& folder) {
  const auto run = read_run_file(folder);
  return run ? std::optional(kind_of(*run)) : std::nullopt;
}

std::string run_command_name(const std::string& kind) {
  return (kind == "neat" ? "lamarck " : "lamarck evolve ") + one_line(kind);
}

Error other_kind(const fs::path& folder, const std::string& kind) {
  const std::string name = run_command_name(kind);
  return invalid_argument(fmt::format(
      "{} contains a run of `{}`{}.", folder_name(folder), name,
      kind == "neat" ? ", which cannot be resumed"
                     : fmt::format("; resume it with `{} --resume {}`", name,
                                   folder_name(folder))));
}

std::string used_up_note(const fs::path& folder, const std::string& kind) {
  return fmt::format(
      "lamarck: The budget is a total over all calls, and the run has used it "
      "up; to continue, give a larger total: `{} --resume {} --budget "
      "TOTAL`.\n",
      run_command_name(kind), folder_name(folder));
}

bool is_running(const fs::path& folder) {
  return FileLock::is_held(folder / kLockFile);
}

std::string unfinished_remedy(const fs::path& folder, const std::string& kind) {
  if (is_running(folder)) return "it is still running, so wait until it ends";
  return fmt::format("continue it with `{} --resume {}`",
                     run_command_name(kind), folder_name(folder));
}

bool has_checkpoint(const fs::path& folder) {
  std::error_code ignored;
  return fs::exists(folder / kCheckpointFile, ignored);
}

Result<fs::path> find_model_file(const fs::path& path) {
  std::error_code ignored;
  if (!fs::is_directory(path, ignored)) return path;
  const auto kind = run_kind(path);
  if (!kind) {
    return Error(ErrorCode::NotFound,
                 fmt::format("There is no run in {}: it has no valid {}.",
                             folder_name(path), kRunFile));
  }
  if (fs::exists(path / kModelFile, ignored)) return path / kModelFile;
  return Error(
      ErrorCode::NotFound,
      fmt::format("{} contains a run of `{}` that has no {}{}.",
                  folder_name(path), run_command_name(*kind), kModelFile,
                  *kind == "net" || is_running(path)
                      ? "; " + unfinished_remedy(path, *kind)
                      : ""));
}

}  // namespace lamarck::cli
