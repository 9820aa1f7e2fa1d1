// A folder of temporary files that removes itself.

#pragma once

#include <sys/types.h>

#include <string>

#include "lamarck/base/result.h"

namespace lamarck::internal {

class PrivateFolder {
 public:
  // Empty, and only the caller can enter it.
  static Result<PrivateFolder> make();
  PrivateFolder(PrivateFolder&& other) noexcept;
  PrivateFolder& operator=(PrivateFolder&&) = delete;
  // Removes all that is in it, whatever rights its files were given. Links are
  // removed, never followed.
  ~PrivateFolder();

  const std::string& path() const { return path_; }
  // From now on it is `owner`'s. Returns 0 or an errno.
  int give_to(uid_t owner) const;
  // From now on all can enter and read it; only the caller can write.
  void show() const;

 private:
  explicit PrivateFolder(std::string path) : path_(std::move(path)) {}

  std::string path_;  // Empty once it is moved from.
};

}  // namespace lamarck::internal
