// The plan in what a model said.

#pragma once

#include <string>
#include <string_view>

namespace lamarck::thought::internal {

struct PlanReply {
  std::string thought;  // What was said beside the plan; on one line.
  std::string plan;     // JSON object; "" = none.
};

// The largest JSON object in the text, whatever is around it: chatter, code
// fences, braces that are no JSON.
PlanReply find_plan(std::string_view text);

}  // namespace lamarck::thought::internal
