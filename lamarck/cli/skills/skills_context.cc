#include "lamarck/cli/skills/skills_context.h"

#include <nlohmann/json.hpp>

#include "lamarck/base/macros.h"
#include "lamarck/cli/command_option.h"
#include "lamarck/cli/model_settings.h"
#include "lamarck/cli/short_id.h"
#include "lamarck/cli/skills/skills_file.h"
#include "lamarck/runs/known_tools.h"
#include "lamarck/server/access/principal.h"

namespace lamarck::cli {

Result<std::string> SkillsContext::agent_id() const {
  if (flags.agent.empty()) return std::string();
  ASSIGN_OR_RETURN(const skills::AgentRecord agent,
                   store.agent(flags.org, flags.agent));
  return agent.id;
}

void SkillsContext::print(const Json& json, const std::string& text) const {
  if (context.json) {
    context.out << dump_json(json) << "\n";
  } else {
    context.out << text;
  }
}

CommandAction skills_action(const std::shared_ptr<SkillsFlags>& flags,
                            SkillsAction run) {
  return [flags, run](CommandContext& context) -> Result<void> {
    RETURN_IF_ERROR(server::check_organization(flags->org));
    ASSIGN_OR_RETURN(const auto store, open_skills(flags->skills, context));
    skills::SkillLibraryOptions options;
    options.find_tool = runs::known_tools();
    ASSIGN_OR_RETURN(options.model,
                     open_optional_model(context.settings, context.clock));
    ASSIGN_OR_RETURN(
        const auto library,
        skills::SkillLibrary::open(*store, std::move(options), context.clock));
    SkillsFlags found = *flags;
    if (!found.id.empty()) {
      ASSIGN_OR_RETURN(found.id, find_skill_id(*store, found.org, found.id));
    }
    return run({found, context, *store, *library});
  };
}

void add_skills_flags(CLI::App& app, SkillsFlags& flags) {
  add_skills_flag(app, flags.skills);
  add_option(app, "--org", &flags.org, "Organization (default: local)",
             {.type = "NAME"});
}

}  // namespace lamarck::cli
