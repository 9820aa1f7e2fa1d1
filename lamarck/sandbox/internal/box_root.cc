#include "lamarck/sandbox/internal/box_root.h"

#include <errno.h>
#include <fcntl.h>
#include <sys/mount.h>
#include <sys/stat.h>
#include <sys/statfs.h>

#include <algorithm>
#include <filesystem>

#include "lamarck/sandbox/internal/raw_call.h"

namespace lamarck::internal {
namespace {

namespace fs = std::filesystem;

constexpr long kMountSetattr = 442;
constexpr int kRecursive = 0x8000;
constexpr std::uint64_t kReadOnly = 1;
constexpr std::uint64_t kNoSetuid = 2;
constexpr std::uint64_t kNoDevices = 4;

struct MountAttributes {
  std::uint64_t set = 0;
  std::uint64_t clear = 0;
  std::uint64_t propagation = 0;
  std::uint64_t user_namespace = 0;
};

// /lib64 and similar entries are links on most systems and folders on some.
void add_top_entry(std::vector<BoxMount>& mounts, const std::string& name) {
  const fs::path path = "/" + name;
  std::error_code ignored;
  if (fs::is_symlink(path, ignored)) {
    mounts.push_back(
        {BoxMountKind::Link, fs::read_symlink(path, ignored).string(), name});
  } else if (fs::is_directory(path, ignored)) {
    mounts.push_back({BoxMountKind::Folder, path.string(), name});
  }
}

void add_path(std::vector<BoxMount>& mounts, const std::string& path) {
  std::error_code ignored;
  const std::string target = fs::path(path).relative_path().string();
  const bool is_shown = std::ranges::any_of(mounts, [&](const BoxMount& mount) {
    return mount.kind == BoxMountKind::Folder &&
           (target + "/").starts_with(mount.target + "/");
  });
  if (is_shown) return;
  if (fs::is_directory(path, ignored)) {
    mounts.push_back({BoxMountKind::Folder, path, target});
  } else if (fs::is_character_file(path, ignored)) {
    mounts.push_back({BoxMountKind::Device, path, target});
  } else if (fs::is_regular_file(path, ignored)) {
    mounts.push_back({BoxMountKind::File, path, target});
  }
}

bool succeeded(long outcome) { return outcome == 0; }

// Only adds restrictions: the existing ones are locked in a user namespace.
bool restrict_mount(const char* target, std::uint64_t attributes) {
  const MountAttributes change{.set = attributes};
  if (succeeded(raw_call(kMountSetattr, AT_FDCWD, target, kRecursive, &change,
                         sizeof change))) {
    return true;
  }
  if (errno != ENOSYS) return false;
  struct statfs status {};
  if (raw_call(SYS_statfs, target, &status) != 0) return false;
  // Older kernel: remount and keep the current flags, which have the same
  // values in statfs and mount.
  const auto kept = static_cast<std::uint64_t>(status.f_flags) & 0xC0F;
  return succeeded(raw_call(SYS_mount, nullptr, target, nullptr,
                            MS_BIND | MS_REMOUNT | attributes | kept, nullptr));
}

// Creates the parent folders of `path`, which is relative and shorter than 4096
// bytes.
bool make_parents(const std::string& path) {
  char part[4096];
  for (std::size_t i = 0; i < path.size() && i < sizeof part - 1; ++i) {
    if (path[i] == '/') {
      part[i] = '\0';
      if (raw_call(SYS_mkdirat, AT_FDCWD, part, 0755) != 0 && errno != EEXIST) {
        return false;
      }
    }
    part[i] = path[i];
  }
  return true;
}

bool make_empty_file(const char* path) {
  const long file = raw_call(SYS_openat, AT_FDCWD, path,
                             O_CREAT | O_WRONLY | O_CLOEXEC, 0444);
  return file >= 0 && succeeded(raw_call(SYS_close, file));
}

bool make_target(const BoxMount& mount) {
  if (!make_parents(mount.target)) return false;
  const char* target = mount.target.c_str();
  switch (mount.kind) {
    case BoxMountKind::Folder:
      return succeeded(raw_call(SYS_mkdirat, AT_FDCWD, target, 0755)) ||
             errno == EEXIST;
    case BoxMountKind::Link:
      return succeeded(
          raw_call(SYS_symlinkat, mount.source.c_str(), AT_FDCWD, target));
    default:
      return make_empty_file(target);
  }
}

bool show(const BoxMount& mount) {
  if (!make_target(mount)) return false;
  if (mount.kind == BoxMountKind::Link) return true;
  const char* target = mount.target.c_str();
  return succeeded(raw_call(SYS_mount, mount.source.c_str(), target, nullptr,
                            MS_BIND | MS_REC, nullptr)) &&
         restrict_mount(target, mount.kind == BoxMountKind::Device
                                    ? kNoSetuid
                                    : kReadOnly | kNoSetuid | kNoDevices);
}

bool mount_memory(const char* target, const char* options) {
  return succeeded(raw_call(SYS_mount, "tmpfs", target, "tmpfs",
                            MS_NOSUID | MS_NODEV, options));
}

bool fail(BoxReport& failure, BoxStage stage, std::size_t detail = 0) {
  failure.stage = stage;
  failure.error = errno;
  failure.detail = static_cast<std::int32_t>(detail);
  return false;
}

bool mount_all(const BoxSetup& setup, BoxReport& failure) {
  const char* here = setup.mount_point.c_str();
  if (raw_call(SYS_mount, "none", "/", nullptr, MS_REC | MS_PRIVATE, nullptr) !=
          0 ||
      !mount_memory(here, "size=1m,nr_inodes=4096,mode=755") ||
      raw_call(SYS_chdir, here) != 0) {
    return fail(failure, BoxStage::Mounts);
  }
  for (std::size_t i = 0; i < setup.mounts.size(); ++i) {
    if (!show(setup.mounts[i])) return fail(failure, BoxStage::Mounts, i + 1);
  }
  return true;
}

bool make_work_folder(const BoxSetup& setup, BoxReport& failure) {
  if (raw_call(SYS_mkdirat, AT_FDCWD, "work", 0755) != 0 ||
      raw_call(SYS_symlinkat, "work", AT_FDCWD, "tmp") != 0 ||
      !mount_memory("work", setup.work_options.c_str()) ||
      raw_call(SYS_chdir, "work") != 0) {
    return fail(failure, BoxStage::Files);
  }
  if (!write_box_files(setup.files, failure)) return false;
  if (raw_call(SYS_chdir, "..") != 0 ||
      (setup.is_read_only && !restrict_mount("work", kReadOnly))) {
    return fail(failure, BoxStage::Files);
  }
  return true;
}

bool write_all(int file, const std::string& content) {
  std::size_t done = 0;
  while (done < content.size()) {
    const long written =
        raw_call(SYS_write, file, content.data() + done, content.size() - done);
    if (written < 0 && errno != EINTR) return false;
    if (written > 0) done += static_cast<std::size_t>(written);
  }
  return true;
}

bool write_box_file(const BoxFile& file) {
  const char* name = file.name.c_str();
  if (file.is_folder) {
    return succeeded(raw_call(SYS_mkdirat, AT_FDCWD, name, 0755)) ||
           errno == EEXIST;
  }
  const long opened = raw_call(SYS_openat, AT_FDCWD, name,
                               O_CREAT | O_EXCL | O_WRONLY | O_CLOEXEC,
                               file.is_executable ? 0755 : 0644);
  if (opened < 0) return false;
  const bool is_written = write_all(static_cast<int>(opened), *file.content);
  return raw_call(SYS_close, opened) == 0 && is_written;
}

}  // namespace

std::vector<BoxMount> root_mounts(const std::vector<std::string>& readable) {
  std::vector<BoxMount> mounts = {{BoxMountKind::Folder, "/usr", "usr"}};
  for (const char* name : {"bin", "lib", "lib32", "lib64", "sbin"}) {
    add_top_entry(mounts, name);
  }
  for (const char* path : {"/etc/alternatives", "/etc/ld.so.cache", "/dev/null",
                           "/dev/zero", "/dev/urandom"}) {
    add_path(mounts, path);
  }
  for (const std::string& path : readable) add_path(mounts, path);
  return mounts;
}

bool enter_private_root(const BoxSetup& setup, BoxReport& failure) {
  if (!mount_all(setup, failure) || !make_work_folder(setup, failure)) {
    return false;
  }
  const MountAttributes read_only{.set = kReadOnly};
  // pivot_root(".", ".") stacks the old root on the new one; unmount it.
  if (raw_call(SYS_pivot_root, ".", ".") != 0 ||
      raw_call(SYS_umount2, ".", MNT_DETACH) != 0 ||
      raw_call(SYS_chdir, "/") != 0) {
    return fail(failure, BoxStage::Root);
  }
  // Without this call (older kernels) the root in memory stays writable.
  raw_call(kMountSetattr, AT_FDCWD, "/", 0, &read_only, sizeof read_only);
  if (raw_call(SYS_chdir, "/work") != 0) return fail(failure, BoxStage::Root);
  return true;
}

bool write_box_files(const std::vector<BoxFile>& files, BoxReport& failure) {
  for (std::size_t i = 0; i < files.size(); ++i) {
    if (!write_box_file(files[i])) {
      return fail(failure, BoxStage::Files, i + 1);
    }
  }
  return true;
}

}  // namespace lamarck::internal
