#include "lamarck/base/file.h"

#include <fcntl.h>
#include <poll.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstdio>
#include <cstring>
#include <utility>

#include "lamarck/base/entropy.h"
#include "lamarck/base/hash.h"
#include "lamarck/base/macros.h"

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

bool is_device(const struct stat& status) {
  return S_ISCHR(status.st_mode) || S_ISFIFO(status.st_mode);
}

// Whether reading would not wait, or `cancel` ended the wait.
bool wait_for_input(int file, const CancelToken* cancel) {
  constexpr int kPeriodMs = 100;
  pollfd input{.fd = file, .events = POLLIN, .revents = 0};
  while (cancel != nullptr && !cancel->is_cancelled()) {
    if (::poll(&input, 1, kPeriodMs) != 0) break;
  }
  return cancel == nullptr || !cancel->is_cancelled();
}

// Appends what is left to read to the first `bytes`, which are overwritten.
Result<std::string> read_rest(int file, const std::filesystem::path& path,
                              std::uint64_t max_bytes, std::string bytes,
                              const CancelToken* cancel) {
  constexpr std::size_t kMinStep = 4096;
  std::size_t filled = 0;
  for (;;) {
    // The file may grow while it is read, and /proc files report size 0.
    if (filled == bytes.size()) {
      bytes.resize(filled + std::max(kMinStep, filled / 2));
    }
    if (!wait_for_input(file, cancel)) return cancel->check().error();
    const ssize_t got =
        ::read(file, bytes.data() + filled, bytes.size() - filled);
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

Error existing_file(const std::filesystem::path& path) {
  return {ErrorCode::AlreadyExists,
          path.string() + " already exists; choose another file.",
          {{"file", path.string()}}};
}

// Returns the file to write: `path`, or what it links to.
Result<std::filesystem::path> link_target(const std::filesystem::path& path) {
  namespace fs = std::filesystem;
  constexpr int kMaxLinks = 40;
  std::error_code failure;
  if (!fs::is_symlink(path, failure)) return path;
  const fs::path folder =
      fs::weakly_canonical(fs::absolute(path).parent_path(), failure);
  fs::path target = folder / path.filename();
  // One link at a time, because the last one may point to nothing yet.
  for (int i = 0; fs::is_symlink(target, failure); ++i) {
    if (i == kMaxLinks) {
      errno = ELOOP;
      return io_error("write", path);
    }
    const fs::path next =
        target.parent_path() / fs::read_symlink(target, failure);
    target =
        fs::weakly_canonical(next.parent_path(), failure) / next.filename();
  }
  if (*target.lexically_relative(folder).begin() != "..") return target;
  return Error(ErrorCode::PermissionDenied,
               "Cannot write " + path.string() + ": it is a symbolic link to " +
                   target.string() +
                   ", outside its folder; remove the link, or give that path.",
               {{"file", path.string()}});
}

Result<void> write_device(const std::filesystem::path& path,
                          std::string_view bytes) {
  Descriptor file(::open(path.c_str(), O_WRONLY | O_CLOEXEC));
  if (!file.is_open() || !write_all(file.number(), bytes)) {
    return io_error("write", path);
  }
  return {};
}

// Renames a file. Sets errno to EEXIST if `to` exists and must not be replaced.
bool move_file(const std::string& from, const std::filesystem::path& to,
               ExistingFile existing) {
  if (existing == ExistingFile::Refuse) {
    if (::renameat2(AT_FDCWD, from.c_str(), AT_FDCWD, to.c_str(),
                    RENAME_NOREPLACE) == 0) {
      return true;
    }
    // Some file systems cannot do this; the caller has checked already.
    if (errno != EINVAL && errno != ENOSYS) return false;
  }
  return ::rename(from.c_str(), to.c_str()) == 0;
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
                 "Cannot read " + path.string() +
                     (S_ISDIR(status.st_mode) ? ": it is a folder."
                                              : ": it is not a regular file."),
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
  return read_rest(file.number(), path, max_bytes, std::move(bytes), nullptr);
}

Result<std::string> read_descriptor(int descriptor, const std::string& name,
                                    std::uint64_t max_bytes,
                                    const CancelToken& cancel) {
  return read_rest(descriptor, name, max_bytes, {}, &cancel);
}

Result<void> check_new_file(const std::filesystem::path& path) {
  struct stat status {};
  // A device or a pipe has no contents to lose.
  const bool is_free =
      ::lstat(path.c_str(), &status) != 0 ||
      (::stat(path.c_str(), &status) == 0 && is_device(status));
  return is_free ? Result<void>() : existing_file(path);
}

Result<void> write_file(const std::filesystem::path& path,
                        std::string_view bytes, ExistingFile existing) {
  if (existing == ExistingFile::Refuse) RETURN_IF_ERROR(check_new_file(path));
  struct stat before {};
  const bool is_replaced = ::stat(path.c_str(), &before) == 0;
  if (is_replaced && is_device(before)) return write_device(path, bytes);
  ASSIGN_OR_RETURN(const std::filesystem::path target, link_target(path));
  const std::filesystem::path folder =
      target.has_parent_path() ? target.parent_path() : ".";
  const std::string temporary =
      folder / (".lamarck-" + to_hex64(entropy_seed()));
  Descriptor file(
      ::open(temporary.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0666));
  if (!file.is_open()) return io_error("write", path);
  // An existing file keeps its mode; a new one gets the default by umask. The
  // data must reach the disk before the rename, or a crash could leave an empty
  // file under the final name.
  const bool is_complete =
      (!is_replaced || ::fchmod(file.number(), before.st_mode & 07777) == 0) &&
      write_all(file.number(), bytes) && ::fsync(file.number()) == 0 &&
      file.close() && move_file(temporary, target, existing);
  if (!is_complete) {
    Error error =
        errno == EEXIST ? existing_file(path) : io_error("write", path);
    ::unlink(temporary.c_str());
    return error;
  }
  sync_folder(folder);
  return {};
}

}  // namespace lamarck
