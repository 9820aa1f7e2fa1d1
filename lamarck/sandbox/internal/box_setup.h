// Everything that the processes of a sandbox need. It is prepared before the
// clone, so that they neither allocate nor lock.

#pragma once

#include <sys/resource.h>
#include <sys/types.h>
#include <linux/filter.h>

#include <array>
#include <cstdint>
#include <string>
#include <vector>

namespace lamarck::internal {

// The step at which the setup failed.
enum class BoxStage : std::int32_t {
  Done,     // Not a failure: the final report.
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

// Sent by the processes of the box through the report pipe.
struct BoxReport {
  BoxStage stage = BoxStage::Done;
  std::int32_t error = 0;   // The errno of a failed stage.
  std::int32_t detail = 0;  // Number of the mount or file, from 1.
  // Set in Done.
  std::int32_t wait_status = 0;
  std::int32_t has_timed_out = 0;
  std::int32_t was_stopped = 0;
  std::int32_t last_processes = 0;  // Number of processes at the end.
  std::int64_t cpu_microseconds = 0;
  std::int64_t wall_microseconds = 0;
  // Set in Started and Done: the largest resident size so far.
  std::int64_t peak_kilobytes = 0;
};

enum class BoxMountKind : std::uint8_t { Folder, File, Device, Link };

// A path of the host that appears, read-only, in the private root.
struct BoxMount {
  BoxMountKind kind = BoxMountKind::Folder;
  std::string source;  // For a Link: its target.
  std::string target;  // Relative to the new root.
};

// A file or, if `is_folder`, a folder in the private folder.
struct BoxFile {
  std::string name;
  const std::string* content = nullptr;  // Points into the job.
  bool is_folder = false;
  bool is_executable = false;
};

// A path that Landlock allows.
struct BoxRule {
  std::string path;
  bool is_writable = false;
};

struct BoxLimit {
  int resource = 0;
  rlimit value{};
};

struct BoxSetup {
  // The layers to set up.
  bool has_namespaces = false;      // Including the private root.
  bool has_user_namespace = false;  // Else root creates the namespaces.
  bool has_own_user = false;        // No other process runs as `user`.
  uid_t user = 0;                   // Inside the box.
  int landlock_version = 0;         // 0 = none.
  std::vector<sock_filter> filter;  // Empty = none.
  // Index of the instruction in `filter` to patch with the PID; 0 = none.
  std::size_t filter_own_pid = 0;

  // The private root.
  std::string mount_point;  // An empty folder.
  std::vector<BoxMount> mounts;
  std::vector<BoxFile> files;
  std::string work_options;  // Mount options of its tmpfs.
  bool is_read_only = false;
  std::string work_folder;  // The path that the program sees.

  std::vector<BoxRule> rules;  // For Landlock.
  std::vector<BoxLimit> limits;
  std::int64_t wall_nanoseconds = 0;

  // The program. If empty, the box ends just before the exec (to test the
  // layers).
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
