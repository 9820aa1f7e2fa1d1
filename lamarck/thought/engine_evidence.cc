#include <set>
#include <utility>
#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "lamarck/base/macros.h"
#include "lamarck/base/one_line.h"
#include "lamarck/base/string_split.h"
#include "lamarck/base/unicode.h"
#include "lamarck/thought/internal/engine_state.h"
#include "lamarck/thought/internal/evidence_details.h"

namespace lamarck::thought {
namespace {

using internal::HealingLog;
using internal::HealingOutcome;
using internal::RequestDigest;
using internal::RequestKey;
using internal::Turn;

constexpr std::size_t kSummaryCharacters = 300;
constexpr double kMinCompliance = 0.95;

// The common form of both kinds of evidence.
struct Finding {
  std::string branch;  // Id or name.
  std::string role;
  bool success = false;
  std::string content;
  Json score;
  Json details;
  FailureCategory category = FailureCategory::Unknown;
  std::string signature;
  std::string healing_action;
  std::string id;                  // ID of the outcome in the healing log.
  std::string_view how_to_repeat;  // Tool and arguments for another report.
  std::vector<std::string> criteria_met;
  std::vector<std::string> criteria_failed;
};

std::string evidence_remedy(const Branch& branch) {
  if (is_final(branch.state)) {
    return "it has ended, so fork a new branch with think_branch, validate its "
           "plan and export it.";
  }
  const std::string_view tool = branch.plan_type == "DocPlan"
                                    ? "think_export_doc_plan"
                                    : "think_export_plan";
  if (branch.state == BranchState::Validated) {
    return fmt::format("export its plan with {} and execute it first.", tool);
  }
  return fmt::format(
      "evidence belongs to a plan: validate one with think_validate_plan, "
      "export it with {} and execute it first.",
      tool);
}

Result<void> check_takes_evidence(const Branch& branch, bool success) {
  const bool is_again = branch.state == BranchState::EvidenceReceived;
  if (is_again) return {};
  const auto next = after(
      branch.state,
      success ? BranchTrigger::EvidenceSuccess : BranchTrigger::EvidenceFailure,
      branch.id);
  if (next) return {};
  return Error(
      next.error().code(),
      fmt::format("Branch {} is {} and does not accept evidence; {}",
                  in_quotes(branch.id), branch_state_name(branch.state),
                  evidence_remedy(branch)),
      next.error().fields());
}

// The failure that the strategy was tried for: the last failure of this branch
// or, if it has none, of the nearest ancestor that has one.
FailureCategory healed_category(const Session& session, const Branch& branch) {
  for (const Branch* at = &branch;;) {
    if (!at->last_failure.empty()) {
      return internal::failure_category_named(at->last_failure)
          .value_or(FailureCategory::Unknown);
    }
    const auto from = session.branches.find(at->from);
    if (from == session.branches.end()) return FailureCategory::Unknown;
    at = &from->second;
  }
}

// The failures of the branch and of those it was forked from.
std::vector<std::string> failures_before(const Session& session,
                                         const Branch& branch) {
  std::vector<std::string> list;
  for (const Branch* at = &branch;;) {
    list.insert(list.end(), at->failures.begin(), at->failures.end());
    const auto from = session.branches.find(at->from);
    if (from == session.branches.end()) return list;
    at = &from->second;
  }
}

HealingOutcome make_outcome(const Finding& finding, const Session& session,
                            const Branch& branch) {
  HealingOutcome outcome{
      .id = finding.id,
      .session = session.id,
      .plan = traits_of(branch.plan_type,
                        parse_json(branch.plan).value_or(Json::object())),
      .success = finding.success,
      .category = finding.category,
      .signature = finding.signature,
      .healed_action = finding.healing_action,
      .healed_category = healed_category(session, branch)};
  if (finding.success) outcome.overcome = failures_before(session, branch);
  return outcome;
}

Json proposals(const Healing& healing, FailureCategory category) {
  Json list = Json::array();
  for (const HealingStrategy& strategy : healing.strategies(category)) {
    list.push_back(
        {{"action", strategy.action},
         {"parameters", parse_json(strategy.parameters).value_or(Json())},
         {"success_rate", healing.success_rate(category, strategy.action)}});
  }
  return list;
}

std::string make_critique(const Finding& finding, const RetryDecision& decision,
                          const Json& healing) {
  std::string text =
      fmt::format("It failed: {}.", failure_name(finding.category));
  if (!decision.may_retry) text += fmt::format(" {}", decision.reason);
  for (const Json& strategy : healing) {
    text += fmt::format(" Try {} {}.",
                        strategy["action"].get_ref<const std::string&>(),
                        dump_json(strategy["parameters"]));
  }
  return text;
}

// Adds a critique with the strategies to try.
void add_healing(Turn& turn, const Finding& finding,
                 const RetryDecision& decision, const Healing& healing,
                 const std::string& branch, Json& answer) {
  const Json list = proposals(healing, finding.category);
  Json details = {{"healing", list}};
  if (answer.contains("late")) details["late"] = true;
  answer["critique"] =
      turn.add({.type = "critique",
                .branch = branch,
                .role = "critic",
                .content = make_critique(finding, decision, list),
                .is_by_engine = true},
               std::move(details));
  answer["failure"] = {{"category", failure_name(finding.category)},
                       {"signature", finding.signature},
                       {"may_retry", decision.may_retry},
                       {"reason", decision.reason},
                       {"retries", decision.retries}};
  answer["healing"] = list;
}

std::string after_evidence(const Finding& finding, bool may_retry,
                           const std::string& branch) {
  if (finding.success) {
    return "Complete the session with think_session_control, or review the "
           "evidence with think_plan_step as a critique.";
  }
  if (may_retry) {
    return fmt::format(
        "Fix it with one of the healing actions and report again with {}, or "
        "fork from {} with think_branch for a new plan.",
        finding.how_to_repeat, branch);
  }
  return fmt::format(
      "Do not retry this plan: fork from {} with think_branch and submit "
      "another plan.",
      branch);
}

// Returns whether the session has ended, now or before. What was executed is
// worth knowing even then.
Result<bool> check_late(Turn& turn) {
  const Session& session = turn.session();
  if (is_final(session.state)) return true;
  Result<void> open = turn.check_open();
  if (open) return false;
  if (is_final(session.state)) return true;
  return open.error();
}

class EvidenceDecision {
 public:
  EvidenceDecision(HealingLog& log, Finding finding)
      : log_(log), finding_(std::move(finding)) {}

  Result<Json> operator()(Turn& turn) {
    ASSIGN_OR_RETURN(const Branch* branch, turn.branch(finding_.branch));
    RETURN_IF_ERROR(check_takes_evidence(*branch, finding_.success));
    ASSIGN_OR_RETURN(const bool is_late, check_late(turn));
    Json details = finding_.details;
    RETURN_IF_ERROR(internal::add_criteria(turn.session(), *branch,
                                           {.success = finding_.success,
                                            .met = finding_.criteria_met,
                                            .failed = finding_.criteria_failed},
                                           details));
    RETURN_IF_ERROR(record(turn.session(), *branch));
    Json answer = {
        {"branch", branch->id},
        {"success", finding_.success},
        {"critic_needed", !finding_.success},
        {"next_step", finding_.success ? "complete" : "critic_review"}};
    if (is_late) {
      details["late"] = true;
      answer["late"] = true;
    }
    answer["event"] = add_evidence(turn, *branch, std::move(details));
    answer["evidence_id"] = answer["event"];
    if (!finding_.success) {
      add_healing(turn, finding_, *decision_, healing_, branch->id, answer);
    }
    answer["advice"] =
        after_evidence(finding_, decision_->may_retry, branch->id);
    return answer;
  }

 private:
  // Records the outcome once, although a write conflict repeats the decision.
  Result<void> record(const Session& session, const Branch& branch) {
    if (decision_) return {};
    ASSIGN_OR_RETURN(decision_,
                     log_.record(make_outcome(finding_, session, branch)));
    ASSIGN_OR_RETURN(healing_, log_.healing());
    return {};
  }

  std::string add_evidence(Turn& turn, const Branch& branch,
                           Json details) const {
    internal::Moves moves;
    if (branch.state == BranchState::Executing) {
      moves = {finding_.success ? BranchTrigger::EvidenceSuccess
                                : BranchTrigger::EvidenceFailure};
    }
    return turn.add(
        {.type = "evidence",
         .branch = branch.id,
         .role = finding_.role,
         .content = finding_.content,
         .moves = std::move(moves),
         .parents = {{.from = branch.head,
                      .type = finding_.success ? "supports" : "contradicts"}},
         .score = dump_json(finding_.score),
         .failure_signature = finding_.signature,
         .retry_count = decision_->retries},
        std::move(details));
  }

  HealingLog& log_;
  const Finding finding_;
  std::optional<RetryDecision> decision_;
  Healing healing_;
};

// The id depends on the execution alone, so an outcome that several callers
// report is counted once.
std::string outcome_id(std::string_view session, std::string_view execution,
                       IdGenerator& ids) {
  if (execution.empty()) return "heal_" + ids.next();
  RequestDigest digest("outcome");
  return "heal_" + digest.add(session).add(execution).hex().substr(0, 32);
}

Result<void> check_action(const std::string& action) {
  if (action.empty()) return {};
  std::set<std::string_view> sorted;
  for (const HealingStrategy& strategy : healing_strategies()) {
    sorted.insert(strategy.action);
  }
  if (sorted.contains(action)) return {};
  const std::vector<std::string_view> known(sorted.begin(), sorted.end());
  return Error(ErrorCode::InvalidArgument,
               fmt::format("Unknown healing_action {}; use one of {}.",
                           in_quotes(action), join_text(known, ", ")),
               {{"healing_action", action}});
}

Result<void> check_evidence(const Evidence& evidence) {
  if (evidence.tests_passed < 0 || evidence.tests_failed < 0) {
    return Error(
        ErrorCode::InvalidArgument,
        fmt::format(
            "tests_passed and tests_failed must be at least 0, got {} and {}.",
            evidence.tests_passed, evidence.tests_failed));
  }
  if (evidence.success && evidence.tests_failed > 0) {
    return Error(
        ErrorCode::InvalidArgument,
        fmt::format("The evidence has success true and tests_failed {}; report "
                    "success false, or leave out tests that do not count.",
                    evidence.tests_failed),
        {{"success", "true"},
         {"tests_failed", std::to_string(evidence.tests_failed)}});
  }
  if (evidence.failure.arguments.empty()) return {};
  ASSIGN_OR_RETURN(const Json arguments,
                   parse_json(evidence.failure.arguments));
  if (arguments.is_object()) return {};
  return Error(ErrorCode::InvalidArgument,
               "The failure's arguments must be a JSON object.");
}

std::string summarize(std::string_view beginning, std::string_view summary) {
  if (summary.empty()) return fmt::format("{}.", beginning);
  return fmt::format(
      "{}: {}", beginning,
      truncate_characters(make_valid_utf8(summary), kSummaryCharacters));
}

Finding make_finding(const Evidence& evidence) {
  Finding finding{
      .branch = evidence.branch,
      .role = "tester",
      .success = evidence.success,
      .content = summarize(evidence.success ? "It succeeded" : "It failed",
                           evidence.summary),
      .score = {{"success", evidence.success},
                {"tests_passed", evidence.tests_passed},
                {"tests_failed", evidence.tests_failed}},
      .details = {{"success", evidence.success},
                  {"execution_id", evidence.execution_id}},
      .healing_action = evidence.healing_action,
      .how_to_repeat =
          "think_receive_evidence, a new execution_id and "
          "healing_action",
      .criteria_met = evidence.criteria_met,
      .criteria_failed = evidence.criteria_failed};
  internal::add_execution(evidence.failure, evidence.success, finding.details);
  if (!evidence.healing_action.empty()) {
    finding.details["action"] = evidence.healing_action;
  }
  if (evidence.success) return finding;
  const FailureReport& failure = evidence.failure;
  finding.category = classify_failure(failure.stderr_text, failure.exit_code);
  finding.signature = failure_signature(failure);
  finding.details["category"] = failure_name(finding.category);
  return finding;
}

Finding make_finding(const DocValidation& validation) {
  const bool success = validation.compliance_score >= kMinCompliance &&
                       validation.placement_correct;
  Finding finding{
      .branch = validation.branch,
      .role = "critic",
      .success = success,
      .content = summarize("The document check", validation.summary),
      .score = {{"compliance", validation.compliance_score},
                {"placement_correct", validation.placement_correct}},
      .details = {{"success", success},
                  {"execution_id", validation.validation_id},
                  {"tool", "document_check"}},
      .how_to_repeat = "think_receive_doc_validation and a new validation_id"};
  if (success) return finding;
  finding.category = FailureCategory::PathNonCompliant;
  finding.signature = failure_signature(
      {.stderr_text = validation.summary, .tool = "document_check"});
  finding.details["category"] = failure_name(finding.category);
  return finding;
}

}  // namespace

ThoughtEngine::Answer ThoughtEngine::receive_evidence(const Evidence& evidence,
                                                      const Caller& caller) {
  RETURN_IF_ERROR(check_evidence(evidence));
  RETURN_IF_ERROR(check_action(evidence.healing_action));
  Finding finding = make_finding(evidence);
  finding.id = outcome_id(evidence.session, evidence.execution_id, state_->ids);
  RequestDigest digest("evidence");
  digest.add(evidence.session).add(evidence.branch).add(evidence.execution_id);
  digest.add(std::int64_t{evidence.success}).add(evidence.summary);
  digest.add(evidence.tests_passed).add(evidence.tests_failed);
  digest.add(finding.signature).add(evidence.healing_action);
  // Calls without criteria keep the digest of earlier versions.
  if (!evidence.criteria_met.empty() || !evidence.criteria_failed.empty()) {
    digest.add_all(evidence.criteria_met).add_all(evidence.criteria_failed);
  }
  EvidenceDecision decide(state_->healing, std::move(finding));
  const RequestKey key =
      evidence.execution_id.empty()
          ? internal::caller_key(evidence.session, caller.idempotency_key)
          : internal::execution_key(evidence.session, evidence.execution_id);
  return state_->transact(evidence.session, key, caller, digest,
                          std::ref(decide));
}

ThoughtEngine::Answer ThoughtEngine::receive_doc_validation(
    const DocValidation& validation, const Caller& caller) {
  const double score = validation.compliance_score;
  if (!(score >= 0 && score <= 1)) {
    return Error(
        ErrorCode::InvalidArgument,
        fmt::format("compliance_score must be between 0 and 1, got {}.",
                    score));
  }
  Finding finding = make_finding(validation);
  finding.id =
      outcome_id(validation.session, validation.validation_id, state_->ids);
  RequestDigest digest("doc_validation");
  digest.add(validation.session).add(validation.branch);
  digest.add(validation.validation_id).add_number(score);
  digest.add(std::int64_t{validation.placement_correct});
  digest.add(validation.summary);
  const bool is_compliant = score >= kMinCompliance;
  EvidenceDecision decide(state_->healing, std::move(finding));
  const RequestKey key =
      validation.validation_id.empty()
          ? internal::caller_key(validation.session, caller.idempotency_key)
          : internal::validation_key(validation.session,
                                     validation.validation_id);
  return state_->transact(validation.session, key, caller, digest,
                          [&](Turn& turn) -> Result<Json> {
                            ASSIGN_OR_RETURN(Json answer, decide(turn));
                            answer["compliant"] = is_compliant;
                            return answer;
                          });
}

}  // namespace lamarck::thought
