// The layers that are available on this machine, and the setup of a job with
// them.

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
  std::vector<BoxMount> mounts;  // The readable paths.
  std::string mount_point;       // An empty folder, for the private root.
};

// The names of the active layers.
std::vector<std::string> layer_names(const BoxWalls& walls);

// Fails with InvalidArgument if the job is not valid.
Result<void> check_job(const SandboxJob& job);

// Builds the request for a job, which must outlive it. `folder` is the private
// folder; namespaces do not use it, because theirs is in memory. A job without
// a command only tests the layers. REQUIRES: check_job succeeded.
BoxRequest box_request(const BoxWalls& walls, const SandboxJob& job,
                       const std::string& folder);

// Whether the caller is root of the host, not just of a container with its own
// user namespace. The kernel does not limit the processes of such a root.
bool is_real_root();

// Returns an unused user id, a different one each time.
uid_t fresh_user();

}  // namespace lamarck::internal
