#include "lamarck/cli/agent/agent_store.h"

#include <algorithm>
#include <filesystem>

#include "lamarck/base/ascii.h"
#include "lamarck/base/macros.h"
#include "lamarck/base/one_line.h"
#include "lamarck/server/skill_service.h"

namespace lamarck::cli {

Result<std::unique_ptr<skills::SkillStore>> open_agent_store(
    const CommandContext& context) {
  const std::filesystem::path folder = context.settings.text("data_dir");
  std::error_code failure;
  std::filesystem::create_directories(folder, failure);
  return skills::open_sqlite_skill_store(
      {.path = (folder / "skills.db").string()}, context.clock);
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

Result<void> check_agent_name(const std::string& name) {
  const bool is_valid = !name.empty() && name.size() <= 64 &&
                        std::ranges::all_of(name, [](char c) {
                          return ascii::is_digit(c) || (c >= 'a' && c <= 'z') ||
                                 c == '-' || c == '_';
                        });
  if (is_valid) return {};
  return invalid_argument(
      "The name of an agent must have 1 to 64 characters of a-z, 0-9, '-' and "
      "'_', got " +
      in_quotes(name) + ".");
}

}  // namespace lamarck::cli
