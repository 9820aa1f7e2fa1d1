// The state of an active parallel run, computed from its events.

#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "lamarck/base/bandit.h"
#include "lamarck/base/json.h"
#include "lamarck/base/result.h"
#include "lamarck/thought/thought_engine.h"

namespace lamarck::thought::internal {

// One branch of the run.
struct ParallelArm {
  std::string branch;
  std::int64_t rounds = 0;    // Requests sent so far.
  std::int64_t failures = 0;  // Requests that failed.
  std::string request;        // The pending one; "" = none.
  std::int64_t max_tokens = 0;
  std::int64_t reserved = 0;  // Tokens, for that request.
  std::int64_t memory = 0;    // Of them for the path in its prompt.
  std::int64_t asked_ms = 0;  // In time used by the session.
};

struct ParallelState {
  std::string id;
  Strategy strategy = Strategy::Race;
  std::string plan_type;
  std::int64_t max_rounds = 0;
  std::vector<ParallelArm> arms;
  std::optional<Bandit> bandit;  // Strategy::Bandit only.

  // Null if no arm has this pending request.
  ParallelArm* arm_of_request(std::string_view request);
  std::size_t index_of(std::string_view branch) const;  // arms.size() if none.
  std::int64_t reserved() const;
};

std::string_view strategy_name(Strategy strategy);
Result<Strategy> parse_strategy(std::string_view name);

std::string to_text(const ParallelState& state);
Result<ParallelState> parallel_from_text(std::string_view text);

// From the details of a begin event:
// {"run", "action": "begin", "strategy", "plan_type", "max_rounds", "branches"}
Result<ParallelState> begun_parallel(const Json& details);

}  // namespace lamarck::thought::internal
