#include "lamarck/store/internal/file_identity.h"

#include <sys/stat.h>

#include <utility>
#include <fmt/format.h>

namespace lamarck::store::internal {

FileIdentity::FileIdentity(std::string path) : path_(std::move(path)) {
  struct stat status {};
  if (::stat(path_.c_str(), &status) != 0) return;
  is_known_ = true;
  device_ = status.st_dev;
  number_ = status.st_ino;
}

Result<void> FileIdentity::check() const {
  if (!is_known_) return {};
  struct stat status {};
  const bool is_there = ::stat(path_.c_str(), &status) == 0;
  if (is_there && status.st_dev == device_ && status.st_ino == number_) {
    return {};
  }
  if (path_.ends_with("-wal")) {
    return Error(
        ErrorCode::Unavailable,
        fmt::format("The log {} of the journal was {} while it was in use, so "
                    "nothing more is written; put it back, or start again to "
                    "go on with what the journal has without it.",
                    path_, is_there ? "replaced" : "deleted"),
        {{"file", path_}});
  }
  return Error(
      ErrorCode::Unavailable,
      fmt::format("The journal {} was {} while it was in use, so nothing more "
                  "is written; put it back, or start again {}.",
                  path_, is_there ? "replaced" : "deleted",
                  is_there ? "to use the file that is there now"
                           : "to begin a new one"),
      {{"file", path_}});
}

}  // namespace lamarck::store::internal
