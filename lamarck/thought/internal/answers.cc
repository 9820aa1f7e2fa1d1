#include "lamarck/thought/internal/answers.h"

#include <algorithm>
#include <utility>
#include <nlohmann/json.hpp>

#include "lamarck/thought/internal/advice.h"
#include "lamarck/thought/session_export.h"

namespace lamarck::thought::internal {
namespace {

std::int64_t non_negative(std::int64_t value) {
  return std::max<std::int64_t>(0, value);
}

Json new_alerts(const Turn& turn) {
  Json list = Json::array();
  const auto& events = turn.events();
  for (const Alert& alert : turn.session().alerts) {
    const bool is_new = std::ranges::any_of(
        events, [&](const auto& event) { return event.id == alert.event; });
    if (!is_new) continue;
    list.push_back({{"kind", alert.kind}, {"message", alert.message}});
  }
  return list;
}

}  // namespace

Json budgets_left(const Session& session, std::chrono::milliseconds time_used) {
  const auto forked = static_cast<std::int64_t>(session.branches.size()) - 1;
  const SessionBudgets& budgets = session.budgets;
  Json left;
  left["tokens_used"] = session.tokens_used;
  left["tokens_left"] = non_negative(budgets.tokens - session.tokens_used -
                                     session.tokens_reserved);
  left["time_left_ms"] = non_negative((budgets.wall_time - time_used).count());
  left["branches_left"] = non_negative(budgets.branches - forked);
  return left;
}

Json score_json(const BranchScore& score) {
  return {{"completeness", score.completeness},
          {"risk", score.risk},
          {"cost", score.cost},
          {"history_prior", score.history_prior}};
}

Json clock_json(const store::ClockCounts& clock) { return clock; }

Json complete_answer(Json answer, const Turn& turn) {
  const Session& session = turn.session();
  // session.time_used ends at the last event, but time also passes between
  // events.
  const auto time_used = std::max(session.time_used, turn.time_used());
  const Branch* branch = nullptr;
  if (const auto id = answer.find("branch"); id != answer.end()) {
    const auto found = session.branches.find(id->get_ref<const std::string&>());
    if (found != session.branches.end()) branch = &found->second;
  }
  answer["session"] = session.id;
  answer["session_state"] = session_state_name(session.state);
  if (branch != nullptr) answer["state"] = branch_state_name(branch->state);
  Json events = Json::array();
  for (const store::Event& event : turn.events()) events.push_back(event.id);
  answer["events"] = std::move(events);
  answer["budgets"] = budgets_left(session, time_used);
  answer["audit"] = audit_bar(session);
  answer["vector_clock"] = session.vector_clock;
  Json alerts = new_alerts(turn);
  if (!alerts.empty()) answer["alerts"] = std::move(alerts);
  // Where the next step is a word, the sentence for the model is `advice`.
  const char* const sentence =
      answer.contains("advice") ? "advice" : "next_step";
  answer[sentence] =
      next_step(session, time_used, branch, answer.value(sentence, ""));
  return answer;
}

}  // namespace lamarck::thought::internal
