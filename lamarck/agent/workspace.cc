#include "lamarck/agent/workspace.h"

#include <dirent.h>
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>
#include <fmt/format.h>

#include <algorithm>
#include <atomic>
#include <cerrno>
#include <cstring>
#include <utility>

#include "lamarck/base/macros.h"
#include "lamarck/base/one_line.h"
#include "lamarck/base/string_split.h"

namespace lamarck::agent {
namespace {

class Descriptor {
 public:
  explicit Descriptor(int number) : number_(number) {}
  Descriptor(Descriptor&& other) noexcept
      : number_(std::exchange(other.number_, -1)) {}
  Descriptor& operator=(Descriptor&& other) noexcept {
    std::swap(number_, other.number_);
    return *this;
  }
  ~Descriptor() {
    if (number_ >= 0) close(number_);
  }
  int number() const { return number_; }
  int release() { return std::exchange(number_, -1); }

 private:
  int number_;
};

Error file_error(std::string_view what, std::string_view path, int reason) {
  const ErrorCode code =
      reason == ENOENT ? ErrorCode::NotFound : ErrorCode::IoFailed;
  if (reason == ELOOP || reason == EMLINK) {
    return {ErrorCode::PermissionDenied,
            fmt::format("Cannot {} {}: symbolic links in a workspace are not "
                        "followed.",
                        what, in_quotes(path))};
  }
  return {code, fmt::format("Cannot {} {}: {}.", what, in_quotes(path),
                            std::strerror(reason))};
}

// The names of a relative path. Fails for one that could leave the folder.
Result<std::vector<std::string>> path_names(std::string_view path) {
  const auto refused = [&](std::string_view why) {
    return Error(ErrorCode::PermissionDenied,
                 fmt::format("A path must be relative to the workspace and "
                             "stay in it, got {}: {}.",
                             in_quotes(path), why));
  };
  if (path.find('\0') != std::string_view::npos) {
    return refused("it contains a zero byte");
  }
  if (path.starts_with('/')) return refused("it is absolute");
  std::vector<std::string> names;
  for (const auto& name : split_text(path, '/')) {
    if (name.empty() || name == ".") continue;
    if (name == "..") return refused("it contains '..'");
    names.emplace_back(name);
  }
  return names;
}

constexpr int kFolderFlags = O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC;

// ENOTDIR stands for a link too, because O_DIRECTORY is checked first.
int folder_reason(int parent, const std::string& name, int reason) {
  struct stat status {};
  if (reason == ENOTDIR &&
      fstatat(parent, name.c_str(), &status, AT_SYMLINK_NOFOLLOW) == 0 &&
      S_ISLNK(status.st_mode)) {
    return ELOOP;
  }
  return reason;
}

// Opens the folder that `names` lead to, from `root` on.
Result<Descriptor> open_folder(int root, const std::vector<std::string>& names,
                               std::size_t count, bool creates,
                               std::string_view path) {
  Descriptor folder(openat(root, ".", kFolderFlags));
  if (folder.number() < 0) return file_error("open", path, errno);
  for (std::size_t i = 0; i < count; ++i) {
    const char* name = names[i].c_str();
    if (creates && mkdirat(folder.number(), name, 0777) != 0 &&
        errno != EEXIST) {
      return file_error("create the folder of", path, errno);
    }
    Descriptor next(openat(folder.number(), name, kFolderFlags));
    if (next.number() < 0) {
      return file_error("open", path,
                        folder_reason(folder.number(), names[i], errno));
    }
    folder = std::move(next);
  }
  return folder;
}

Result<void> write_all(int file, std::string_view bytes,
                       std::string_view path) {
  while (!bytes.empty()) {
    const ssize_t count = ::write(file, bytes.data(), bytes.size());
    if (count < 0 && errno == EINTR) continue;
    if (count < 0) return file_error("write", path, errno);
    bytes.remove_prefix(static_cast<std::size_t>(count));
  }
  if (fsync(file) != 0) return file_error("write", path, errno);
  return {};
}

// Collects the entries of a folder; `prefix` is its path, with a slash.
Result<void> collect(Descriptor folder, const std::string& prefix,
                     bool is_recursive, std::size_t max_entries,
                     std::vector<WorkspaceEntry>& entries) {
  DIR* stream = fdopendir(folder.number());
  if (stream == nullptr) return file_error("list", prefix, errno);
  static_cast<void>(folder.release());
  const std::unique_ptr<DIR, int (*)(DIR*)> closer(stream, closedir);
  const int number = dirfd(stream);
  while (const dirent* found = readdir(stream)) {
    const std::string name = found->d_name;
    struct stat status {};
    if (name == "." || name == ".." ||
        fstatat(number, name.c_str(), &status, AT_SYMLINK_NOFOLLOW) != 0) {
      continue;
    }
    const bool is_folder = S_ISDIR(status.st_mode);
    if (!is_folder && !S_ISREG(status.st_mode)) continue;
    if (entries.size() >= max_entries) {
      return Error(ErrorCode::BudgetExceeded,
                   fmt::format("The list has more than {} entries; list a "
                               "folder of it.",
                               max_entries));
    }
    entries.push_back(
        {.path = prefix + name,
         .is_folder = is_folder,
         .size_bytes =
             is_folder ? 0 : static_cast<std::uint64_t>(status.st_size)});
    if (!is_folder || !is_recursive) continue;
    Descriptor next(openat(number, name.c_str(), kFolderFlags));
    if (next.number() < 0) continue;  // Removed or replaced meanwhile.
    RETURN_IF_ERROR(collect(std::move(next), prefix + name + "/", true,
                            max_entries, entries));
  }
  return {};
}

Error not_a_file(std::string_view path) {
  return invalid_argument("A path of a file is required, got " +
                          in_quotes(path) + ".");
}

}  // namespace

Result<std::shared_ptr<Workspace>> Workspace::open(
    const std::filesystem::path& folder) {
  std::error_code failure;
  const auto real = std::filesystem::canonical(folder, failure);
  const int descriptor =
      failure ? -1 : ::open(real.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC);
  if (descriptor < 0) {
    return Error(ErrorCode::NotFound,
                 "The workspace must be a folder, got " +
                     in_quotes(folder.string()) +
                     "; create it, or choose another one with --workspace.");
  }
  return std::shared_ptr<Workspace>(new Workspace(descriptor, real));
}

Workspace::~Workspace() { close(descriptor_); }

Result<std::string> Workspace::read(std::string_view path, std::uint64_t offset,
                                    std::size_t max_bytes,
                                    std::uint64_t& size_bytes) const {
  ASSIGN_OR_RETURN(const auto names, path_names(path));
  if (names.empty()) return not_a_file(path);
  ASSIGN_OR_RETURN(
      const Descriptor folder,
      open_folder(descriptor_, names, names.size() - 1, false, path));
  // Without O_NONBLOCK, opening a pipe would wait for its writer.
  const Descriptor file(openat(folder.number(), names.back().c_str(),
                               O_RDONLY | O_NOFOLLOW | O_CLOEXEC | O_NONBLOCK));
  struct stat status {};
  if (file.number() < 0 || fstat(file.number(), &status) != 0) {
    return file_error("read", path, errno);
  }
  if (!S_ISREG(status.st_mode)) return not_a_file(path);
  size_bytes = static_cast<std::uint64_t>(status.st_size);
  std::string bytes(max_bytes, '\0');
  std::size_t size = 0;
  while (size < max_bytes) {
    const ssize_t count =
        pread(file.number(), bytes.data() + size, max_bytes - size,
              static_cast<off_t>(offset + size));
    if (count < 0 && errno == EINTR) continue;
    if (count < 0) return file_error("read", path, errno);
    if (count == 0) break;
    size += static_cast<std::size_t>(count);
  }
  bytes.resize(size);
  return bytes;
}

Result<void> Workspace::write(std::string_view path,
                              std::string_view bytes) const {
  ASSIGN_OR_RETURN(const auto names, path_names(path));
  if (names.empty()) return not_a_file(path);
  ASSIGN_OR_RETURN(
      const Descriptor folder,
      open_folder(descriptor_, names, names.size() - 1, true, path));
  struct stat status {};
  if (fstatat(folder.number(), names.back().c_str(), &status,
              AT_SYMLINK_NOFOLLOW) == 0 &&
      !S_ISREG(status.st_mode)) {
    return S_ISLNK(status.st_mode) ? file_error("write", path, ELOOP)
                                   : not_a_file(path);
  }
  static std::atomic<unsigned> counter = 0;
  const std::string draft = fmt::format(".lamarck-{}-{}", getpid(), ++counter);
  const Descriptor file(
      openat(folder.number(), draft.c_str(),
             O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0666));
  if (file.number() < 0) return file_error("write", path, errno);
  Result<void> written = write_all(file.number(), bytes, path);
  if (written && renameat(folder.number(), draft.c_str(), folder.number(),
                          names.back().c_str()) != 0) {
    written = file_error("write", path, errno);
  }
  if (!written) unlinkat(folder.number(), draft.c_str(), 0);
  return written;
}

Result<std::vector<WorkspaceEntry>> Workspace::list(
    std::string_view path, bool is_recursive, std::size_t max_entries) const {
  ASSIGN_OR_RETURN(const auto names, path_names(path));
  ASSIGN_OR_RETURN(Descriptor folder,
                   open_folder(descriptor_, names, names.size(), false, path));
  std::string prefix;
  for (const std::string& name : names) prefix += name + "/";
  std::vector<WorkspaceEntry> entries;
  RETURN_IF_ERROR(
      collect(std::move(folder), prefix, is_recursive, max_entries, entries));
  std::ranges::sort(entries, {}, &WorkspaceEntry::path);
  return entries;
}

Result<void> Workspace::remove(std::string_view path) const {
  ASSIGN_OR_RETURN(const auto names, path_names(path));
  if (names.empty()) return not_a_file(path);
  ASSIGN_OR_RETURN(
      const Descriptor folder,
      open_folder(descriptor_, names, names.size() - 1, false, path));
  const char* name = names.back().c_str();
  if (unlinkat(folder.number(), name, 0) == 0) return {};
  if (errno == EISDIR && unlinkat(folder.number(), name, AT_REMOVEDIR) == 0) {
    return {};
  }
  return file_error("delete", path, errno);
}

}  // namespace lamarck::agent
