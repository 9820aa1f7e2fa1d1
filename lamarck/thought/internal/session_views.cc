#include "lamarck/thought/internal/session_views.h"

#include <algorithm>
#include <array>
#include <utility>
#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "lamarck/base/unicode.h"
#include "lamarck/thought/internal/answers.h"
#include "lamarck/thought/redaction.h"
#include "lamarck/thought/token_estimate.h"

namespace lamarck::thought::internal {
namespace {

// Outcomes of stopped branches that do not mean that the branch was bad.
constexpr std::array<std::string_view, 2> kNeutralOutcomes = {
    "merged", "session_completed"};

bool is_early_stop(const Branch& branch) {
  return branch.state == BranchState::EarlyStopped &&
         std::ranges::find(kNeutralOutcomes, branch.outcome) ==
             kNeutralOutcomes.end();
}

bool is_waste(const Branch& branch) {
  return is_early_stop(branch) || branch.last_evidence == "failure" ||
         branch.state == BranchState::Rejected;
}

Json branch_view(const Branch& branch) {
  Json view = branch_metrics(branch);
  view["name"] = redacted(branch.name);
  view["state"] = branch_state_name(branch.state);
  view["steps"] = branch.steps;
  if (!branch.from.empty()) view["from"] = branch.from;
  if (!branch.plan_type.empty()) view["plan_type"] = branch.plan_type;
  return view;
}

std::string branch_line(const Branch& branch) {
  std::string line = fmt::format("- {} ({}): {}", branch.id, branch.name,
                                 branch_state_name(branch.state));
  if (branch.is_scored) {
    line += fmt::format(", completeness {:.2f}, risk {:.2f}",
                        branch.score.completeness, branch.score.risk);
  }
  if (!branch.outcome.empty()) line += fmt::format(", {}", branch.outcome);
  return line;
}

void add_details(const Branch& branch, std::vector<std::string>& lines) {
  if (!branch.last_thought.empty()) {
    lines.push_back(
        fmt::format("Last thought of {}: {}", branch.id,
                    truncate_characters(redacted(branch.last_thought), 160)));
  }
  if (!branch.last_critique.empty()) {
    lines.push_back(
        fmt::format("Last critique of {}: {}", branch.id,
                    truncate_characters(redacted(branch.last_critique), 160)));
  }
}

// The most important lines first, because the digest is cut at the end.
std::vector<std::string> digest_lines(const Session& session,
                                      const Branch* branch) {
  std::vector<std::string> lines;
  lines.push_back(fmt::format(
      "Goal: {}", truncate_characters(redacted(session.goal), 160)));
  lines.push_back(fmt::format("State: {}; {} events; tokens {}/{}",
                              session_state_name(session.state), session.head,
                              session.tokens_used, session.budgets.tokens));
  if (!session.winner.empty()) {
    lines.push_back(fmt::format("Winner: {}", session.winner));
  }
  if (branch != nullptr) {
    lines.push_back(branch_line(*branch));
    add_details(*branch, lines);
    return lines;
  }
  const auto branches = branches_of(session);
  for (const Branch* one : branches) lines.push_back(branch_line(*one));
  for (const Branch* one : branches) add_details(*one, lines);
  return lines;
}

}  // namespace

std::vector<const Branch*> branches_of(const Session& session) {
  std::vector<const Branch*> list;
  for (const auto& [id, branch] : session.branches) list.push_back(&branch);
  std::ranges::sort(list, {}, &Branch::created);
  return list;
}

Json branch_metrics(const Branch& branch) {
  Json metrics = {{"branch_id", branch.id},
                  {"tokens", branch.tokens},
                  {"latency_ms", branch.thinking_time.count()},
                  {"early_stopped", is_early_stop(branch)},
                  {"outcome", branch.outcome.empty()
                                  ? std::string(branch_state_name(branch.state))
                                  : redacted(branch.outcome)}};
  if (branch.is_scored) {
    metrics["score"] = score_json(branch.score);
    metrics["reward"] = reward_of(branch.score);
  }
  return metrics;
}

Json session_status(const Session& session) {
  Json branches = Json::array();
  for (const Branch* branch : branches_of(session)) {
    branches.push_back(branch_view(*branch));
  }
  Json alerts = Json::array();
  for (const Alert& alert : session.alerts) {
    alerts.push_back({{"kind", alert.kind}, {"message", alert.message}});
  }
  Json runs = Json::array();
  for (const auto& [id, text] : session.parallel_runs) runs.push_back(id);
  return {{"goal", session.goal},
          {"success_criteria", session.success_criteria},
          {"branches", std::move(branches)},
          {"winner", session.winner},
          {"head", session.head},
          {"alerts", std::move(alerts)},
          {"parallel_runs", std::move(runs)}};
}

Json session_metrics(const Session& session) {
  std::int64_t wasted = 0;
  std::int64_t early_stops = 0;
  for (const auto& [id, branch] : session.branches) {
    if (is_waste(branch)) wasted += branch.tokens;
    if (is_early_stop(branch)) ++early_stops;
  }
  const auto steps = session.event_counts.find("plan_step");
  const auto used =
      static_cast<double>(std::max<std::int64_t>(1, session.tokens_used));
  return {
      {"tpst", session.tokens_used},
      {"model_hops", steps == session.event_counts.end() ? 0 : steps->second},
      {"first_pass_success", session.first_evidence == "success"},
      {"waste_ratio", static_cast<double>(wasted) / used},
      {"early_stop_count", early_stops}};
}

std::string digest_text(const Session& session, const Branch* branch,
                        std::int64_t max_tokens) {
  std::string text;
  for (const std::string& line : digest_lines(session, branch)) {
    if (!text.empty()) text += '\n';
    text += redacted(line);
  }
  return truncate_tokens(text, max_tokens);
}

}  // namespace lamarck::thought::internal
