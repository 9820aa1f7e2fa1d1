// Marks a file as in use by this process.

#pragma once

#include <filesystem>

#include "lamarck/base/result.h"

namespace lamarck {

// Holds an advisory lock (flock) on a file until it is destroyed. The system
// releases the lock of a process that ends in any way, so a file that is left
// behind is no obstacle.
class FileLock {
 public:
  // Creates the file if needed and writes the id of this process into it. Fails
  // with Conflict if another process, or another object, holds the lock; the
  // field "process" of the error is then its id, if it is known.
  static Result<FileLock> acquire(const std::filesystem::path& path);
  // Whether another process or object holds the lock. Writes nothing.
  static bool is_held(const std::filesystem::path& path);
  FileLock(FileLock&& other) noexcept;
  FileLock& operator=(FileLock&& other) noexcept;
  ~FileLock();

 private:
  explicit FileLock(int file) : file_(file) {}

  int file_;
};

}  // namespace lamarck
