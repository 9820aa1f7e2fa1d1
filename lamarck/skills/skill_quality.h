// Judges a draft without a model; the rubric is in docs/skills.md.

#pragma once

#include <span>
#include <string_view>
#include <vector>

#include "lamarck/skills/skill.h"
#include "lamarck/skills/trace.h"

namespace lamarck::skills {

// One rule of the rubric: the one list that scoring and documentation use.
struct QualityRule {
  std::string_view name;
  double weight;  // All weights add up to 1.
  // From 0 to 1.
  double (*score)(const SkillDraft& draft, const std::vector<Trace>& traces);
};
std::span<const QualityRule> quality_rules();

double quality_score(const SkillDraft& draft, const std::vector<Trace>& traces);

// The lower end of the success rate: the 5 % quantile of the Beta posterior
// with a uniform prior. 0.05 for a skill that was never used.
double success_lower_bound(std::int64_t uses, std::int64_t successes);

}  // namespace lamarck::skills
