#include "lamarck/sandbox/internal/box_walls.h"

#include <sys/utsname.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <charconv>
#include <filesystem>
#include <fstream>
#include <fmt/format.h>

#include "lamarck/base/one_line.h"
#include "lamarck/base/string_split.h"
#include "lamarck/sandbox/internal/box_root.h"
#include "lamarck/sandbox/internal/syscall_filter.h"

namespace lamarck::internal {
namespace {

namespace fs = std::filesystem;

constexpr uid_t kNobody = 65534;
constexpr std::uint64_t kPageBytes = 4096;

Error invalid(std::string message) {
  return Error(ErrorCode::InvalidArgument, std::move(message));
}

bool stays_inside(const std::string& name) {
  if (name.empty() || name.size() > 1000 || name.front() == '/') return false;
  for (const fs::path& part : fs::path(name)) {
    if (part == ".." || part == "." || part.empty()) return false;
  }
  return name.find('\0') == std::string::npos;
}

// Lists each folder before its contents.
std::vector<BoxFile> box_files(const std::vector<SandboxFile>& files) {
  std::vector<BoxFile> list;
  for (const SandboxFile& file : files) {
    for (std::size_t i = 0; i < file.name.size(); ++i) {
      if (file.name[i] != '/') continue;
      list.push_back({.name = file.name.substr(0, i), .is_folder = true});
    }
    list.push_back({.name = file.name,
                    .content = &file.content,
                    .is_executable = file.is_executable});
  }
  return list;
}

std::uint64_t needed_bytes(const SandboxJob& job) {
  std::uint64_t bytes = 0;
  for (const SandboxFile& file : job.files) {
    bytes += (file.content.size() / kPageBytes + 2) * kPageBytes;
  }
  return bytes;
}

std::string work_options(const SandboxJob& job, uid_t user) {
  const std::uint64_t free = job.is_read_only ? 0 : job.limits.file_bytes;
  return fmt::format("size={},nr_inodes={},mode=755,uid={},gid={}",
                     needed_bytes(job) + std::max(free, kPageBytes),
                     1024 + 16 * job.files.size(), user, user);
}

// Whether the kernel counts processes per user namespace (Linux 5.14 and
// later).
bool counts_processes_per_namespace() {
  utsname system{};
  uname(&system);
  const auto numbers = split_text(system.release, '.');
  int major = 0;
  int minor = 0;
  const auto read = [](std::string_view text, int& number) {
    std::from_chars(text.data(), text.data() + text.size(), number);
  };
  read(numbers[0], major);
  if (numbers.size() > 1) read(numbers[1], minor);
  return major > 5 || (major == 5 && minor >= 14);
}

// The number of threads that the caller's user has now. If the kernel counts
// the box's processes together with these, the limit is raised by this number.
std::uint64_t threads_of_this_user() {
  std::uint64_t count = 0;
  std::error_code ignored;
  for (const auto& entry : fs::directory_iterator("/proc", ignored)) {
    std::ifstream status(entry.path() / "status");
    std::string line;
    std::uint64_t user = 0;
    while (std::getline(status, line)) {
      if (line.starts_with("Uid:")) user = std::stoull(line.substr(4));
      if (line.starts_with("Threads:") && user == getuid()) {
        count += std::stoull(line.substr(8));
      }
    }
  }
  return count;
}

std::uint64_t process_limit(const BoxWalls& walls, std::uint64_t wanted) {
  // The first process of the box counts as well.
  if (walls.has_user_namespace && counts_processes_per_namespace()) {
    return wanted + 1;
  }
  if (walls.has_own_user) return wanted + walls.has_user_namespace;
  return wanted + 1 + threads_of_this_user();
}

std::vector<BoxLimit> box_limits(const BoxWalls& walls, const SandboxJob& job) {
  const SandboxLimits& limits = job.limits;
  std::vector<BoxLimit> list;
  const auto add = [&](int resource, std::uint64_t soft, std::uint64_t hard) {
    rlimit current{};
    getrlimit(static_cast<__rlimit_resource>(resource), &current);
    hard = std::min<std::uint64_t>(hard, current.rlim_max);
    list.push_back({resource, {std::min<std::uint64_t>(soft, hard), hard}});
  };
  const std::uint64_t processes = process_limit(walls, limits.processes);
  const std::uint64_t file = job.is_read_only ? 0 : limits.file_bytes;
  add(RLIMIT_CPU, limits.cpu_seconds, limits.cpu_seconds + 1);
  add(RLIMIT_AS, limits.memory_bytes, limits.memory_bytes);
  add(RLIMIT_NPROC, processes, processes);
  add(RLIMIT_NOFILE, limits.open_files, limits.open_files);
  add(RLIMIT_FSIZE, file, file);
  for (const int resource : {RLIMIT_CORE, RLIMIT_MEMLOCK, RLIMIT_MSGQUEUE}) {
    add(resource, 0, 0);
  }
  return list;
}

std::vector<BoxRule> box_rules(const BoxWalls& walls, const BoxSetup& setup) {
  std::vector<BoxRule> rules;
  for (const BoxMount& mount : walls.mounts) {
    const bool is_link = mount.kind == BoxMountKind::Link;
    rules.push_back({.path = is_link ? "/" + mount.target : mount.source,
                     .is_writable = mount.kind == BoxMountKind::Device});
  }
  rules.push_back(
      {.path = setup.work_folder, .is_writable = !setup.is_read_only});
  return rules;
}

// The pointers stay valid while `words` lives and is not resized.
std::vector<char*> pointers_to(std::vector<std::string>& words) {
  std::vector<char*> pointers;
  for (std::string& word : words) pointers.push_back(word.data());
  if (!pointers.empty()) pointers.push_back(nullptr);
  return pointers;
}

std::vector<std::string> environment(const SandboxJob& job,
                                     const std::string& home) {
  std::vector<std::string> list = {"PATH=/usr/local/bin:/usr/bin:/bin",
                                   "LANG=C.UTF-8", "HOME=" + home,
                                   "TMPDIR=" + home};
  list.insert(list.end(), job.environment.begin(), job.environment.end());
  return list;
}

// The first line of this process's user id mapping.
struct IdRange {
  std::uint64_t inside = 0;
  std::uint64_t outside = 0;
  std::uint64_t count = 0;
};

IdRange first_id_range() {
  IdRange range;
  std::ifstream map("/proc/self/uid_map");
  map >> range.inside >> range.outside >> range.count;
  return range;
}

void choose_users(const BoxWalls& walls, BoxRequest& request) {
  request.outside_user = walls.has_own_user ? fresh_user() : geteuid();
  request.outside_group = walls.has_own_user ? request.outside_user : getegid();
  request.setup.user =
      walls.has_user_namespace ? kNobody : request.outside_user;
}

}  // namespace

std::vector<std::string> layer_names(const BoxWalls& walls) {
  std::vector<std::string> names = {"no_new_privs", "rlimits"};
  if (walls.has_namespaces) names.emplace_back("namespaces");
  if (walls.has_own_user) names.emplace_back("own_user");
  if (walls.landlock_version > 0) names.emplace_back("landlock");
  if (walls.has_seccomp) names.emplace_back("seccomp");
  return names;
}

Result<void> check_job(const SandboxJob& job) {
  if (job.command.empty() ||
      !(job.command[0].starts_with("/") || job.command[0].starts_with("./"))) {
    return invalid(fmt::format(
        "The command of a sandbox must start with an absolute path such as "
        "/usr/bin/python3, or with ./NAME, got {}.",
        job.command.empty() ? "no command" : in_quotes(job.command[0])));
  }
  for (const SandboxFile& file : job.files) {
    if (!stays_inside(file.name)) {
      return invalid(
          fmt::format("The file name {} must stay inside the sandbox's folder; "
                      "use a relative name without '..'.",
                      in_quotes(file.name)));
    }
  }
  return {};
}

BoxRequest box_request(const BoxWalls& walls, const SandboxJob& job,
                       const std::string& folder) {
  BoxRequest request;
  BoxSetup& setup = request.setup;
  setup.has_namespaces = walls.has_namespaces;
  setup.has_user_namespace = walls.has_user_namespace;
  setup.has_own_user = walls.has_own_user;
  setup.landlock_version = walls.landlock_version;
  choose_users(walls, request);
  if (walls.has_seccomp) {
    SyscallFilter filter = syscall_filter(walls.has_namespaces);
    setup.filter = std::move(filter.code);
    setup.filter_own_pid = filter.own_pid;
  }
  setup.mount_point = walls.mount_point;
  setup.mounts = walls.mounts;
  setup.files = box_files(job.files);
  setup.work_options = work_options(job, setup.user);
  setup.is_read_only = job.is_read_only;
  setup.work_folder = walls.has_namespaces ? "/work" : folder;
  setup.rules = box_rules(walls, setup);
  setup.limits = box_limits(walls, job);
  setup.wall_nanoseconds = std::chrono::nanoseconds(job.limits.wall).count();
  request.words = job.command;
  request.variables = environment(job, setup.work_folder);
  setup.arguments = pointers_to(request.words);
  setup.environment = pointers_to(request.variables);
  request.input = job.input;
  request.has_result_channel = job.has_result_channel;
  request.output_bytes = job.limits.output_bytes;
  return request;
}

bool is_real_root() { return geteuid() == 0 && first_id_range().outside == 0; }

uid_t fresh_user() {
  static std::atomic<uid_t> next = 0;
  const uid_t number = next.fetch_add(1);
  // With all ids available, reserve 64 per PID in a range that real users do
  // not have. A container may have fewer ids.
  if (first_id_range().count > 0xF0000000) {
    return 0x70000000 + static_cast<uid_t>(getpid()) % (1 << 22) * 64 +
           number % 64;
  }
  return 60'000 + number % 4096;
}

}  // namespace lamarck::internal
