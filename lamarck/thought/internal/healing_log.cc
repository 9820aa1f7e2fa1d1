#include "lamarck/thought/internal/healing_log.h"

#include <algorithm>
#include <utility>
#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "lamarck/base/json.h"
#include "lamarck/base/macros.h"
#include "lamarck/base/one_line.h"
#include "lamarck/thought/internal/log_append.h"

namespace lamarck::thought::internal {
namespace {

constexpr std::string_view kRun = "healing";
constexpr std::uint64_t kCheckpointEvents = 500;
constexpr std::size_t kHealingPage = 2000;

store::Event make_event(const HealingOutcome& outcome, Clock::WallTime now) {
  Json details = {{"success", outcome.success},
                  {"plan_type", outcome.plan.plan_type},
                  {"plan", to_json(outcome.plan)},
                  {"session", outcome.session}};
  if (!outcome.overcome.empty()) details["overcome"] = outcome.overcome;
  if (!outcome.success) {
    details["category"] = failure_name(outcome.category);
    details["signature"] = outcome.signature;
  }
  if (!outcome.healed_action.empty()) {
    details["action"] = outcome.healed_action;
    details["healed"] = failure_name(outcome.healed_category);
  }
  return {.id = outcome.id,
          .type = "evidence",
          .role = "tester",
          .content = outcome.success ? "success" : "failure",
          .constraints = dump_json(details),
          .status = "done",
          .failure_signature = outcome.signature,
          .ts = now};
}

store::Run healing_run(Clock::WallTime now) {
  return {.id = std::string(kRun),
          .kind = "healing",
          .title = "What healed which failure",
          .created = now};
}

}  // namespace

Result<FailureCategory> failure_category_named(std::string_view name) {
  const auto kinds = failure_kinds();
  const auto found = std::ranges::find(kinds, name, &FailureKind::name);
  if (found != kinds.end()) return found->category;
  return Error(ErrorCode::InvalidArgument,
               fmt::format("Unknown failure category {}.", in_quotes(name)));
}

// The decision is part of the replay: it depends on the retries counted so far.
Result<void> HealingLog::fold_failure(const Json& details,
                                      const std::string& session) {
  ASSIGN_OR_RETURN(const std::string name,
                   json_field<std::string>(details, "category"));
  ASSIGN_OR_RETURN(const auto category, failure_category_named(name));
  ASSIGN_OR_RETURN(const std::string signature,
                   json_field<std::string>(details, "signature"));
  decisions_[{session, signature}] =
      healing_.failed(signature, category, session);
  return {};
}

Result<void> HealingLog::fold(const store::Event& event) {
  ASSIGN_OR_RETURN(const Json details, parse_json(event.constraints));
  head_ = event.seq;
  if (details.contains("reset")) {
    healing_ = Healing();
    history_ = PlanHistory();
    return {};
  }
  ASSIGN_OR_RETURN(const bool success, json_field<bool>(details, "success"));
  ASSIGN_OR_RETURN(const std::string session,
                   json_field_or<std::string>(details, "session", ""));
  // Earlier versions recorded only the type of the plan.
  PlanTraits traits{.is_known = false};
  if (const auto found = details.find("plan"); found != details.end()) {
    ASSIGN_OR_RETURN(traits, traits_from_json(*found));
  } else {
    ASSIGN_OR_RETURN(traits.plan_type,
                     json_field<std::string>(details, "plan_type"));
  }
  history_.add(
      {.traits = std::move(traits), .success = success, .time = event.ts});
  ASSIGN_OR_RETURN(const std::string action,
                   json_field_or<std::string>(details, "action", ""));
  if (!action.empty()) {
    ASSIGN_OR_RETURN(const std::string name,
                     json_field<std::string>(details, "healed"));
    ASSIGN_OR_RETURN(const auto category, failure_category_named(name));
    healing_.healed(category, action, success);
  }
  if (!success) return fold_failure(details, session);
  for (const Json& signature : details.value("overcome", Json::array())) {
    healing_.overcome(signature.get<std::string>(), session);
  }
  return {};
}

Result<void> HealingLog::restore() {
  if (is_restored_) return {};
  ASSIGN_OR_RETURN(const auto checkpoint, journal_.latest_checkpoint(kRun));
  is_restored_ = true;
  if (!checkpoint) return {};
  ASSIGN_OR_RETURN(const Json json, parse_json(checkpoint->state_snapshot));
  // A checkpoint of an earlier version has no history: replay all outcomes.
  const auto history = json.find("history");
  if (history == json.end()) return {};
  ASSIGN_OR_RETURN(const Json healing, json_field<Json>(json, "healing"));
  ASSIGN_OR_RETURN(healing_, Healing::from_json(healing));
  ASSIGN_OR_RETURN(history_, PlanHistory::from_json(*history));
  head_ = checkpoint->seq;
  checkpoint_ = head_;
  return {};
}

void HealingLog::save_checkpoint(const store::Event& last) {
  const Json state = {{"healing", healing_.to_json()},
                      {"history", history_.to_json()}};
  const Result<void> saved =
      journal_.save_checkpoint({.run = std::string(kRun),
                                .seq = head_,
                                .last_event_id = last.id,
                                .state_snapshot = dump_json(state),
                                .ts = clock_.wall_time()});
  if (saved) checkpoint_ = head_;
}

Result<void> HealingLog::catch_up() {
  RETURN_IF_ERROR(restore());
  while (true) {
    const Result<std::vector<store::Event>> events =
        journal_.events(kRun, head_, kHealingPage);
    if (!events && events.error().code() == ErrorCode::NotFound) return {};
    if (!events) return events.error();
    for (const store::Event& event : *events) RETURN_IF_ERROR(fold(event));
    if (head_ >= checkpoint_ + kCheckpointEvents && !events->empty()) {
      save_checkpoint(events->back());
    }
    if (events->size() < kHealingPage) return {};
  }
}

Result<RetryDecision> HealingLog::record(const HealingOutcome& outcome) {
  RETURN_IF_ERROR(append_to_log(journal_, healing_run(clock_.wall_time()),
                                make_event(outcome, clock_.wall_time())));
  const std::lock_guard lock(mutex_);
  RETURN_IF_ERROR(catch_up());
  const auto found = decisions_.find({outcome.session, outcome.signature});
  return found == decisions_.end() ? RetryDecision{} : found->second;
}

Result<Healing> HealingLog::healing() {
  const std::lock_guard lock(mutex_);
  RETURN_IF_ERROR(catch_up());
  return healing_;
}

Result<PlanHistory> HealingLog::history() {
  const std::lock_guard lock(mutex_);
  RETURN_IF_ERROR(catch_up());
  return history_;
}

Result<void> HealingLog::reset(const std::string& id) {
  return append_to_log(journal_, healing_run(clock_.wall_time()),
                       {.id = id,
                        .type = "evidence",
                        .role = "decider",
                        .content = "reset",
                        .constraints = dump_json(Json{{"reset", true}}),
                        .status = "done",
                        .ts = clock_.wall_time()});
}

}  // namespace lamarck::thought::internal
