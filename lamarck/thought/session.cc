#include "lamarck/thought/session.h"

#include <chrono>
#include <utility>
#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "lamarck/base/macros.h"
#include "lamarck/thought/internal/amount.h"
#include "lamarck/thought/internal/parallel_fold.h"

namespace lamarck::thought {
namespace {

using std::chrono::milliseconds;

Json score_to_json(const BranchScore& score) {
  return {{"completeness", score.completeness},
          {"risk", score.risk},
          {"cost", score.cost},
          {"history_prior", score.history_prior}};
}

Json branch_to_json(const Branch& branch) {
  return {{"id", branch.id},
          {"name", branch.name},
          {"from", branch.from},
          {"state", branch_state_name(branch.state)},
          {"head", branch.head},
          {"score", score_to_json(branch.score)},
          {"is_scored", branch.is_scored},
          {"plan_type", branch.plan_type},
          {"plan", branch.plan},
          {"tokens", branch.tokens},
          {"steps", branch.steps},
          {"thoughts", branch.thoughts},
          {"thinking_time_ms", branch.thinking_time.count()},
          {"rejections", branch.rejections},
          {"outcome", branch.outcome},
          {"created", branch.created},
          {"validated", branch.validated},
          {"last_thought", branch.last_thought},
          {"last_critique", branch.last_critique},
          {"last_failure", branch.last_failure},
          {"last_evidence", branch.last_evidence},
          {"failures", branch.failures},
          {"changed", branch.changed},
          {"thought_seq", branch.thought_seq},
          {"thought_event", branch.thought_event},
          {"critique_seq", branch.critique_seq},
          {"evidence_seq", branch.evidence_seq}};
}

// Reads the fields of one object and remembers the first error.
class Fields {
 public:
  explicit Fields(const Json& json) : json_(json) {}

  template <class T>
  void read(std::string_view name, T& to) {
    keep(json_field<T>(json_, name), to);
  }
  void read(std::string_view name, std::int64_t& to) {
    keep(internal::amount_field(json_, name), to);
  }
  void read(std::string_view name, std::uint64_t& to) {
    std::int64_t value = 0;
    read(name, value);
    to = static_cast<std::uint64_t>(value);
  }
  void read(std::string_view name, milliseconds& to) {
    std::int64_t value = 0;
    read(name, value);
    to = milliseconds(value);
  }
  template <class State>
  void read(std::string_view name, State& to,
            Result<State> (*named)(std::string_view)) {
    std::string text;
    read(name, text);
    if (outcome_) keep(named(text), to);
  }
  // Leaves `to` as it is if the member is missing, as in older versions.
  template <class T>
  void read_if_present(std::string_view name, T& to) {
    if (json_.contains(name)) read(name, to);
  }
  // Reads an object with values of one type.
  template <class Map>
  void read_map(std::string_view name, Map& to) {
    Json object;
    read(name, object);
    if (!outcome_) return;
    for (const auto& [key, value] : object.items()) {
      Fields(object).take(key, to[key], *this);
    }
  }
  void read_list(std::string_view name, std::vector<std::string>& to) {
    Json list;
    read(name, list);
    for (const Json& entry : list) {
      if (entry.is_string()) to.push_back(entry.get<std::string>());
    }
  }

  const Result<void>& outcome() const { return outcome_; }

 private:
  template <class T>
  void keep(Result<T> value, T& to) {
    if (value) {
      to = std::move(*value);
    } else if (outcome_) {
      outcome_ = value.error();
    }
  }
  template <class T>
  void take(std::string_view key, T& to, Fields& outer) {
    read(key, to);
    if (!outcome_ && outer.outcome_) outer.outcome_ = outcome_;
  }

  const Json& json_;
  Result<void> outcome_;
};

Result<BranchScore> score_from_json(const Json& json) {
  BranchScore score;
  Fields fields(json);
  fields.read("completeness", score.completeness);
  fields.read("risk", score.risk);
  fields.read("cost", score.cost);
  fields.read("history_prior", score.history_prior);
  if (const auto& wrong = fields.outcome(); !wrong) return wrong.error();
  return score;
}

Result<Branch> branch_from_json(const Json& json) {
  Branch branch;
  Json score;
  Fields fields(json);
  fields.read("id", branch.id);
  fields.read("name", branch.name);
  fields.read("from", branch.from);
  fields.read("state", branch.state, parse_branch_state);
  fields.read("head", branch.head);
  fields.read("score", score);
  fields.read("is_scored", branch.is_scored);
  fields.read("plan_type", branch.plan_type);
  fields.read("plan", branch.plan);
  fields.read("tokens", branch.tokens);
  fields.read("steps", branch.steps);
  fields.read("thoughts", branch.thoughts);
  fields.read("thinking_time_ms", branch.thinking_time);
  fields.read("rejections", branch.rejections);
  fields.read("outcome", branch.outcome);
  fields.read("created", branch.created);
  fields.read("validated", branch.validated);
  fields.read("last_thought", branch.last_thought);
  fields.read("last_critique", branch.last_critique);
  fields.read("last_failure", branch.last_failure);
  fields.read("last_evidence", branch.last_evidence);
  if (json.contains("failures")) fields.read_list("failures", branch.failures);
  fields.read_if_present("changed", branch.changed);
  fields.read_if_present("thought_seq", branch.thought_seq);
  fields.read_if_present("thought_event", branch.thought_event);
  fields.read_if_present("critique_seq", branch.critique_seq);
  fields.read_if_present("evidence_seq", branch.evidence_seq);
  if (const auto& wrong = fields.outcome(); !wrong) return wrong.error();
  ASSIGN_OR_RETURN(branch.score, score_from_json(score));
  return branch;
}

Json alerts_to_json(const std::vector<Alert>& alerts) {
  Json list = Json::array();
  for (const Alert& alert : alerts) {
    list.push_back({{"kind", alert.kind},
                    {"message", alert.message},
                    {"event", alert.event}});
  }
  return list;
}

Result<std::vector<Alert>> alerts_from_json(const Json& json) {
  std::vector<Alert> alerts;
  for (const Json& entry : json) {
    Alert alert;
    Fields fields(entry);
    fields.read("kind", alert.kind);
    fields.read("message", alert.message);
    fields.read("event", alert.event);
    if (const auto& wrong = fields.outcome(); !wrong) return wrong.error();
    alerts.push_back(std::move(alert));
  }
  return alerts;
}

Json criteria_to_json(const std::vector<CriterionState>& criteria) {
  Json list = Json::array();
  for (const CriterionState& criterion : criteria) {
    list.push_back({{"state", criterion.state}, {"seq", criterion.seq}});
  }
  return list;
}

Result<std::vector<CriterionState>> criteria_from_json(const Json& json) {
  std::vector<CriterionState> criteria;
  for (const Json& entry : json) {
    CriterionState criterion;
    Fields fields(entry);
    fields.read("state", criterion.state);
    fields.read("seq", criterion.seq);
    if (const auto& wrong = fields.outcome(); !wrong) return wrong.error();
    criteria.push_back(std::move(criterion));
  }
  return criteria;
}

Json decisions_to_json(const std::vector<Decision>& decisions) {
  Json list = Json::array();
  for (const Decision& decision : decisions) {
    list.push_back({{"seq", decision.seq}, {"text", decision.text}});
  }
  return list;
}

Result<std::vector<Decision>> decisions_from_json(const Json& json) {
  std::vector<Decision> decisions;
  for (const Json& entry : json) {
    Decision decision;
    Fields fields(entry);
    fields.read("seq", decision.seq);
    fields.read("text", decision.text);
    if (const auto& wrong = fields.outcome(); !wrong) return wrong.error();
    decisions.push_back(std::move(decision));
  }
  return decisions;
}

Result<SessionBudgets> budgets_from_json(const Json& json) {
  SessionBudgets budgets;
  Fields fields(json);
  fields.read("tokens", budgets.tokens);
  fields.read("wall_time_ms", budgets.wall_time);
  fields.read("branches", budgets.branches);
  if (const auto& wrong = fields.outcome(); !wrong) return wrong.error();
  return budgets;
}

Result<void> read_parts(const Json& json, Session& session) {
  ASSIGN_OR_RETURN(const Json budgets, json_field<Json>(json, "budgets"));
  ASSIGN_OR_RETURN(session.budgets, budgets_from_json(budgets));
  ASSIGN_OR_RETURN(const Json alerts, json_field<Json>(json, "alerts"));
  ASSIGN_OR_RETURN(session.alerts, alerts_from_json(alerts));
  if (const auto found = json.find("criteria"); found != json.end()) {
    ASSIGN_OR_RETURN(session.criteria, criteria_from_json(*found));
  }
  session.criteria.resize(session.success_criteria.size());
  if (const auto found = json.find("decisions"); found != json.end()) {
    ASSIGN_OR_RETURN(session.decisions, decisions_from_json(*found));
  }
  ASSIGN_OR_RETURN(const Json branches, json_field<Json>(json, "branches"));
  for (const Json& entry : branches) {
    ASSIGN_OR_RETURN(Branch branch, branch_from_json(entry));
    std::string id = branch.id;
    session.branches.emplace(std::move(id), std::move(branch));
  }
  return {};
}

Result<void> read_plain(const Json& json, Session& session) {
  Fields fields(json);
  fields.read("id", session.id);
  fields.read("goal", session.goal);
  fields.read_list("success_criteria", session.success_criteria);
  fields.read("state", session.state, parse_session_state);
  fields.read("before_pause", session.before_pause, parse_session_state);
  fields.read("time_used_ms", session.time_used);
  fields.read("tokens_used", session.tokens_used);
  fields.read("tokens_reserved", session.tokens_reserved);
  fields.read_map("vector_clock", session.vector_clock);
  fields.read("head", session.head);
  fields.read("last_event", session.last_event);
  std::int64_t last_time = 0;
  fields.read("last_time_us", last_time);
  session.last_time = Clock::WallTime(std::chrono::microseconds(last_time));
  fields.read_map("event_counts", session.event_counts);
  fields.read_list("evidence_chain", session.evidence_chain);
  if (json.contains("evidence_links")) {
    fields.read_list("evidence_links", session.evidence_links);
  }
  fields.read("winner", session.winner);
  fields.read("first_evidence", session.first_evidence);
  fields.read_map("plan_schemas", session.plan_schemas);
  fields.read_map("parallel_runs", session.parallel_runs);
  fields.read_if_present("pruned_to", session.pruned_to);
  fields.read_if_present("pruned_seq", session.pruned_seq);
  if (json.contains("late_requests")) {
    fields.read_map("late_requests", session.late_requests);
  }
  return fields.outcome();
}

}  // namespace

Json to_json(const Session& session) {
  Json branches = Json::array();
  for (const auto& [id, branch] : session.branches) {
    branches.push_back(branch_to_json(branch));
  }
  return {{"version", kSessionVersion},
          {"id", session.id},
          {"goal", session.goal},
          {"success_criteria", session.success_criteria},
          {"criteria", criteria_to_json(session.criteria)},
          {"decisions", decisions_to_json(session.decisions)},
          {"budgets",
           {{"tokens", session.budgets.tokens},
            {"wall_time_ms", session.budgets.wall_time.count()},
            {"branches", session.budgets.branches}}},
          {"state", session_state_name(session.state)},
          {"before_pause", session_state_name(session.before_pause)},
          {"time_used_ms", session.time_used.count()},
          {"tokens_used", session.tokens_used},
          {"tokens_reserved", session.tokens_reserved},
          {"branches", std::move(branches)},
          {"vector_clock", Json(session.vector_clock)},
          {"head", session.head},
          {"last_event", session.last_event},
          {"last_time_us", session.last_time.time_since_epoch().count()},
          {"event_counts", Json(session.event_counts)},
          {"alerts", alerts_to_json(session.alerts)},
          {"evidence_chain", session.evidence_chain},
          {"evidence_links", session.evidence_links},
          {"winner", session.winner},
          {"first_evidence", session.first_evidence},
          {"plan_schemas", Json(session.plan_schemas)},
          {"parallel_runs", Json(session.parallel_runs)},
          {"late_requests", Json(session.late_requests)},
          {"pruned_to", session.pruned_to},
          {"pruned_seq", session.pruned_seq}};
}

Result<Session> session_from_json(const Json& json) {
  Session session;
  RETURN_IF_ERROR(read_plain(json, session));
  RETURN_IF_ERROR(read_parts(json, session));
  RETURN_IF_ERROR(internal::check_reservations(session));
  return session;
}

}  // namespace lamarck::thought
