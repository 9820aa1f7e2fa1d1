#include "lamarck/skills/skill_samples_fixture.h"

#include <fmt/format.h>
#include <nlohmann/json.hpp>

namespace lamarck::skills {

SkillDraft sample_draft(const std::string& name) {
  SkillDraft draft;
  draft.name = name;
  draft.description = fmt::format("To test, {}.", name);
  draft.trigger_keywords = {"test", name};
  draft.steps = {
      {.action = "Look it up",
       .tool = "find_thing",
       .arguments = {{"city", {{"$param", "city"}}}}},
      {.action = "Read it",
       .tool = "read_thing",
       .arguments = {{"id", {{"$result", {{"step", 1}, {"path", "/id"}}}}}}}};
  draft.tools_used = {"find_thing", "read_thing"};
  draft.parameters = {
      {"city",
       {{"type", "string"}, {"description", "The city."}, {"required", true}}}};
  draft.preconditions = {{"required_tools", {"find_thing", "read_thing"}},
                         {"description", ""}};
  draft.expected_outcome = "The thing is known.";
  draft.quality_score = 0.75;
  draft.reusability_score = 0.7;
  return draft;
}

AgentRecord sample_agent(const std::string& org, const std::string& name) {
  AgentRecord agent;
  agent.org_id = org;
  agent.name = name;
  agent.evolution.enabled = true;
  agent.evolution.auto_approve = true;
  agent.evolution.max_evolve_per_hour = 1'000;
  agent.evolution.cooldown_minutes = 0;
  return agent;
}

SkillStore::Registration sample_registration(const AgentRecord& agent,
                                             const std::string& name) {
  SkillStore::Registration registration;
  registration.skill.org_id = agent.org_id;
  registration.skill.agent_id = agent.id;
  registration.skill.session_id = "session-1";
  registration.skill.definition = sample_draft(name);
  registration.embedder_id = "test-1";
  registration.embedding = {0.6F, 0.8F};
  return registration;
}

Trace refund_trace(const std::string& customer, const std::string& order,
                   const std::string& item) {
  Trace trace;
  trace.session_id = "session-" + order;
  trace.request =
      fmt::format("Refund order {} of customer {}", order, customer);
  trace.calls = {
      {.tool = "find_customer",
       .arguments = {{"name", customer}},
       .result = {{"customer", {{"id", "C-" + customer}, {"tier", "gold"}}}}},
      {.tool = "read_order",
       .arguments = {{"order_id", order}, {"customer_id", "C-" + customer}},
       .result = {{"order", order},
                  {"items", {{{"sku", item}, {"price", 12.5}}}}}},
      {.tool = "issue_refund",
       .arguments = {{"order_id", order},
                     {"sku", item},
                     {"amount", 12.5},
                     {"reason", "requested"}},
       .result = {{"refund", "done"}}}};
  trace.answer = "The refund is done.";
  trace.reflection = {
      .success = true, .summary = "It worked.", .reusability = 0.9};
  return trace;
}

}  // namespace lamarck::skills
