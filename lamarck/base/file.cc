#include "lamarck/base/file.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <utility>

namespace lamarck {
namespace {

// Closes itself.
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
  return {code == ENOENT ? ErrorCode::NotFound : ErrorCode::IoFailed,
          std::string("Cannot ") + action + " " + path.string() + ": " +
              std::strerror(code) + ".",
          {{"file", path.string()}}};
}

bool write_all(int file, std::string_view bytes) {
  while (!bytes.empty()) {
    const ssize_t written = ::write(file, bytes.data(), bytes.size());
    if (written < 0 && errno == EINTR) continue;
    if (written < 0) return false;
    bytes.remove_prefix(static_cast<std::size_t>(written));
  }
  return true;
}

// Makes a rename in `folder` survive a crash.
void sync_folder(const std::filesystem::path& folder) {
  const Descriptor descriptor(
      ::open(folder.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC));
  if (descriptor.is_open()) ::fsync(descriptor.number());
}

}  // namespace

Result<std::string> read_file(const std::filesystem::path& path,
                              std::uint64_t max_bytes) {
  const Descriptor file(::open(path.c_str(), O_RDONLY | O_CLOEXEC));
  struct stat status {};
  if (!file.is_open() || ::fstat(file.number(), &status) != 0) {
    return io_error("read", path);
  }
  if (S_ISDIR(status.st_mode)) {
    errno = EISDIR;
    return io_error("read", path);
  }
  if (static_cast<std::uint64_t>(status.st_size) > max_bytes) {
    return Error(ErrorCode::InvalidArgument,
                 path.string() + " has " + std::to_string(status.st_size) +
                     " bytes; at most " + std::to_string(max_bytes) +
                     " are read.",
                 {{"file", path.string()}});
  }
  std::string bytes;
  bytes.resize(static_cast<std::size_t>(status.st_size));
  std::size_t filled = 0;
  for (;;) {
    // A file may grow meanwhile, and some (/proc) do not tell their size.
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
  const std::filesystem::path folder =
      path.has_parent_path() ? path.parent_path() : ".";
  std::string temporary = (folder / (path.filename().string() + ".XXXXXX"));
  Descriptor file(::mkostemp(temporary.data(), O_CLOEXEC));
  if (!file.is_open()) return io_error("write", path);
  // Like a file that was simply created: what the umask leaves of rw-rw-rw-.
  const mode_t mask = ::umask(0);
  ::umask(mask);
  const bool is_complete = write_all(file.number(), bytes) &&
                           ::fchmod(file.number(), 0666 & ~mask) == 0 &&
                           ::fsync(file.number()) == 0 && file.close() &&
                           ::rename(temporary.c_str(), path.c_str()) == 0;
  if (!is_complete) {
    Error error = io_error("write", path);
    ::unlink(temporary.c_str());
    return error;
  }
  sync_folder(folder);
  return {};
}

}  // namespace lamarck
