// Evolves the name and the description of a skill, because they decide whether
// a model chooses it. The steps and parameters stay.

#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "lamarck/base/cancel_token.h"
#include "lamarck/base/json.h"
#include "lamarck/base/result.h"
#include "lamarck/base/rng.h"
#include "lamarck/skills/skill.h"

namespace lamarck::skills {

struct SkillWording {
  std::string name;
  std::string description;

  friend bool operator==(const SkillWording&, const SkillWording&) = default;
};

// A request and whether the skill should be chosen for it.
struct TuningCase {
  std::string request;
  bool fits = true;
  Json arguments = Json::object();  // Values of parameters in it, if known.
};

struct TuningOptions {
  std::int64_t generations = 5;
  std::int64_t children = 4;  // Of each generation.
};

struct TrialOutcome {
  bool is_right = false;  // The skill was chosen if it fits, and only then.
  std::int64_t tokens = 0;
};
// Offers the skill with a wording to the model.
using TuningTrial =
    std::function<Result<TrialOutcome>(const SkillWording&, const TuningCase&)>;

struct TuningReport {
  SkillWording before;
  SkillWording after;  // Equal to `before` if nothing better was found.
  std::size_t training_cases = 0;
  std::size_t held_out_cases = 0;
  std::size_t training_before = 0;  // Right answers.
  std::size_t training_after = 0;
  std::size_t held_out_before = 0;
  std::size_t held_out_after = 0;
  std::int64_t trials = 0;
  std::int64_t tokens = 0;

  bool is_better() const { return after != before; }
};
Json to_json(const TuningReport& report);

// Every second case of each kind is held out. Wordings compete on the others;
// the winner is kept only if it is right more often on the held-out ones, which
// it was not chosen by. New wordings are made of the skill's tools and of the
// training requests with their values replaced by the names of parameters, so
// no user's values get into them; each is checked like a learned skill. Fails
// if fewer than four cases fit.
Result<TuningReport> tune_wording(const SkillDraft& draft,
                                  const std::vector<TuningCase>& cases,
                                  const TuningOptions& options,
                                  const TuningTrial& trial, Rng& rng,
                                  const CancelToken& cancel);

// {"request", "fits" (true), "arguments" ({})}, one per line or in a list.
Result<std::vector<TuningCase>> parse_tuning_cases(std::string_view text);
// The requests that a skill was learned from.
std::vector<TuningCase> learned_cases(const SkillDraft& draft, bool fits);

}  // namespace lamarck::skills
