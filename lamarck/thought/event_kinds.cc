#include "lamarck/thought/event_kinds.h"

#include <algorithm>
#include <array>
#include <utility>
#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "lamarck/base/macros.h"
#include "lamarck/base/one_line.h"
#include "lamarck/thought/internal/amount.h"
#include "lamarck/thought/internal/parallel_fold.h"

namespace lamarck::thought {
namespace {

using store::Event;

Result<Branch*> find_branch(Session& session, const Json& details) {
  ASSIGN_OR_RETURN(const std::string id,
                   json_field<std::string>(details, "branch"));
  const auto found = session.branches.find(id);
  if (found != session.branches.end()) return &found->second;
  return Error(
      ErrorCode::DataDamaged,
      fmt::format("An event names the branch {}, which does not exist.",
                  in_quotes(id)));
}

Result<void> read_score(Branch& branch, const Event& event) {
  ASSIGN_OR_RETURN(const Json score, parse_json(event.score));
  BranchScore& own = branch.score;
  ASSIGN_OR_RETURN(own.completeness, json_field<double>(score, "completeness"));
  ASSIGN_OR_RETURN(own.risk, json_field<double>(score, "risk"));
  ASSIGN_OR_RETURN(own.cost, json_field<double>(score, "cost"));
  ASSIGN_OR_RETURN(own.history_prior,
                   json_field<double>(score, "history_prior"));
  branch.is_scored = true;
  return {};
}

void add_decision(Session& session, const Event& event) {
  if (session.decisions.size() >= Session::kMaxDecisions) {
    session.decisions.erase(session.decisions.begin());
  }
  session.decisions.push_back({.seq = event.seq, .text = event.content});
}

void add_thought(Branch& branch, const Event& event) {
  branch.last_thought = event.content;
  branch.thought_seq = event.seq;
  branch.thought_event = event.id;
}

// Adds a validation to the evidence chain, after the thought it comes from.
void add_validation(Session& session, const Branch& branch,
                    const Event& event) {
  auto& links = session.evidence_links;
  const bool is_new =
      !branch.thought_event.empty() &&
      std::ranges::find(links, branch.thought_event) == links.end();
  if (is_new) links.push_back(branch.thought_event);
  links.push_back(event.id);
  if (event.status != "rejected") session.evidence_chain.push_back(event.id);
}

void add_link(Session& session, const Event& event) {
  session.evidence_chain.push_back(event.id);
  session.evidence_links.push_back(event.id);
}

// `name` lists the indices of criteria that the evidence decides.
Result<void> set_criteria(Session& session, const Event& event,
                          const Json& details, const char* name,
                          std::string_view state) {
  const auto found = details.find(name);
  if (found == details.end()) return {};
  for (const Json& index : *found) {
    const bool is_valid = index.is_number_unsigned() &&
                          index.get<std::size_t>() < session.criteria.size();
    if (!is_valid) {
      return Error(ErrorCode::DataDamaged,
                   "evidence names a success criterion that does not exist.");
    }
    session.criteria[index.get<std::size_t>()] = {.state = std::string(state),
                                                  .seq = event.seq};
  }
  return {};
}

Result<void> start(Session& session, const Event& event, const Json& details) {
  if (event.seq != 1) {
    return Error(ErrorCode::DataDamaged,
                 "Only the first event may start a session.");
  }
  session.id = event.run;
  session.goal = event.content;
  ASSIGN_OR_RETURN(const Json criteria,
                   json_field<Json>(details, "success_criteria"));
  for (const Json& criterion : criteria) {
    if (criterion.is_string()) session.success_criteria.push_back(criterion);
  }
  session.criteria.resize(session.success_criteria.size());
  ASSIGN_OR_RETURN(const Json budgets, json_field<Json>(details, "budgets"));
  ASSIGN_OR_RETURN(session.budgets.tokens,
                   json_field<std::int64_t>(budgets, "tokens"));
  ASSIGN_OR_RETURN(const std::int64_t wall_time,
                   json_field<std::int64_t>(budgets, "wall_time_ms"));
  session.budgets.wall_time = std::chrono::milliseconds(wall_time);
  ASSIGN_OR_RETURN(session.budgets.branches,
                   json_field<std::int64_t>(budgets, "branches"));
  session.branches["main"] = {
      .id = "main", .name = "main", .head = event.id, .created = event.seq};
  return {};
}

Result<void> apply_session(Session& session, const Event& event,
                           const Json& details) {
  ASSIGN_OR_RETURN(const std::string name,
                   json_field<std::string>(details, "state"));
  ASSIGN_OR_RETURN(const SessionState next, parse_session_state(name));
  if (details.contains("more_time_ms")) {
    ASSIGN_OR_RETURN(const std::int64_t more,
                     internal::amount_field(details, "more_time_ms",
                                            internal::kMaxPerEvent));
    session.budgets.wall_time += std::chrono::milliseconds(more);
    return {};
  }
  if (next == SessionState::Init) return start(session, event, details);
  RETURN_IF_ERROR(check_follows(session.state, next, session.id));
  if (next == SessionState::Paused) session.before_pause = session.state;
  session.state = next;
  if (is_final(next)) {
    // An ended session accepts no further replies.
    session.tokens_reserved = 0;
    add_link(session, event);
  }
  return {};
}

Result<void> apply_step(Session& session, const Event& event,
                        const Json& details) {
  ASSIGN_OR_RETURN(Branch * branch, find_branch(session, details));
  ++branch->steps;
  if (!details.contains("private")) add_thought(*branch, event);
  if (!details.contains("request")) return {};
  return internal::settle_request(session, *branch, details);
}

Result<void> apply_critique(Session& session, const Event& event,
                            const Json& details) {
  ASSIGN_OR_RETURN(Branch * branch, find_branch(session, details));
  if (details.contains("private")) return {};
  branch->last_critique = event.content;
  branch->critique_seq = event.seq;
  return {};
}

Result<void> make_branch(Session& session, const Event& event,
                         const Json& details) {
  Branch branch{.created = event.seq};
  add_thought(branch, event);
  ASSIGN_OR_RETURN(branch.id, json_field<std::string>(details, "branch"));
  ASSIGN_OR_RETURN(branch.name, json_field<std::string>(details, "name"));
  ASSIGN_OR_RETURN(branch.from, json_field<std::string>(details, "from"));
  const std::string id = branch.id;
  if (session.branches.emplace(id, std::move(branch)).second) return {};
  return Error(ErrorCode::DataDamaged,
               fmt::format("The branch {} already exists.", in_quotes(id)));
}

Result<void> apply_branch(Session& session, const Event& event,
                          const Json& details) {
  if (details.contains("from")) return make_branch(session, event, details);
  ASSIGN_OR_RETURN(Branch * branch, find_branch(session, details));
  if (details.contains("exported")) {
    add_link(session, event);
    add_decision(session, event);
  }
  if (event.score.empty()) return {};
  return read_score(*branch, event);
}

Result<void> apply_merge(Session& session, const Event& event,
                         const Json& details) {
  ASSIGN_OR_RETURN(Branch * branch, find_branch(session, details));
  ++branch->steps;
  add_thought(*branch, event);
  add_decision(session, event);
  return {};
}

Result<void> apply_validate(Session& session, const Event& event,
                            const Json& details) {
  ASSIGN_OR_RETURN(Branch * branch, find_branch(session, details));
  ASSIGN_OR_RETURN(branch->plan_type,
                   json_field<std::string>(details, "plan_type"));
  ASSIGN_OR_RETURN(branch->plan, json_field<std::string>(details, "plan"));
  ASSIGN_OR_RETURN(const std::string schema,
                   json_field_or<std::string>(details, "schema", ""));
  if (!schema.empty()) session.plan_schemas[branch->plan_type] = schema;
  add_validation(session, *branch, event);
  if (event.status == "rejected") {
    ++branch->rejections;
  } else {
    branch->validated = event.seq;
    add_decision(session, event);
  }
  return read_score(*branch, event);
}

Result<void> apply_checkpoint(Session& session, const Event& event,
                              const Json& details) {
  if (!details.contains("pruned_to")) return {};
  ASSIGN_OR_RETURN(session.pruned_to,
                   json_field<std::string>(details, "pruned_to"));
  session.pruned_seq = event.seq;
  return {};
}

Result<void> apply_evidence(Session& session, const Event& event,
                            const Json& details) {
  ASSIGN_OR_RETURN(Branch * branch, find_branch(session, details));
  ASSIGN_OR_RETURN(const bool success, json_field<bool>(details, "success"));
  branch->last_evidence = success ? "success" : "failure";
  branch->evidence_seq = event.seq;
  RETURN_IF_ERROR(set_criteria(session, event, details, "criteria_met", "met"));
  RETURN_IF_ERROR(
      set_criteria(session, event, details, "criteria_failed", "failed"));
  ASSIGN_OR_RETURN(branch->last_failure,
                   json_field_or<std::string>(details, "category", ""));
  const bool is_new_failure =
      !success &&
      std::ranges::find(branch->failures, event.failure_signature) ==
          branch->failures.end();
  if (is_new_failure) {
    if (branch->failures.size() >= Branch::kMaxFailures) {
      branch->failures.erase(branch->failures.begin());
    }
    branch->failures.push_back(event.failure_signature);
  }
  if (session.first_evidence.empty()) {
    session.first_evidence = branch->last_evidence;
  }
  add_link(session, event);
  return {};
}

Result<void> apply_parallel(Session& session, const Event& event,
                            const Json& details) {
  RETURN_IF_ERROR(internal::apply_parallel(session, event, details));
  const auto winner = details.find("winner");
  const bool is_won = winner != details.end() && *winner != "";
  if (is_won) add_decision(session, event);
  return {};
}

constexpr std::array kEventKinds = {
    EventKind{"session", "The session started, or its state changed.",
              "state; at the start also success_criteria and budgets; "
              "more_time_ms",
              apply_session},
    EventKind{
        "plan_step", "A thought on a branch.",
        "private; for the thought of a thinker: run, request, model, failed",
        apply_step},
    EventKind{"critique", "A problem and what to change.",
              "private, suggestions, healing", apply_critique},
    EventKind{"branch", "A branch was forked, scored, exported or stopped.",
              "for a new branch: name, from; exported", apply_branch},
    EventKind{"merge", "Other branches were merged into this one.", "merged",
              apply_merge},
    EventKind{"validate", "A plan was checked.",
              "plan_type, plan, review, schema", apply_validate},
    EventKind{"checkpoint", "The state was saved on request.",
              "pruned_to: the file that the events so far are moved to",
              apply_checkpoint},
    EventKind{"evidence", "The result of executing a plan.",
              "success, execution_id, tool, arguments, exit_code, stderr_tail, "
              "category, action, late, criteria_met, criteria_failed (numbers "
              "from 0)",
              apply_evidence},
    EventKind{
        "parallel",
        "A parallel run began, sent requests, learned a reward, or ended.",
        "run, action; strategy, plan_type, max_rounds, branches; "
        "requests; reward; winner",
        apply_parallel}};

}  // namespace

std::span<const EventKind> event_kinds() { return kEventKinds; }

}  // namespace lamarck::thought
