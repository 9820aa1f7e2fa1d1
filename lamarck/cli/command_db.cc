#include <filesystem>
#include <memory>
#include <string>
#include <utility>
#include <vector>
#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "lamarck/base/file.h"
#include "lamarck/base/macros.h"
#include "lamarck/base/one_line.h"
#include "lamarck/cli/command_option.h"
#include "lamarck/cli/command_table.h"
#include "lamarck/cli/db/database_archive.h"
#include "lamarck/cli/journal_flag.h"
#include "lamarck/cli/output_file.h"
#include "lamarck/cli/skills/skills_file.h"
#include "lamarck/store/journal_place.h"
#include "lamarck/store/postgres/postgres_url.h"

namespace lamarck::cli {
namespace {

struct DbFlags {
  std::string db;
  std::string skills;
  std::string file;     // Of the export.
  std::string against;  // Another place.
  bool is_forced = false;
};

// A journal and the skills beside it.
struct OpenedDatabase {
  std::string name;  // For messages.
  std::unique_ptr<store::Journal> journal;
  std::unique_ptr<skills::SkillStore> skills;
};

enum class Creation { Existing, IfMissing };

Result<OpenedDatabase> open_database(const std::string& db,
                                     const std::string& skills,
                                     Creation creation,
                                     const CommandContext& context) {
  const std::string place = journal_file(db, context.settings);
  OpenedDatabase opened{.name = one_line(store::shown_place(place), 300)};
  if (creation == Creation::IfMissing) {
    // What was imported is compared at the end, so no commit needs the disk.
    ASSIGN_OR_RETURN(opened.journal, store::open_journal_at(
                                         {.place = place, .durable = false}));
  } else {
    ASSIGN_OR_RETURN(opened.journal, open_journal(place));
  }
  std::string file = served_skills_file(skills, db, context.settings);
  std::error_code ignored;
  const bool is_missing =
      !store::is_postgres_url(file) && !std::filesystem::exists(file, ignored);
  // In memory, an empty store.
  if (is_missing && creation == Creation::Existing) file.clear();
  ASSIGN_OR_RETURN(opened.skills,
                   skills::open_skill_store({.path = file}, context.clock));
  return opened;
}

void print_archive(const Archive& archive, std::string_view text,
                   const CommandContext& context) {
  if (context.json) {
    context.out << dump_json(to_json(archive)) << "\n";
  } else {
    context.out << text << "\n";
  }
}

Result<void> migrate_database(const DbFlags& flags, CommandContext& context) {
  ASSIGN_OR_RETURN(
      const OpenedDatabase opened,
      open_database(flags.db, flags.skills, Creation::IfMissing, context));
  if (context.json) {
    context.out << dump_json(Json{{"db", opened.name}, {"current", true}})
                << "\n";
  } else {
    context.out << "The tables of " << opened.name << " are current.\n";
  }
  return {};
}

Result<void> export_database(const DbFlags& flags, CommandContext& context) {
  RETURN_IF_ERROR(check_output(flags.file, flags.is_forced));
  ASSIGN_OR_RETURN(
      const OpenedDatabase opened,
      open_database(flags.db, flags.skills, Creation::Existing, context));
  std::string text;
  ASSIGN_OR_RETURN(const Archive archive,
                   write_archive(*opened.journal, *opened.skills, &text));
  RETURN_IF_ERROR(write_output(flags.file, text, flags.is_forced));
  print_archive(archive,
                fmt::format("Exported {} to {}.", archive_text(archive.counts),
                            one_line(flags.file, 300)),
                context);
  return {};
}

Result<void> import_database(const DbFlags& flags, CommandContext& context) {
  ASSIGN_OR_RETURN(const std::string text, read_file(flags.file));
  ASSIGN_OR_RETURN(
      const OpenedDatabase opened,
      open_database(flags.db, flags.skills, Creation::IfMissing, context));
  ASSIGN_OR_RETURN(const Archive archive,
                   read_archive(text, *opened.journal, *opened.skills));
  ASSIGN_OR_RETURN(const Archive stored,
                   write_archive(*opened.journal, *opened.skills, nullptr));
  const bool is_equal = stored.sha256 == archive.sha256;
  if (!is_equal && stored.counts == archive.counts) {
    return Error(ErrorCode::DataDamaged,
                 fmt::format("What {} now has differs from the export; remove "
                             "it and import into a new one.",
                             opened.name));
  }
  print_archive(
      archive,
      fmt::format("Imported {} into {}. {}", archive_text(archive.counts),
                  opened.name,
                  is_equal ? "Its content equals the export."
                           : "It also has other records, so the whole was "
                             "not compared."),
      context);
  return {};
}

Result<void> check_database(const DbFlags& flags, CommandContext& context) {
  ASSIGN_OR_RETURN(
      const OpenedDatabase opened,
      open_database(flags.db, flags.skills, Creation::Existing, context));
  ASSIGN_OR_RETURN(const std::vector<std::string> problems,
                   opened.journal->verify());
  for (const std::string& problem : problems) {
    context.err << "lamarck: " << one_line(problem, 1000) << "\n";
  }
  if (!problems.empty()) {
    return Error(
        ErrorCode::DataDamaged,
        fmt::format("{} has {} problems.", opened.name, problems.size()));
  }
  ASSIGN_OR_RETURN(const Archive archive,
                   write_archive(*opened.journal, *opened.skills, nullptr));
  std::string text = fmt::format("No problems found in {}: {}.", opened.name,
                                 archive_text(archive.counts));
  if (!flags.against.empty()) {
    ASSIGN_OR_RETURN(
        const OpenedDatabase other,
        open_database(flags.against, "", Creation::Existing, context));
    ASSIGN_OR_RETURN(const Archive copy,
                     write_archive(*other.journal, *other.skills, nullptr));
    if (copy.sha256 != archive.sha256) {
      return Error(
          ErrorCode::FailedPrecondition,
          fmt::format("{} and {} differ: {}, and {}.", opened.name, other.name,
                      archive_text(archive.counts), archive_text(copy.counts)));
    }
    text += " " + other.name + " has the same content.";
  }
  print_archive(archive, text, context);
  return {};
}

void add_place_flags(CLI::App& app, DbFlags& flags) {
  add_journal_flag(app, flags.db);
  add_skills_flag(app, flags.skills);
}

void add_export_flags(CLI::App& app, DbFlags& flags) {
  add_option(app, "FILE", &flags.file, "File to write", {.is_required = true});
  add_place_flags(app, flags);
  add_force(app, flags.is_forced);
}

void add_import_flags(CLI::App& app, DbFlags& flags) {
  add_option(app, "FILE", &flags.file, "File that `lamarck db export` wrote",
             {.is_required = true});
  add_place_flags(app, flags);
}

void add_check_flags(CLI::App& app, DbFlags& flags) {
  add_place_flags(app, flags);
  add_option(app, "--against", &flags.against,
             "Also compare with this journal and the skills beside it",
             {.type = "PLACE"});
}

template <Result<void> (*Action)(const DbFlags&, CommandContext&),
          void (*Add)(CLI::App&, DbFlags&)>
CommandAction configured(CLI::App& app) {
  const auto flags = std::make_shared<DbFlags>();
  Add(app, *flags);
  return [flags](CommandContext& context) { return Action(*flags, context); };
}

}  // namespace

Command db_command() {
  return {
      .name = "db",
      .summary = "Copy, check and upgrade the journal and the skills",
      .description =
          "Moves sessions, runs and skills between files and PostgreSQL "
          "databases, and checks them. An export is one text file; the import "
          "compares what it has stored with it.",
      .example =
          "lamarck db export all.jsonl\n"
          "  lamarck db import all.jsonl --db postgresql://ada@db/lamarck",
      .subcommands = {
          {.name = "export",
           .summary = "Write everything to a file",
           .description =
               "Writes runs, events, checkpoints, replies and skills to a file "
               "of JSON lines. The last line has its SHA-256. Secrets of "
               "webhooks are part of it, so keep the file private.",
           .example = "lamarck db export all.jsonl",
           .configure = configured<export_database, add_export_flags>},
          {.name = "import",
           .summary = "Add an export to a file or a database",
           .description =
               "Adds what `lamarck db export` wrote. Runs and events that are "
               "already there are skipped; skills need an empty store. Then "
               "reads everything back and compares it with the file.",
           .example =
               "lamarck db import all.jsonl --db postgresql://ada@db/lamarck",
           .configure = configured<import_database, add_import_flags>},
          {.name = "check",
           .summary = "Check the stored data, or compare two places",
           .description =
               "Checks that events have no gaps and that references are "
               "valid, and prints counts and a SHA-256 of the content, which "
               "is equal for equal content in files and databases.",
           .example = "lamarck db check --db postgresql://ada@db/lamarck "
                      "--against journal.db",
           .configure = configured<check_database, add_check_flags>},
          {.name = "migrate",
           .summary = "Create or upgrade the tables",
           .description =
               "Creates the tables, or upgrades those of an older version. "
               "Every command does so when it opens a database; this one lets "
               "an administrator do it first, with more rights than the "
               "servers have.",
           .example = "lamarck db migrate --db postgresql://ada@db/lamarck",
           .configure = configured<migrate_database, add_place_flags>},
      }};
}

}  // namespace lamarck::cli
