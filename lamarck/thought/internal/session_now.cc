#include "lamarck/thought/internal/session_now.h"

#include <algorithm>
#include <utility>
#include <fmt/format.h>

namespace lamarck::thought::internal {
namespace {

// At least 80 %, in integers so that no product can overflow.
bool is_mostly_used(std::int64_t used, std::int64_t budget) {
  return used >= budget - budget / 5;
}

Session changed(const Session& session, SessionState state,
                std::chrono::milliseconds time_used, std::string message) {
  Session now = session;
  now.state = state;
  now.time_used = time_used;
  now.alerts.push_back({.kind = "budget", .message = std::move(message)});
  return now;
}

}  // namespace

bool is_clock_stopped(const Session& session) {
  if (is_final(session.state) || session.state == SessionState::Paused) {
    return true;
  }
  // Thinkers of other branches may be at work meanwhile.
  return session.tokens_reserved == 0 &&
         std::ranges::any_of(session.branches, [](const auto& entry) {
           return entry.second.state == BranchState::Executing;
         });
}

std::optional<std::string> budget_warning(const Session& session,
                                          std::chrono::milliseconds time_used) {
  const SessionBudgets& budgets = session.budgets;
  if (session.state != SessionState::Active) return std::nullopt;
  if (is_mostly_used(session.tokens_used, budgets.tokens)) {
    return fmt::format("{} of {} tokens are used.", session.tokens_used,
                       budgets.tokens);
  }
  if (!is_mostly_used(time_used.count(), budgets.wall_time.count())) {
    return std::nullopt;
  }
  return fmt::format("{} of {} ms are used.", time_used.count(),
                     budgets.wall_time.count());
}

std::optional<std::string> timeout_note(const Session& session,
                                        std::chrono::milliseconds time_used) {
  const bool is_stopped =
      is_final(session.state) || session.state == SessionState::Paused;
  if (is_stopped || time_used <= session.budgets.wall_time) return std::nullopt;
  return fmt::format("The wall time of {} ms is used up.",
                     session.budgets.wall_time.count());
}

std::optional<Session> session_now(const Session& session,
                                   std::chrono::milliseconds time_used) {
  if (auto note = timeout_note(session, time_used)) {
    return changed(session, SessionState::Timeout, time_used, *std::move(note));
  }
  if (auto warning = budget_warning(session, time_used)) {
    return changed(session, SessionState::Warning, time_used,
                   *std::move(warning));
  }
  return std::nullopt;
}

}  // namespace lamarck::thought::internal
