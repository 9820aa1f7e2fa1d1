// Decides whether a draft is new. Similar descriptions are only candidates;
// what a skill does decides: its tools, their order and their arguments.

#pragma once

#include <string>
#include <vector>

#include "lamarck/base/result.h"
#include "lamarck/skills/skill.h"
#include "lamarck/skills/trace.h"

namespace lamarck::skills {

struct SimilarSkill {
  Skill skill;
  double similarity = 0;  // Of the descriptions.
};

struct Novelty {
  enum class Kind : std::uint8_t {
    New,
    Covered,  // An existing skill makes the same calls with some arguments.
    Merge,    // `merged` generalizes an existing skill and the draft.
  };
  Kind kind = Kind::New;
  std::string reason;
  std::string skill_id;  // The existing skill.
  SkillDraft merged;
};

// REQUIRES: `similar` is sorted, most similar first.
Novelty judge_novelty(const SkillDraft& draft, const std::vector<Trace>& traces,
                      const std::vector<SimilarSkill>& similar);

}  // namespace lamarck::skills
