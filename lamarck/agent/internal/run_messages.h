// Small texts that the parts of the runner share.

#pragma once

#include <chrono>
#include <cstdint>
#include <string>
#include <nlohmann/json.hpp>

#include "lamarck/agent/agent_run.h"
#include "lamarck/base/clock.h"
#include "lamarck/base/json.h"
#include "lamarck/base/result.h"

namespace lamarck::agent::internal {

inline std::int64_t milliseconds_since(const Clock& clock,
                                       std::chrono::nanoseconds start) {
  return std::chrono::duration_cast<std::chrono::milliseconds>(clock.elapsed() -
                                                               start)
      .count();
}

// The result of a call that failed.
inline Json error_result(const Error& error) {
  return {{"error",
           {{"code", error_code_name(error.code())},
            {"message", error.message()}}}};
}

// Why a group failed. REQUIRES: it failed, and no other group has called a tool
// since.
inline std::string failure_text(const AgentRun& run, const StepGroup& group) {
  if (!group.error.empty()) return group.error;
  if (run.calls.empty()) return "No step was made.";
  const skills::ToolCall& call = run.calls.back().call;
  return call.tool + " failed: " +
         call.result.value("error", Json::object()).value("message", "");
}

}  // namespace lamarck::agent::internal
