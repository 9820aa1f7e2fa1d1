// Prints the tables of docs/thoughts.md from the lists in the code.

#include <iostream>
#include <string>
#include <string_view>
#include <fmt/format.h>

#include "lamarck/base/string_split.h"
#include "lamarck/store/internal/secret_shapes.h"
#include "lamarck/thought/branch_score.h"
#include "lamarck/thought/branch_state.h"
#include "lamarck/thought/failure.h"
#include "lamarck/thought/healing.h"
#include "lamarck/thought/plan_check.h"
#include "lamarck/thought/session_state.h"

namespace {

using namespace lamarck::thought;  // NOLINT(google-build-using-namespace)

std::string replaced(std::string_view text, char from, std::string_view to) {
  return lamarck::join_text(lamarck::split_text(text, from), to);
}

void print_states() {
  std::cout << "| session state | next states |\n|---|---|\n";
  for (const std::string_view name : session_state_names()) {
    std::string next;
    for (const SessionTransition& transition : session_transitions()) {
      if (session_state_name(transition.from) != name) continue;
      next += fmt::format("{}`{}`", next.empty() ? "" : ", ",
                          session_state_name(transition.to));
    }
    std::cout << fmt::format("| `{}` | {} |\n", name,
                             next.empty() ? "none (final)" : next);
  }
}

void print_transitions() {
  std::cout << "\n| branch state | trigger | next state |\n|---|---|---|\n";
  for (const BranchTransition& transition : branch_transitions()) {
    std::cout << fmt::format("| `{}` | `{}` | `{}` |\n",
                             branch_state_name(transition.from),
                             branch_trigger_name(transition.trigger),
                             branch_state_name(transition.to));
  }
}

void print_failures() {
  std::cout << "\n| failure | messages that match | exit code | retried |\n"
               "|---|---|---|---|\n";
  for (const FailureKind& kind : failure_kinds()) {
    const std::string pattern =
        replaced(replaced(kind.pattern, '`', "'"), '|', " \u00b7 ");
    std::cout << fmt::format(
        "| `{}` | {} | {} | {} |\n", kind.name,
        pattern.empty() ? "anything else" : replaced(pattern, '*', "\\*"),
        kind.exit_code == 0 ? "" : std::to_string(kind.exit_code),
        kind.is_retried ? "yes" : "no");
  }
}

void print_strategies() {
  std::cout << "\n| failure | strategy | parameters |\n|---|---|---|\n";
  for (const HealingStrategy& strategy : healing_strategies()) {
    std::cout << fmt::format("| `{}` | `{}` | `{}` |\n",
                             failure_name(strategy.category), strategy.action,
                             strategy.parameters);
  }
}

void print_weights() {
  std::cout << fmt::format(
      "\n| part of the reward | weight |\n|---|---|\n"
      "| completeness | {} |\n| 1 - risk | {} |\n"
      "| 1 - min(cost / {}, 1) | {} |\n| history | {} |\n",
      kRewardWeights.completeness, kRewardWeights.risk, kFullCost,
      kRewardWeights.cost, kRewardWeights.history);
  std::cout << fmt::format(
      "\n| part of the risk | weight |\n|---|---|\n"
      "| scope: the larger of changes / {} and files / {} | {} |\n"
      "| tests: 1 - coverage | {} |\n"
      "| unknown symbols: their share / {} | {} |\n"
      "| history: 1 - success rate | {} |\n",
      kRiskyChanges, kRiskyFiles, kRiskWeights.scope, kRiskWeights.test,
      kMaxUnresolved, kRiskWeights.unknown_symbols, kRiskWeights.history);
}

void print_thresholds() {
  std::cout << "\n| risk | from |\n|---|---|\n";
  for (const RiskLevel& level : risk_levels()) {
    std::cout << fmt::format("| {} | {} |\n", level.name, level.from);
  }
  std::cout << fmt::format(
      "\n| threshold | value |\n|---|---|\n"
      "| share of tokens or time above which a session stops early | {} |\n"
      "| risk below which a complete branch is good enough | {} |\n"
      "| variance of rewards below which branches have converged | {} |\n"
      "| share of unresolved symbols below which the context suffices | {} |\n"
      "| share of the call graph above which the context suffices | {} |\n"
      "| retries of one failure | {} |\n"
      "| weight of the newest outcome in a success rate | {} |\n"
      "| success rate of a strategy never tried | {} |\n",
      kBudgetStop, kLowRisk, kConvergedVariance, kMaxUnresolved, kMinCallgraph,
      Healing::kMaxRetries, Healing::kNewestShare, Healing::kFirstRate);
}

void print_plan_types() {
  std::cout << "\n| plan | required fields |\n|---|---|\n";
  for (const PlanType& type : built_in_plan_types()) {
    std::cout << fmt::format("| `{}` | `{}` |\n", type.name,
                             lamarck::join_text(type.required_fields, "`, `"));
  }
}

void print_key_shapes() {
  std::cout << "\n| service | prefix | followed by at least |\n|---|---|---|\n";
  for (const lamarck::store::internal::KeyShape& shape :
       lamarck::store::internal::key_shapes()) {
    std::cout << fmt::format(
        "| {} | `{}` | {} {} |\n", shape.service, shape.prefix,
        shape.min_length,
        lamarck::store::internal::key_alphabet_name(shape.alphabet));
  }
}

}  // namespace

int main() {
  print_states();
  print_transitions();
  print_failures();
  print_strategies();
  print_weights();
  print_thresholds();
  print_plan_types();
  print_key_shapes();
  return 0;
}
