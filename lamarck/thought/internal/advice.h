// Tells a model what to do next, in a sentence that names the tool.

#pragma once

#include <chrono>
#include <string>
#include <string_view>

#include "lamarck/thought/session.h"

namespace lamarck::thought::internal {

// The tools that export a plan of this type and that report its result.
bool is_doc_plan(std::string_view plan_type);
std::string_view export_tool(std::string_view plan_type);
std::string_view report_tool(std::string_view plan_type);

// `time_used` is the current value; `branch` may be null. `own` is the advice
// of the call itself ("" = none); it is used only while the session is open and
// has tokens and time left.
std::string next_step(const Session& session,
                      std::chrono::milliseconds time_used, const Branch* branch,
                      std::string own);

}  // namespace lamarck::thought::internal
