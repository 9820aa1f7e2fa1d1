#include "lamarck/agent/agent_permission.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <utility>

#include "lamarck/agent/agent_runner.h"
#include "lamarck/base/macros.h"
#include "lamarck/base/one_line.h"

namespace lamarck::agent {
namespace {

struct ApprovalEntry {
  std::string_view name;
  Approval approval;
};
constexpr std::array kApprovals = {ApprovalEntry{"once", Approval::Once},
                                   ApprovalEntry{"always", Approval::Always},
                                   ApprovalEntry{"never", Approval::Never}};

}  // namespace

Result<Approval> parse_approval(std::string_view name) {
  const auto* found = std::ranges::find(kApprovals, name, &ApprovalEntry::name);
  if (found != kApprovals.end()) return found->approval;
  return invalid_argument("The answer must be once, always or never, got " +
                          in_quotes(std::string(name)) + ".");
}

std::string_view approval_name(Approval approval) {
  const auto* found =
      std::ranges::find(kApprovals, approval, &ApprovalEntry::approval);
  return found == kApprovals.end() ? "later" : found->name;
}

Json to_json(const PermissionQuestion& question) {
  return {{"tool", question.tool},
          {"arguments", question.arguments},
          {"needs", question.needs},
          {"run", question.run}};
}

Result<PermissionQuestion> parse_permission_question(const Json& json) {
  PermissionQuestion question;
  ASSIGN_OR_RETURN(question.tool, json_field<std::string>(json, "tool"));
  ASSIGN_OR_RETURN(question.arguments, json_field<Json>(json, "arguments"));
  ASSIGN_OR_RETURN(question.run, json_field<std::string>(json, "run"));
  ASSIGN_OR_RETURN(const Json needs, json_field<Json>(json, "needs"));
  for (const Json& one : needs) {
    if (one.is_string()) question.needs.push_back(one.get<std::string>());
  }
  return question;
}

Json to_json(const PermissionAnswer& answer) {
  return {{"question", to_json(answer.question)},
          {"answer", approval_name(answer.approval)},
          {"comment", answer.comment},
          {"by", answer.by}};
}

// ---- The members of the runner that ask.

Result<bool> AgentRunner::ask_person(AgentRun& run,
                                     const skills::ToolInfo& tool,
                                     const PermissionQuestion& question,
                                     const std::string& refusal) {
  if (const PermissionAnswer* given = run.answer_to(question)) {
    if (given->approval != Approval::Never) return true;
    const std::string why = given->comment.empty()
                                ? std::string(".")
                                : ": " + one_line(given->comment, 1'000);
    return Error(ErrorCode::PermissionDenied,
                 "The user did not allow this call of " + tool.name + why);
  }
  const Approval answer =
      options_.ask ? options_.ask(tool, question.arguments) : Approval::Never;
  switch (answer) {
    case Approval::Once:
      return true;
    case Approval::Always:
      RETURN_IF_ERROR(record(run, "permission_given", {{"name", tool.name}}));
      return true;
    case Approval::Later:
      RETURN_IF_ERROR(wait_for_answer(run, question));
      return false;
    case Approval::Never:
      break;
  }
  return Error(ErrorCode::PermissionDenied, refusal);
}

Result<void> AgentRunner::wait_for_answer(AgentRun& run,
                                          const PermissionQuestion& question) {
  return record(run, "permission_asked", to_json(question), 0, "waiting");
}

Result<AgentRun> AgentRunner::answer(const std::string& id,
                                     const PermissionAnswer& given) {
  ASSIGN_OR_RETURN(AgentRun run, load(id));
  if (!run.question) {
    return Error(ErrorCode::FailedPrecondition,
                 "The task " + id + " does not wait for a permission.");
  }
  RETURN_IF_ERROR(record(run, "permission_answered",
                         {{"answer", approval_name(given.approval)},
                          {"comment", given.comment},
                          {"by", given.by}},
                         0, "queued"));
  return run;
}

}  // namespace lamarck::agent
