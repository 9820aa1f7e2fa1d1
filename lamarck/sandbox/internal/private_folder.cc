#include "lamarck/sandbox/internal/private_folder.h"

#include <errno.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cstring>
#include <filesystem>
#include <utility>
#include <fmt/format.h>

namespace lamarck::internal {
namespace {

namespace fs = std::filesystem;

// Makes folders accessible again: a program may leave folders that even their
// owner cannot enter.
void open_folders(const fs::path& folder) {
  std::error_code ignored;
  fs::permissions(folder, fs::perms::owner_all, fs::perm_options::add, ignored);
  for (const auto& entry : fs::directory_iterator(folder, ignored)) {
    if (!entry.is_symlink(ignored) && entry.is_directory(ignored)) {
      open_folders(entry.path());
    }
  }
}

Error failed() {
  return Error(ErrorCode::IoFailed,
               fmt::format("Cannot create a folder for a sandbox in /tmp: {}.",
                           std::strerror(errno)));
}

}  // namespace

Result<PrivateFolder> PrivateFolder::make() {
  // Not in TMPDIR, which the box's user may not be able to enter.
  std::string path = fmt::format("/tmp/lamarck-box-{}-XXXXXX", getpid());
  if (mkdtemp(path.data()) == nullptr) return failed();
  return PrivateFolder(std::move(path));
}

PrivateFolder::PrivateFolder(PrivateFolder&& other) noexcept
    : path_(std::exchange(other.path_, {})) {}

PrivateFolder::~PrivateFolder() {
  if (path_.empty()) return;
  std::error_code ignored;
  fs::remove_all(path_, ignored);
  if (!fs::exists(path_, ignored)) return;
  open_folders(path_);
  fs::remove_all(path_, ignored);
}

int PrivateFolder::give_to(uid_t owner) const {
  return chown(path_.c_str(), owner, owner) == 0 ? 0 : errno;
}

void PrivateFolder::show() const {
  // Cannot fail for the owner.
  [[maybe_unused]] const int changed = chmod(path_.c_str(), 0755);
}

}  // namespace lamarck::internal
