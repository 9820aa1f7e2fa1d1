// Which walls a box has on this machine, and the plan for a job within them.

#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "lamarck/sandbox/internal/box_run.h"
#include "lamarck/sandbox/sandbox.h"

namespace lamarck::internal {

struct BoxWalls {
  bool has_namespaces = false;
  bool has_user_namespace = false;
  bool has_own_user = false;
  bool has_seccomp = false;
  int landlock_version = 0;
  std::vector<BoxMount> mounts;  // What can be read.
  std::string mount_point;       // An empty folder, for the private root.
};

// The names of the layers.
std::vector<std::string> layer_names(const BoxWalls& walls);

// What is wrong with the job, if something is.
Result<void> check_job(const SandboxJob& job);

// The plan refers to the job, which outlives it. `folder` is the private one;
// not used with namespaces, which have theirs in memory. A job without a
// command only tries the walls. REQUIRES: check_job.
BoxRequest box_request(const BoxWalls& walls, const SandboxJob& job,
                       const std::string& folder);

// Whether the caller is the machine's root, not merely that of a container with
// users of its own. The kernel does not limit its processes.
bool is_real_root();

// A user id that no one else uses, each time another one.
uid_t fresh_user();

}  // namespace lamarck::internal
