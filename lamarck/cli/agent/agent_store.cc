#include "lamarck/cli/agent/agent_store.h"

#include <filesystem>

#include "lamarck/base/macros.h"
#include "lamarck/base/one_line.h"
#include "lamarck/server/skill_service.h"
#include "lamarck/store/postgres/postgres_url.h"

namespace lamarck::cli {

Result<std::unique_ptr<skills::SkillStore>> open_agent_store(
    const std::string& db, const CommandContext& context) {
  if (store::is_postgres_url(db)) {
    return skills::open_skill_store({.path = db}, context.clock);
  }
  const std::filesystem::path folder = context.settings.text("data_dir");
  std::error_code failure;
  std::filesystem::create_directories(folder, failure);
  return skills::open_skill_store({.path = (folder / "skills.db").string()},
                                  context.clock);
}

Result<skills::AgentRecord> find_agent(skills::SkillStore& store,
                                       const std::string& name) {
  auto found = store.agent(skills::kLocalOrganization, name);
  if (found || found.error().code() != ErrorCode::NotFound) return found;
  if (name != server::kDefaultAgent) {
    return Error(ErrorCode::NotFound,
                 "There is no agent " + in_quotes(name) +
                     "; see `lamarck agent list`, or create it with `lamarck "
                     "agent create NAME`.");
  }
  return server::ensure_agent(store, skills::kLocalOrganization, name);
}

}  // namespace lamarck::cli
