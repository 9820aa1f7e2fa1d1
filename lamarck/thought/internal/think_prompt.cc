#include "lamarck/thought/internal/think_prompt.h"

#include <fmt/format.h>

#include "lamarck/base/string_split.h"
#include "lamarck/thought/redaction.h"
#include "lamarck/thought/token_estimate.h"

namespace lamarck::thought::internal {
namespace {

constexpr std::int64_t kMaxSchemaTokens = 800;

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
                           const PlanType& type) {
  ThinkRequest request{.branch = branch.id, .system = system_text(type)};
  std::string& text = request.prompt;
  add_line(text, "Goal", session.goal);
  add_line(text, "Success criteria", join_text(session.success_criteria, "; "));
  add_line(text, "Approach", branch.name);
  add_line(text, "Last thought", branch.last_thought);
  add_line(text, "Last plan, rejected",
           branch.rejections > 0 ? branch.plan : "");
  add_line(text, "Change", branch.last_critique);
  text = redacted(text);
  return request;
}

}  // namespace lamarck::thought::internal
