#include "lamarck/thought/internal/think_prompt.h"

#include <fmt/format.h>

#include "lamarck/base/string_split.h"
#include "lamarck/store/redaction.h"
#include "lamarck/thought/token_estimate.h"

namespace lamarck::thought::internal {
namespace {

constexpr std::int64_t kMaxSchemaTokens = 800;
constexpr std::int64_t kMaxPlanTokens = 1200;

std::string system_text(const PlanType& type) {
  std::string text = fmt::format(
      "You plan; you never act. Think briefly, then give one JSON object, a "
      "{} with the fields {}.",
      type.name, join_text(type.required_fields, ", "));
  if (type.name == "ExecutionPlan") {
    text +=
        " rollback.strategy is git_revert, backup_restore or none; "
        "limits.max_changes is at most 1000. risk_estimate.test_coverage and "
        "context_sufficiency (unresolved_symbol_rate, callgraph_coverage) "
        "lower the risk.";
  } else {
    text +=
        " Its JSON Schema: " + truncate_tokens(type.schema, kMaxSchemaTokens);
  }
  return text;
}

void add_line(std::string& text, std::string_view name,
              std::string_view value) {
  if (!value.empty()) text += fmt::format("{}: {}\n", name, value);
}

}  // namespace

ThinkRequest think_request(const Session& session, const Branch& branch,
                           const PlanType& type,
                           const std::vector<PathStep>& path,
                           std::int64_t memory_tokens) {
  ThinkRequest request{.branch = branch.id, .system = system_text(type)};
  const std::string criteria = join_text(session.success_criteria, "; ");
  std::string& text = request.prompt;
  add_line(text, "Goal", session.goal);
  add_line(text, "Success criteria", criteria);
  add_line(text, "Approach", branch.name);
  const std::string memory = remembered(
      path, fmt::format("{} {} {}", session.goal, criteria, branch.name),
      memory_tokens);
  if (memory.empty()) {
    add_line(text, "Last thought", branch.last_thought);
  } else {
    text += "Thoughts so far, oldest first:\n" + memory;
  }
  if (branch.rejections > 0) {
    add_line(text, "Last plan, rejected",
             truncate_tokens(branch.plan, kMaxPlanTokens));
  }
  add_line(text, "Change", branch.last_critique);
  text = store::redacted(text);
  return request;
}

}  // namespace lamarck::thought::internal
