// Skills, agents and traces for tests.

#pragma once

#include <memory>
#include <string>
#include <vector>

#include "lamarck/skills/skill_store.h"
#include "lamarck/skills/trace.h"
#include "lamarck/text/embedder.h"

namespace lamarck::skills {

SkillDraft sample_draft(const std::string& name);
// An agent with evolution on, approved automatically, without a cooldown.
AgentRecord sample_agent(const std::string& org, const std::string& name);
SkillStore::Registration sample_registration(const AgentRecord& agent,
                                             const std::string& name);

// "Refund order ORDER of CUSTOMER" in three calls with data flow.
Trace refund_trace(const std::string& customer, const std::string& order,
                   const std::string& item);

}  // namespace lamarck::skills
