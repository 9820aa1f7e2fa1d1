// All that a sandbox's processes need, prepared before they are forked, so that
// they neither allocate nor take locks.

#pragma once

#include <sys/resource.h>
#include <sys/types.h>
#include <linux/filter.h>

#include <array>
#include <cstdint>
#include <string>
#include <vector>

namespace lamarck::internal {

// Where building the box failed.
enum class BoxStage : std::int32_t {
  Done,     // Not a failure: the last report.
  Started,  // Not a failure: the program is about to be executed.
  Identity,
  Mounts,
  Root,
  Files,
  Fork,
  Streams,
  Limits,
  NoNewPrivileges,
  Landlock,
  Seccomp,
  Folder,
  Execute,
};

// What the box's processes tell through the report pipe.
struct BoxReport {
  BoxStage stage = BoxStage::Done;
  std::int32_t error = 0;   // An errno, at the other stages.
  std::int32_t detail = 0;  // Which mount or rule it was.
  // With Done.
  std::int32_t wait_status = 0;
  std::int32_t has_timed_out = 0;
  std::int32_t was_told_to_stop = 0;
  std::int32_t last_processes = 0;  // How many there were at the end.
  std::int64_t cpu_microseconds = 0;
  std::int64_t wall_microseconds = 0;
  // With Started and Done: what Linux has as the largest size so far.
  std::int64_t peak_kilobytes = 0;
};

enum class BoxMountKind : std::uint8_t { Folder, File, Device, Link };

// Something of the machine that is shown in the private root, read-only.
struct BoxMount {
  BoxMountKind kind = BoxMountKind::Folder;
  std::string source;  // For a Link, where it points.
  std::string target;  // Relative to the new root.
};

// A file of the private folder, or a folder of it if `is_folder`.
struct BoxFile {
  std::string name;
  const std::string* content = nullptr;  // The job's.
  bool is_folder = false;
  bool is_executable = false;
};

struct BoxRule {
  std::string path;
  bool is_writable = false;
};

struct BoxLimit {
  int resource = 0;
  rlimit value{};
};

struct BoxPlan {
  // Which walls to build.
  bool has_namespaces = false;      // And with them the private root.
  bool has_user_namespace = false;  // Else they are root's.
  bool has_own_user = false;        // `user` is nobody else's.
  uid_t user = 0;                   // Within the box; kept if not own.
  int landlock_version = 0;         // 0 is none.
  std::vector<sock_filter> filter;  // Empty is none.
  std::size_t filter_own_pid = 0;   // Where it wants to know its pid; 0 never.

  // The private root.
  std::string mount_point;  // An empty folder.
  std::vector<BoxMount> mounts;
  std::vector<BoxFile> files;
  std::string work_options;  // Of its tmpfs.
  bool is_read_only = false;
  std::string work_folder;  // As the program sees it.

  std::vector<BoxRule> rules;  // Landlock's.
  std::vector<BoxLimit> limits;
  std::int64_t wall_nanoseconds = 0;

  // The program. Null ends the box just before it would be executed.
  std::vector<char*> arguments;
  std::vector<char*> environment;

  // The box's ends of pipes.
  int input = -1;
  int output = -1;
  int errors = -1;
  int result = -1;
  int control = -1;
  int report = -1;
};

}  // namespace lamarck::internal
