// `lamarck skills export`, `import` and `compose`.

#include <filesystem>
#include <optional>
#include <string>
#include <utility>
#include <vector>
#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "lamarck/base/macros.h"
#include "lamarck/base/one_line.h"
#include "lamarck/cli/skills/skills_context.h"
#include "lamarck/runs/known_tools.h"
#include "lamarck/server/skill_service.h"
#include "lamarck/skills/skill_composition.h"
#include "lamarck/skills/skill_folder.h"
#include "lamarck/skills/skill_safety.h"
#include "lamarck/text/make_embedder.h"

namespace lamarck::cli {
namespace {

Result<skills::AgentRecord> owning_agent(const SkillsContext& skills) {
  const std::string name = skills.flags.agent.empty()
                               ? std::string(server::kDefaultAgent)
                               : skills.flags.agent;
  return server::ensure_agent(skills.store, skills.flags.org, name);
}

// Checks the draft like a learned one and stores it for review.
Result<skills::Skill> register_draft(const SkillsContext& skills,
                                     const skills::AgentRecord& agent,
                                     skills::SkillDraft draft,
                                     std::string_view origin) {
  RETURN_IF_ERROR(skills::check_draft(draft));
  RETURN_IF_ERROR(
      skills::check_capabilities(draft, agent, runs::known_tools()));
  ASSIGN_OR_RETURN(const auto embedder, text::make_embedder({}));
  ASSIGN_OR_RETURN(const auto vectors,
                   embedder->embed({draft.description}, skills.context.cancel));
  skills::SkillStore::Registration registration;
  registration.skill.org_id = skills.flags.org;
  registration.skill.agent_id = agent.id;
  registration.skill.session_id = origin;
  registration.skill.definition = std::move(draft);
  registration.embedder_id = embedder->id();
  registration.embedding = vectors.front();
  return skills.store.register_skill(registration);
}

// Finds a skill of the organization by its name.
std::optional<skills::SkillDraft> draft_by_name(const SkillsContext& skills,
                                                std::string_view name) {
  skills::SkillFilter filter;
  filter.limit = 100;
  while (true) {
    const auto page = skills.store.skills(skills.flags.org, filter);
    if (!page) return std::nullopt;
    for (const skills::Skill& skill : page->skills) {
      if (skill.definition.name == name) return skill.definition;
    }
    if (page->next_cursor.empty()) return std::nullopt;
    filter.cursor = page->next_cursor;
  }
}

}  // namespace

Result<void> export_skill(const SkillsContext& skills) {
  ASSIGN_OR_RETURN(const skills::Skill skill,
                   skills.store.skill(skills.flags.org, skills.flags.id));
  const std::filesystem::path parent =
      skills.flags.out.empty() ? "." : skills.flags.out;
  ASSIGN_OR_RETURN(const std::filesystem::path folder,
                   skills::write_skill_folder(skill.definition, parent));
  skills.print({{"id", skill.id}, {"folder", folder.string()}},
               fmt::format("Wrote {}.\n", one_line(folder.string(), 1000)));
  return {};
}

Result<void> import_skills(const SkillsContext& skills) {
  ASSIGN_OR_RETURN(const skills::AgentRecord agent, owning_agent(skills));
  Json list = Json::array();
  std::string text;
  for (const std::string& folder : skills.flags.files) {
    ASSIGN_OR_RETURN(skills::SkillDraft draft,
                     skills::read_skill_folder(folder));
    ASSIGN_OR_RETURN(const skills::Skill skill,
                     register_draft(skills, agent, std::move(draft), "import"));
    list.push_back(to_json(skill));
    text += fmt::format("Imported {}: {}\n", skill.id,
                        one_line(skill.definition.name));
  }
  skills.print({{"skills", std::move(list)}}, text);
  return {};
}

Result<void> compose_skill(const SkillsContext& skills) {
  if (skills.flags.files.size() < 2) {
    return invalid_argument(
        fmt::format("A composition needs at least 2 skills, got {}.",
                    skills.flags.files.size()));
  }
  std::vector<skills::SkillDraft> parts;
  std::string names;
  for (const std::string& id : skills.flags.files) {
    ASSIGN_OR_RETURN(const skills::Skill skill,
                     skills.store.skill(skills.flags.org, id));
    names += (names.empty() ? "" : ", then ") + skill.definition.name;
    parts.push_back(skill.definition);
  }
  const std::string description = skills.flags.comment.empty()
                                      ? "Runs " + names + "."
                                      : skills.flags.comment;
  skills::SkillDraft draft =
      skills::compose_skills(skills.flags.task, description, parts);
  RETURN_IF_ERROR(skills::check_composition(draft, [&](std::string_view name) {
    return draft_by_name(skills, name);
  }));
  ASSIGN_OR_RETURN(const skills::AgentRecord agent, owning_agent(skills));
  ASSIGN_OR_RETURN(
      const skills::Skill skill,
      register_draft(skills, agent, std::move(draft), "composition"));
  skills.print(to_json(skill), fmt::format("Composed {}: {}\n", skill.id,
                                           one_line(skill.definition.name)));
  return {};
}

}  // namespace lamarck::cli
