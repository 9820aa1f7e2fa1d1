// One run of a box, seen by the process that asked for it.

#pragma once

#include <sys/types.h>

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "lamarck/base/cancel_token.h"
#include "lamarck/base/result.h"
#include "lamarck/sandbox/internal/box_plan.h"

namespace lamarck::internal {

struct BoxRequest {
  BoxPlan plan;                    // Without pipes.
  std::vector<std::string> words;  // What the plan's pointers point to.
  std::vector<std::string> variables;
  std::string input;
  bool has_result_channel = false;
  std::size_t output_bytes = 0;  // Of each stream.
  uid_t outside_user = 0;        // Who the box's user is outside.
  gid_t outside_group = 0;
};

struct BoxOutcome {
  std::optional<BoxReport> failure;  // The box could not be built.
  BoxReport report;                  // Else, what became of the program.
  std::int64_t start_kilobytes = 0;  // Its size before it was executed.
  std::string output;
  std::string errors;
  std::string result;
  bool has_too_much_output = false;
  bool was_cancelled = false;
  bool was_stuck = false;  // Did not end in time although it should have.
};

// Blocks until every process of the box is gone. An error is one of this
// process: no memory, no descriptors, no right to make namespaces.
Result<BoxOutcome> run_box_request(BoxRequest request,
                                   const CancelToken& cancel);

}  // namespace lamarck::internal
