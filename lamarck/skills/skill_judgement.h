// Lets a language model judge a draft; without one, the rubric of
// skill_quality.h does it.

#pragma once

#include <cstdint>
#include <string>

#include "lamarck/base/cancel_token.h"
#include "lamarck/base/result.h"
#include "lamarck/llm/chat_model.h"
#include "lamarck/skills/skill.h"

namespace lamarck::skills {

struct Judgement {
  double quality = 0;      // 0 to 1.
  double reusability = 0;  // 0 to 1.
  std::string reason;
  std::int64_t tokens = 0;
};

// An answer that does not have the form is sent back once with the error.
// Tokens of a failed judgement are in the error field "tokens".
Result<Judgement> judge_skill(const SkillDraft& draft, llm::ChatModel& model,
                              const CancelToken& cancel);

}  // namespace lamarck::skills
