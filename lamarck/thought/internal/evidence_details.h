// What the event of an evidence says besides its result.

#pragma once

#include <string>
#include <vector>

#include "lamarck/base/json.h"
#include "lamarck/base/result.h"
#include "lamarck/thought/failure.h"
#include "lamarck/thought/session.h"

namespace lamarck::thought::internal {

// Success criteria that the caller says are met or failed, by text or number.
struct CriteriaReport {
  bool success = false;
  const std::vector<std::string>& met;
  const std::vector<std::string>& failed;
};
// Adds the criteria that the evidence decides to the details of its event. What
// the caller says counts more than what the plan says.
Result<void> add_criteria(const Session& session, const Branch& branch,
                          const CriteriaReport& report, Json& details);

// Adds what was executed, for the evidence chain, without secrets: the tool,
// its arguments, the exit code and the end of stderr.
void add_execution(const FailureReport& report, bool success, Json& details);

}  // namespace lamarck::thought::internal
