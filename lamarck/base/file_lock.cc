#include "lamarck/base/file_lock.h"

#include <fcntl.h>
#include <sys/file.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <cstring>
#include <string>
#include <utility>

namespace lamarck {
namespace {

Error lock_error(const std::filesystem::path& path) {
  return {ErrorCode::IoFailed,
          "Cannot lock " + path.string() + ": " + std::strerror(errno) + ".",
          {{"file", path.string()}}};
}

// Returns the number at the start of the file, or "".
std::string read_process(int file) {
  std::array<char, 20> bytes{};
  const ssize_t got = ::pread(file, bytes.data(), bytes.size(), 0);
  std::string digits;
  for (ssize_t i = 0; i < got; ++i) {
    const char c = bytes[static_cast<std::size_t>(i)];
    if (c < '0' || c > '9') break;
    digits += c;
  }
  return digits;
}

}  // namespace

Result<FileLock> FileLock::acquire(const std::filesystem::path& path) {
  // O_NOFOLLOW: the id must not be written into a file elsewhere.
  const int file =
      ::open(path.c_str(), O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW, 0666);
  if (file < 0) return lock_error(path);
  FileLock lock(file);
  int result = 0;
  do {
    result = ::flock(file, LOCK_EX | LOCK_NB);
  } while (result != 0 && errno == EINTR);
  if (result != 0 && errno == EWOULDBLOCK) {
    return Error(ErrorCode::Conflict, path.string() + " is locked.",
                 {{"process", read_process(file)}});
  }
  // A file system without locks must not stop a run.
  if (result != 0 && errno != ENOLCK && errno != EOPNOTSUPP) {
    return lock_error(path);
  }
  const std::string process = std::to_string(::getpid()) + "\n";
  if (::ftruncate(file, 0) != 0 ||
      ::pwrite(file, process.data(), process.size(), 0) < 0) {
    return lock_error(path);
  }
  return lock;
}

bool FileLock::is_held(const std::filesystem::path& path) {
  const int file = ::open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NOFOLLOW);
  if (file < 0) return false;
  // Shared, so that two readers do not take each other for the holder.
  const FileLock lock(file);
  return ::flock(file, LOCK_SH | LOCK_NB) != 0 && errno == EWOULDBLOCK;
}

FileLock::FileLock(FileLock&& other) noexcept
    : file_(std::exchange(other.file_, -1)) {}

FileLock& FileLock::operator=(FileLock&& other) noexcept {
  std::swap(file_, other.file_);
  return *this;
}

FileLock::~FileLock() {
  if (file_ >= 0) ::close(file_);
}

}  // namespace lamarck
