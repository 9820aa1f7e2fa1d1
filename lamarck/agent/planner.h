// Decides what an agent does next.

#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>
#include <nlohmann/json.hpp>

#include "lamarck/agent/agent_run.h"
#include "lamarck/base/budget.h"
#include "lamarck/base/cancel_token.h"
#include "lamarck/base/json.h"
#include "lamarck/base/result.h"
#include "lamarck/skills/trace.h"

namespace lamarck::agent {

// What a planner wants next: groups of steps, or the end of the task.
struct PlannedTurn {
  Json sent = Json::array();  // New messages to the model.
  Json reply;                 // Its message; null if it was not asked.
  std::int64_t tokens = 0;
  std::int64_t money_micros = 0;
  std::vector<StepGroup> groups;
  // Set if the task is finished.
  std::optional<skills::Reflection> reflection;
  std::string answer;
};

// Decides what to do, given what has happened.
class Planner {
 public:
  virtual ~Planner() = default;
  // `record` writes an event of the run.
  using Record = std::function<Result<void>(std::string_view type, Json data)>;
  virtual Result<PlannedTurn> next(const AgentRun& run, Budget& budget,
                                   const Record& record,
                                   const CancelToken& cancel) = 0;
};

}  // namespace lamarck::agent
