#include "lamarck/base/file.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <utility>

#include "lamarck/base/entropy.h"
#include "lamarck/base/hash.h"

namespace lamarck {
namespace {

// Owns a file descriptor.
class Descriptor {
 public:
  explicit Descriptor(int number) : number_(number) {}
  ~Descriptor() {
    if (number_ >= 0) ::close(number_);
  }
  Descriptor(const Descriptor&) = delete;
  Descriptor& operator=(const Descriptor&) = delete;

  int number() const { return number_; }
  bool is_open() const { return number_ >= 0; }
  bool close() { return ::close(std::exchange(number_, -1)) == 0; }

 private:
  int number_;
};

Error io_error(const char* action, const std::filesystem::path& path) {
  const int code = errno;
  const bool is_full = code == ENOSPC || code == EDQUOT;
  return {code == ENOENT ? ErrorCode::NotFound : ErrorCode::IoFailed,
          std::string("Cannot ") + action + " " + path.string() + ": " +
              (is_full ? "the disk is full; free some space and try again"
                       : std::strerror(code)) +
              ".",
          {{"file", path.string()}}};
}

// write() may store only a part, or be interrupted by a signal.
bool write_all(int file, std::string_view bytes) {
  while (!bytes.empty()) {
    const ssize_t written = ::write(file, bytes.data(), bytes.size());
    if (written < 0 && errno == EINTR) continue;
    if (written < 0) return false;
    bytes.remove_prefix(static_cast<std::size_t>(written));
  }
  return true;
}

// Makes a rename in `folder` durable.
void sync_folder(const std::filesystem::path& folder) {
  const Descriptor descriptor(
      ::open(folder.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC));
  if (descriptor.is_open()) ::fsync(descriptor.number());
}

}  // namespace

Result<std::string> read_file(const std::filesystem::path& path,
                              std::uint64_t max_bytes) {
  // O_NONBLOCK: opening a pipe would otherwise wait for its writer.
  const Descriptor file(
      ::open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK));
  struct stat status {};
  if (!file.is_open() || ::fstat(file.number(), &status) != 0) {
    return io_error("read", path);
  }
  if (!S_ISREG(status.st_mode)) {
    return Error(ErrorCode::IoFailed,
                 "Cannot read " + path.string() + ": it is not a regular file.",
                 {{"file", path.string()}});
  }
  if (static_cast<std::uint64_t>(status.st_size) > max_bytes) {
    return Error(ErrorCode::InvalidArgument,
                 path.string() + " has " + std::to_string(status.st_size) +
                     " bytes; the limit is " + std::to_string(max_bytes) +
                     " bytes.",
                 {{"file", path.string()}});
  }
  std::string bytes;
  bytes.resize(static_cast<std::size_t>(status.st_size));
  std::size_t filled = 0;
  for (;;) {
    // The file may grow while it is read, and /proc files report size 0.
    if (filled == bytes.size()) bytes.resize(filled + 4096);
    const ssize_t got =
        ::read(file.number(), bytes.data() + filled, bytes.size() - filled);
    if (got < 0 && errno == EINTR) continue;
    if (got < 0) return io_error("read", path);
    if (got == 0) break;
    filled += static_cast<std::size_t>(got);
    if (filled > max_bytes) {
      errno = EFBIG;
      return io_error("read", path);
    }
  }
  bytes.resize(filled);
  return bytes;
}

Result<void> write_file(const std::filesystem::path& path,
                        std::string_view bytes) {
  std::error_code ignored;
  // Replace the target of a symbolic link, not the link.
  const std::filesystem::path target =
      std::filesystem::is_symlink(path, ignored)
          ? std::filesystem::weakly_canonical(path, ignored)
          : path;
  const std::filesystem::path folder =
      target.has_parent_path() ? target.parent_path() : ".";
  const std::string temporary =
      folder / (".lamarck-" + to_hex64(entropy_seed()));
  Descriptor file(
      ::open(temporary.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0666));
  if (!file.is_open()) return io_error("write", path);
  // An existing file keeps its mode; a new one gets the default by umask.
  struct stat before {};
  const bool is_replaced = ::stat(target.c_str(), &before) == 0;
  // The data must reach the disk before the rename, or a crash could leave an
  // empty file under the final name.
  const bool is_complete =
      (!is_replaced || ::fchmod(file.number(), before.st_mode & 07777) == 0) &&
      write_all(file.number(), bytes) && ::fsync(file.number()) == 0 &&
      file.close() && ::rename(temporary.c_str(), target.c_str()) == 0;
  if (!is_complete) {
    Error error = io_error("write", path);
    ::unlink(temporary.c_str());
    return error;
  }
  sync_folder(folder);
  return {};
}

}  // namespace lamarck
