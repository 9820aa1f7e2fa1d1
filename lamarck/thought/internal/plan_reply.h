// Extracts the plan from the reply of a model.

#pragma once

#include <string>
#include <string_view>

namespace lamarck::thought::internal {

struct PlanReply {
  std::string thought;  // The text around the plan, on one line.
  std::string plan;     // JSON object; "" = none.
};

// Finds the largest JSON object in the text; ignores prose, code fences and
// braces that are not JSON.
PlanReply find_plan(std::string_view text);

}  // namespace lamarck::thought::internal
