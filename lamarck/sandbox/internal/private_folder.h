// A temporary folder that is removed on destruction.

#pragma once

#include <sys/types.h>

#include <string>

#include "lamarck/base/result.h"

namespace lamarck::internal {

class PrivateFolder {
 public:
  // Creates an empty folder that only the caller can enter.
  static Result<PrivateFolder> make();
  PrivateFolder(PrivateFolder&& other) noexcept;
  PrivateFolder& operator=(PrivateFolder&&) = delete;
  // Removes the folder and its contents, whatever their permissions. Removes
  // links without following them.
  ~PrivateFolder();

  const std::string& path() const { return path_; }
  // Changes the owner of the folder. Returns 0 or an errno.
  int give_to(uid_t owner) const;
  // Lets everyone enter and read the folder; only the owner can write.
  void show() const;

 private:
  explicit PrivateFolder(std::string path) : path_(std::move(path)) {}

  std::string path_;  // Empty after a move.
};

}  // namespace lamarck::internal
