// Runs one box, from the side of the calling process.

#pragma once

#include <sys/types.h>

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "lamarck/base/cancel_token.h"
#include "lamarck/base/result.h"
#include "lamarck/sandbox/internal/box_setup.h"

namespace lamarck::internal {

struct BoxRequest {
  BoxSetup setup;                  // The pipes are not set yet.
  std::vector<std::string> words;  // Owns what the setup's pointers refer to.
  std::vector<std::string> variables;
  std::string input;
  bool has_result_channel = false;
  std::size_t output_bytes = 0;  // Limit of each stream.
  uid_t outside_user = 0;  // The user outside that the box's user maps to.
  gid_t outside_group = 0;
};

struct BoxOutcome {
  std::optional<BoxReport> failure;  // The setup of the box failed.
  BoxReport report;                  // Otherwise, how the program ended.
  std::int64_t start_kilobytes = 0;  // Resident size before the exec.
  std::string output;
  std::string errors;
  std::string result;
  bool has_too_much_output = false;
  bool was_cancelled = false;
  bool was_stuck = false;  // Did not end in time after it was stopped.
};

// Blocks until no process of the box is left. An error concerns this process:
// no memory, no descriptors, no permission to create namespaces.
Result<BoxOutcome> run_box_request(BoxRequest request,
                                   const CancelToken& cancel);

}  // namespace lamarck::internal
