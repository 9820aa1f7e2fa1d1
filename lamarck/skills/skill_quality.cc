#include "lamarck/skills/skill_quality.h"

#include <algorithm>
#include <array>
#include <cmath>

#include <nlohmann/json.hpp>

#include "lamarck/base/ascii.h"
#include "lamarck/base/string_split.h"
#include "lamarck/skills/internal/request_text.h"
#include "lamarck/skills/skill_replay.h"

namespace lamarck::skills {
namespace {

// How many values of the arguments are references, and how many are constants
// that belong to one task only.
struct ArgumentCounts {
  int parameters = 0;
  int results = 0;
  int single_use = 0;
};

// A constant such as an id, a path or an amount fits one task only.
bool is_single_use(const Json& value) {
  if (value.is_number()) return std::abs(value.get<double>()) >= 1'000;
  if (!value.is_string()) return false;
  const std::string& text = value.get_ref<const std::string&>();
  const auto digits = std::count_if(text.begin(), text.end(), ascii::is_digit);
  return digits >= 3 || text.find('@') != std::string::npos ||
         text.starts_with('/');
}

void count_arguments(const Json& json, ArgumentCounts& counts) {
  const auto reference = parse_reference(json);
  if (reference && *reference) {
    const auto kind = (*reference)->kind;
    if (kind == ArgumentReference::Kind::Parameter) ++counts.parameters;
    if (kind == ArgumentReference::Kind::StepResult) ++counts.results;
    return;
  }
  if (json.is_structured()) {
    for (const Json& part : json) count_arguments(part, counts);
  } else if (is_single_use(json)) {
    ++counts.single_use;
  }
}

ArgumentCounts argument_counts(const SkillDraft& draft) {
  ArgumentCounts counts;
  for (const SkillStep& step : draft.steps) {
    count_arguments(step.arguments, counts);
  }
  return counts;
}

double has_steps(const SkillDraft& draft, const std::vector<Trace>&) {
  return std::min(1.0, static_cast<double>(draft.steps.size()) / 3);
}
double has_parameters(const SkillDraft& draft, const std::vector<Trace>&) {
  return argument_counts(draft).parameters > 0 ? 1 : 0;
}
double is_general(const SkillDraft& draft, const std::vector<Trace>&) {
  const ArgumentCounts counts = argument_counts(draft);
  const int references = counts.parameters + counts.results;
  const int all = references + counts.single_use;
  return all == 0 ? 0 : static_cast<double>(references) / all;
}
double has_data_flow(const SkillDraft& draft, const std::vector<Trace>&) {
  return argument_counts(draft).results > 0 ? 1 : 0;
}
double is_described(const SkillDraft& draft, const std::vector<Trace>&) {
  const std::size_t words = split_text(draft.description, ' ').size();
  return words >= 3 && words <= 60 ? 1 : 0;
}
double starts_with_verb(const SkillDraft& draft, const std::vector<Trace>&) {
  return internal::is_verb(split_text(draft.name, ' ').front()) ? 1 : 0;
}
double was_straight(const SkillDraft&, const std::vector<Trace>& traces) {
  int calls = 0;
  int succeeded = 0;
  for (const Trace& trace : traces) {
    for (const ToolCall& call : trace.calls) {
      ++calls;
      succeeded += call.succeeded ? 1 : 0;
    }
  }
  return calls == 0 ? 0 : static_cast<double>(succeeded) / calls;
}
double replays(const SkillDraft& draft, const std::vector<Trace>&) {
  return !draft.evals.empty() && check_evals(draft) ? 1 : 0;
}

constexpr std::array<QualityRule, 8> kRules = {{
    {"at least three steps", 0.15, has_steps},
    {"has a parameter", 0.2, has_parameters},
    {"few constants of one task", 0.2, is_general},
    {"passes results on", 0.1, has_data_flow},
    {"description of 3 to 60 words", 0.1, is_described},
    {"name begins with a verb", 0.05, starts_with_verb},
    {"calls that succeeded", 0.1, was_straight},
    {"reproduces its cases", 0.1, replays},
}};

// The probability that a Beta(a, b) variable is below x, for whole a and b: the
// upper tail of a binomial distribution.
double beta_below(double x, std::int64_t a, std::int64_t b) {
  const std::int64_t n = a + b - 1;
  double below = 0;
  double log_choose = 0;
  for (std::int64_t k = 0; k <= n; ++k) {
    if (k > 0) {
      log_choose += std::log(static_cast<double>(n - k + 1)) -
                    std::log(static_cast<double>(k));
    }
    if (k < a) continue;
    below += std::exp(log_choose + static_cast<double>(k) * std::log(x) +
                      static_cast<double>(n - k) * std::log1p(-x));
  }
  return below;
}

}  // namespace

std::span<const QualityRule> quality_rules() { return kRules; }

double quality_score(const SkillDraft& draft,
                     const std::vector<Trace>& traces) {
  double sum = 0;
  for (const QualityRule& rule : kRules) {
    sum += rule.weight * rule.score(draft, traces);
  }
  return std::min(sum, 1.0);
}

double success_lower_bound(std::int64_t uses, std::int64_t successes) {
  // Beyond this the bound is the rate itself to two digits, and the sum below
  // would be long.
  constexpr std::int64_t kMaxUses = 2'000;
  if (uses > kMaxUses) {
    successes = successes * kMaxUses / uses;
    uses = kMaxUses;
  }
  double low = 0;
  double high = 1;
  for (int i = 0; i < 30; ++i) {
    const double middle = (low + high) / 2;
    const bool is_below =
        beta_below(middle, successes + 1, uses - successes + 1) < 0.05;
    (is_below ? low : high) = middle;
  }
  return (low + high) / 2;
}

}  // namespace lamarck::skills
