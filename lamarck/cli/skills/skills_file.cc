#include "lamarck/cli/skills/skills_file.h"

#include <filesystem>

#include "lamarck/cli/command_option.h"
#include "lamarck/cli/journal_flag.h"
#include "lamarck/store/postgres/postgres_url.h"

namespace lamarck::cli {
namespace {

constexpr const char* kSkillsName = "skills.db";

void create_folder_of(const std::filesystem::path& file) {
  std::error_code ignored;  // Opening the file reports a failure.
  if (file.has_parent_path()) {
    std::filesystem::create_directories(file.parent_path(), ignored);
  }
}

}  // namespace

void add_skills_flag(CLI::App& app, std::string& file) {
  add_option(app, "--skills", &file,
             "Skills file or postgresql:// URL (default: in the data folder)",
             {.type = "FILE"});
}

std::string skills_file(const std::string& flag, const Settings& settings) {
  if (!flag.empty()) return flag;
  return (std::filesystem::path(settings.text("data_dir")) / kSkillsName)
      .string();
}

std::string served_skills_file(const std::string& flag,
                               const std::string& journal_flag,
                               const Settings& settings) {
  std::filesystem::path file;
  if (store::is_postgres_url(flag)) return flag;
  if (!flag.empty()) {
    file = flag;
  } else if (journal_flag == kMemoryJournal) {
    return "";
  } else if (store::is_postgres_url(journal_flag)) {
    return journal_flag;
  } else {
    file = std::filesystem::path(journal_file(journal_flag, settings))
               .replace_filename(kSkillsName);
  }
  create_folder_of(file);
  return file.string();
}

Result<std::unique_ptr<skills::SkillStore>> open_skills(
    const std::string& flag, const CommandContext& context) {
  const std::string file = skills_file(flag, context.settings);
  if (!store::is_postgres_url(file)) create_folder_of(file);
  return skills::open_skill_store({.path = file}, context.clock);
}

}  // namespace lamarck::cli
