// EXTRACT: a draft of a skill from traces, by a model or by rules.

#pragma once

#include <string>
#include <vector>

#include "lamarck/base/cancel_token.h"
#include "lamarck/base/result.h"
#include "lamarck/llm/chat_model.h"
#include "lamarck/skills/skill.h"
#include "lamarck/skills/trace.h"

namespace lamarck::skills {

struct Extraction {
  SkillDraft draft;
  std::int64_t tokens = 0;
};

// The system message and the request of the model. Traces are data in it,
// marked as untrusted.
std::vector<llm::ChatMessage> extraction_prompt(
    const std::vector<Trace>& traces);

// `model` null = by rules. An answer of the model that is not a valid skill, or
// does not reproduce the calls of the traces, is sent back once with the error.
// Tokens of a failed extraction are in the error field "tokens".
Result<Extraction> extract_skill(const std::vector<Trace>& traces,
                                 llm::ChatModel* model,
                                 const CancelToken& cancel);

}  // namespace lamarck::skills
