#include "lamarck/thought/thought_engine.h"

#include <algorithm>
#include <utility>
#include <nlohmann/json.hpp>

#include "lamarck/base/macros.h"
#include "lamarck/thought/internal/engine_state.h"
#include "lamarck/thought/internal/evidence_chain.h"
#include "lamarck/thought/internal/session_now.h"
#include "lamarck/thought/internal/session_views.h"
#include "lamarck/thought/session_export.h"

namespace lamarck::thought {
namespace {

using internal::Turn;

// Outcomes of plans with the same traits.
struct PlanGroup {
  PlanTraits traits;
  std::int64_t outcomes = 0;
  std::int64_t successes = 0;
};

std::vector<PlanGroup> plan_groups(const PlanHistory& history) {
  std::vector<PlanGroup> groups;
  for (const PlanOutcome& outcome : history.outcomes()) {
    auto found = std::ranges::find(groups, outcome.traits, &PlanGroup::traits);
    if (found == groups.end()) {
      groups.push_back({.traits = outcome.traits});
      found = std::prev(groups.end());
    }
    ++found->outcomes;
    if (outcome.success) ++found->successes;
  }
  return groups;
}

}  // namespace

ThoughtEngine::ThoughtEngine(EngineOptions options, store::Journal& journal,
                             Clock& clock, Rng rng)
    : state_(std::make_unique<State>(std::move(options), journal, clock, rng)) {
}

ThoughtEngine::~ThoughtEngine() = default;

Result<Session> ThoughtEngine::session(std::string_view id) {
  ASSIGN_OR_RETURN(const auto open, state_->loaded(id));
  RETURN_IF_ERROR(open->catch_up(state_->journal, state_->clock));
  return *open->session;
}

Result<Session> ThoughtEngine::session_now(std::string_view id) {
  ASSIGN_OR_RETURN(const auto open, state_->loaded(id));
  RETURN_IF_ERROR(open->catch_up(state_->journal, state_->clock));
  const auto time_used = open->time_used(state_->clock);
  auto now = internal::session_now(*open->session, time_used);
  if (now) return *std::move(now);
  Session same = *open->session;
  same.time_used = std::max(same.time_used, time_used);
  return same;
}

ThoughtEngine::Answer ThoughtEngine::metrics(std::string_view session) {
  return state_->look(session, [&](Turn& turn) -> Result<Json> {
    const Session& now = turn.session();
    Json metrics = internal::session_metrics(now);
    metrics["session_id"] = now.id;
    metrics["outcome"] = session_state_name(now.state);
    metrics["audit"] = audit_bar(now);
    metrics["audit_box"] = audit_box(now);
    ASSIGN_OR_RETURN(const internal::Usage before, state_->usage.ended());
    // The session itself is not among those that have ended until it ends.
    const bool is_open = !is_final(now.state);
    metrics["cumulative"] = {
        {"sessions", before.sessions + (is_open ? 1 : 0)},
        {"tokens", before.tokens + (is_open ? now.tokens_used : 0)}};
    metrics["branches"] = Json::array();
    for (const Branch* branch : internal::branches_of(now)) {
      metrics["branches"].push_back(internal::branch_metrics(*branch));
    }
    metrics["evidence_chain"] = internal::evidence_chain(state_->journal, now);
    return metrics;
  });
}

Result<Healing> ThoughtEngine::healing() { return state_->healing.healing(); }

ThoughtEngine::Answer ThoughtEngine::history() {
  ASSIGN_OR_RETURN(const Healing healing, state_->healing.healing());
  ASSIGN_OR_RETURN(const PlanHistory history, state_->healing.history());
  Json plans = Json::array();
  for (const PlanGroup& group : plan_groups(history)) {
    plans.push_back(
        {{"plan", to_json(group.traits)},
         {"outcomes", group.outcomes},
         {"successes", group.successes},
         {"success_rate",
          history.success_rate(group.traits, state_->clock.wall_time())
              .value_or(0.5)}});
  }
  return dump_json(
      {{"rates", healing.to_json()["rates"]}, {"plans", std::move(plans)}});
}

Result<void> ThoughtEngine::reset_history() {
  return state_->healing.reset("reset_" + state_->ids.next());
}

}  // namespace lamarck::thought
