#include <memory>
#include <string>
#include <utility>
#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "lamarck/base/macros.h"
#include "lamarck/cli/command_option.h"
#include "lamarck/cli/command_table.h"
#include "lamarck/cli/skills/skills_context.h"
#include "lamarck/cli/skills/skills_views.h"
#include "lamarck/server/skill_service.h"
#include "lamarck/server/skill_stats.h"

namespace lamarck::cli {
namespace {

constexpr const char* kReviewer = "command line";
constexpr std::size_t kFoundSkills = 5;
constexpr std::size_t kShownUses = 50;

template <class Rows>
Json rows_json(const Rows& rows) {
  Json list = Json::array();
  for (const auto& row : rows) list.push_back(to_json(row));
  return list;
}

Result<void> list_skills(const SkillsContext& skills) {
  skills::SkillFilter filter;
  if (!skills.flags.status.empty()) {
    ASSIGN_OR_RETURN(filter.status,
                     skills::parse_skill_status(skills.flags.status));
  }
  ASSIGN_OR_RETURN(filter.agent_id, skills.agent_id());
  filter.cursor = skills.flags.cursor;
  filter.limit = static_cast<std::size_t>(skills.flags.count);
  ASSIGN_OR_RETURN(const skills::SkillPage page,
                   skills.store.skills(skills.flags.org, filter));
  skills.print({{"skills", rows_json(page.skills)},
                {"next_cursor",
                 page.next_cursor.empty() ? Json() : Json(page.next_cursor)}},
               skill_list_text(page));
  return {};
}

Result<void> show_skill(const SkillsContext& skills) {
  ASSIGN_OR_RETURN(const skills::Skill skill,
                   skills.store.skill(skills.flags.org, skills.flags.id));
  ASSIGN_OR_RETURN(const skills::SkillLift lift,
                   skills.library.lift(skills.flags.org, skill.id));
  Json json = to_json(skill);
  json["lift"] = to_json(lift);
  skills.print(json, skill_text(skill, lift));
  return {};
}

Result<void> search_skills(const SkillsContext& skills) {
  std::string agent = skills.flags.agent;
  if (agent.empty()) agent = server::kDefaultAgent;
  const auto found_agent = skills.store.agent(skills.flags.org, agent);
  if (!found_agent && !skills.flags.agent.empty()) return found_agent.error();
  ASSIGN_OR_RETURN(const skills::SkillMatches found,
                   skills.library.search(
                       skills.flags.org, found_agent ? found_agent->id : "",
                       skills.flags.task, kFoundSkills, skills.context.cancel));
  Json list = Json::array();
  for (const skills::SkillMatch& match : found.matches) {
    list.push_back({{"skill", to_json(match.skill)},
                    {"score", match.score},
                    {"similarity", match.similarity},
                    {"success_bound", match.success_bound},
                    {"suggested_arguments", match.suggested_arguments}});
  }
  skills.print({{"skills", std::move(list)}, {"reason", found.reason}},
               matches_text(found));
  return {};
}

// Prints a skill whose status has changed.
Result<void> print_changed(const SkillsContext& skills,
                           const Result<skills::Skill>& changed,
                           std::string_view what) {
  if (!changed) return changed.error();
  skills.print(to_json(*changed),
               fmt::format("{} {}; its status is {}.\n", what, changed->id,
                           skills::skill_status_name(changed->status)));
  return {};
}

Result<void> review_skill(const SkillsContext& skills) {
  const bool approves = !skills.flags.rejects;
  return print_changed(
      skills,
      skills.store.review(skills.flags.org, skills.flags.id, approves,
                          kReviewer, skills.flags.comment),
      approves ? "Approved" : "Rejected");
}

Result<void> promote_skill(const SkillsContext& skills) {
  return print_changed(
      skills,
      skills.store.promote(skills.flags.org, skills.flags.id, kReviewer),
      "Promoted");
}

Result<void> deprecate_skill(const SkillsContext& skills) {
  const std::string reason = skills.flags.comment.empty()
                                 ? "Deprecated on the command line."
                                 : skills.flags.comment;
  return print_changed(
      skills, skills.store.deprecate(skills.flags.org, skills.flags.id, reason),
      "Deprecated");
}

Result<void> show_stats(const SkillsContext& skills) {
  const std::string name = skills.flags.agent.empty()
                               ? std::string(server::kDefaultAgent)
                               : skills.flags.agent;
  ASSIGN_OR_RETURN(const skills::AgentRecord agent,
                   skills.store.agent(skills.flags.org, name));
  ASSIGN_OR_RETURN(const skills::SkillStore::Stats stats,
                   skills.store.stats(skills.flags.org, agent.id));
  skills.print(server::stats_json(stats), stats_text(stats));
  return {};
}

Result<void> show_history(const SkillsContext& skills) {
  ASSIGN_OR_RETURN(const auto versions,
                   skills.store.versions(skills.flags.org, skills.flags.id));
  ASSIGN_OR_RETURN(
      const auto uses,
      skills.store.uses(skills.flags.org, skills.flags.id, kShownUses));
  skills.print({{"versions", rows_json(versions)}, {"uses", rows_json(uses)}},
               history_text(versions, uses));
  return {};
}

void add_id(CLI::App& app, SkillsFlags& flags) {
  add_option(app, "ID", &flags.id,
             "ID of the skill, a part of it, its name, or last",
             {.is_required = true});
}
void add_agent(CLI::App& app, SkillsFlags& flags) {
  add_option(app, "--agent", &flags.agent, "Name of an agent",
             {.type = "NAME"});
}
void add_list_flags(CLI::App& app, SkillsFlags& flags) {
  add_agent(app, flags);
  add_option(app, "--status", &flags.status, "Only skills with this status",
             {.type = "STATUS"});
  add_option(app, "-n,--count", &flags.count,
             "Show at most this many (default: 20)",
             {.type = "N", .range = {{1, 100}}});
  add_option(app, "--cursor", &flags.cursor, "Continue after this page",
             {.type = "TEXT"});
}
void add_review_flags(CLI::App& app, SkillsFlags& flags) {
  add_id(app, flags);
  add_switch(app, "--reject", flags.rejects, "Reject it instead");
  add_option(app, "--comment", &flags.comment, "Why", {.type = "TEXT"});
}
void add_deprecate_flags(CLI::App& app, SkillsFlags& flags) {
  add_id(app, flags);
  add_option(app, "--comment", &flags.comment, "Why", {.type = "TEXT"});
}
void add_task(CLI::App& app, SkillsFlags& flags) {
  add_option(app, "TASK", &flags.task, "The task in your words",
             {.is_required = true});
  add_agent(app, flags);
}

void add_files(CLI::App& app, SkillsFlags& flags) {
  add_option(app, "FILE", &flags.files, "Files with traces",
             {.is_required = true});
  add_agent(app, flags);
}

void add_folders(CLI::App& app, SkillsFlags& flags) {
  add_option(app, "FOLDER", &flags.files, "Folders with a SKILL.md",
             {.is_required = true});
  add_agent(app, flags);
}

void add_export_flags(CLI::App& app, SkillsFlags& flags) {
  add_id(app, flags);
  add_option(app, "--out", &flags.out, "Folder to write into (default: .)",
             {.type = "FOLDER"});
}
void add_compose_flags(CLI::App& app, SkillsFlags& flags) {
  add_option(app, "NAME", &flags.task, "Name of the new skill",
             {.is_required = true});
  add_option(app, "ID", &flags.files, "IDs of the skills, in order",
             {.is_required = true});
  add_option(app, "--description", &flags.comment,
             "What it does, in one sentence", {.type = "TEXT"});
  add_agent(app, flags);
}

void add_tune_flags(CLI::App& app, SkillsFlags& flags) {
  add_id(app, flags);
  add_option(app, "--requests", &flags.files,
             "Requests to tune with: JSON lines of request, fits (true) and "
             "arguments; may be repeated",
             {.type = "FILE", .is_repeatable = true});
  add_option(app, "--generations", &flags.generations,
             "Rounds of four new wordings each (default: 5)",
             {.type = "N", .range = {{1, 1000}}});
  add_option(app, "--seed", &flags.seed,
             "Seed of the random choices (default: 1)",
             {.type = "N", .range = {{0, 1'000'000'000}}});
}

template <SkillsAction Run, void (*Add)(CLI::App&, SkillsFlags&)>
CommandAction configure_skills(CLI::App& app) {
  const auto flags = std::make_shared<SkillsFlags>();
  Add(app, *flags);
  add_skills_flags(app, *flags);
  return skills_action(flags, Run);
}

}  // namespace

Command skills_command() {
  return {
      .name = "skills",
      .summary = "Show, search, review and learn skills",
      .description =
          "Shows and changes the skills that agents learned. A skill is a list "
          "of steps that solved a task before, with parameters for what "
          "differs from task to task. It must be approved before it is "
          "offered to an agent.",
      .example =
          "lamarck skills list --status pending_review\n"
          "  lamarck skills search \"Refund order 1234 of Ada\"",
      .subcommands = {
          {.name = "list",
           .summary = "List the skills, newest first",
           .description = "Lists the skills with their status, how often they "
                          "were used and how often they worked.",
           .example = "lamarck skills list --status pending_review",
           .configure = configure_skills<list_skills, add_list_flags>},
          {.name = "show",
           .summary = "Show a skill with its steps and statistics",
           .description = "Shows the steps, parameters, statistics and the "
                          "measured lift of a skill.",
           .example = "lamarck skills show 018f...",
           .configure = configure_skills<show_skill, add_id>},
          {.name = "search",
           .summary = "Find skills that fit a task",
           .description = "Finds up to 5 approved skills that fit a task, or "
                          "says that none fits.",
           .example = "lamarck skills search \"Refund order 1234 of Ada\"",
           .configure = configure_skills<search_skills, add_task>},
          {.name = "learn",
           .summary = "Learn skills from traces of finished tasks",
           .description =
               "Learns a skill from each kind of task in the files: tasks "
               "with the same sequence of tools are compared, and what differs "
               "becomes a parameter. Reads chats with tool calls (JSON or "
               "JSONL), session logs of coding agents, OpenTelemetry spans, "
               "and traces with `request` and `calls`. Secrets are removed "
               "before anything is stored.",
           .example = "lamarck skills learn refunds.jsonl",
           .configure = configure_skills<learn_skills, add_files>},
          {.name = "review",
           .summary = "Approve or reject a skill",
           .description = "Approves a skill, or rejects it with --reject. Also "
                          "brings back a skill that was disabled or "
                          "deprecated.",
           .example = "lamarck skills review 018f... --comment 'Checked'",
           .configure = configure_skills<review_skill, add_review_flags>},
          {.name = "promote",
           .summary = "Make an approved skill a regular one",
           .description = "Copies an approved skill to the regular skills.",
           .example = "lamarck skills promote 018f...",
           .configure = configure_skills<promote_skill, add_id>},
          {.name = "deprecate",
           .summary = "Stop offering a skill",
           .description = "Deprecates a skill. `lamarck skills review` brings "
                          "it back.",
           .example = "lamarck skills deprecate 018f...",
           .configure = configure_skills<deprecate_skill, add_deprecate_flags>},
          {.name = "stats",
           .summary = "Count the skills of an agent and their uses",
           .description = "Counts the skills of an agent, their uses and how "
                          "many were approved.",
           .example = "lamarck skills stats --agent default",
           .configure = configure_skills<show_stats, add_agent>},
          {.name = "export",
           .summary = "Write a skill as an Agent Skills folder",
           .description = "Writes a skill as a folder with SKILL.md, which "
                          "other agents can read, and the files that `lamarck "
                          "skills import` restores it from.",
           .example = "lamarck skills export 018f... --out shared",
           .configure = configure_skills<export_skill, add_export_flags>},
          {.name = "import",
           .summary = "Read skills from Agent Skills folders",
           .description = "Reads folders that `lamarck skills export` wrote. "
                          "They are checked like learned skills and must be "
                          "approved before they are offered.",
           .example = "lamarck skills import shared/refund-an-order",
           .configure = configure_skills<import_skills, add_folders>},
          {.name = "compose",
           .summary = "Join skills to one that runs them in order",
           .description = "Creates a skill whose steps run other skills in "
                          "order. Parameters with the same name and type are "
                          "shared.",
           .example = "lamarck skills compose 'Close a case' 018f... 018e...",
           .configure = configure_skills<compose_skill, add_compose_flags>},
          {.name = "tune",
           .summary = "Evolve the name and description of a skill",
           .description =
               "Tries other names and descriptions of a skill with the model "
               "of --llm-model, which sees it among the agent's other skills. "
               "The requests are those it was learned from, those of the other "
               "skills, and those of --requests. Every second request is held "
               "out: a new wording becomes the next version only if it is "
               "right more often on these. `lamarck skills history` shows the "
               "old versions.",
           .example = "lamarck skills tune 018f... --requests flights.jsonl "
                      "--llm-base-url http://127.0.0.1:8485/v1 --llm-model "
                      "needle",
           .configure = configure_skills<tune_skill, add_tune_flags>},
          {.name = "history",
           .summary = "Show the versions and uses of a skill",
           .description = "Shows the versions of a skill and its last uses.",
           .example = "lamarck skills history 018f...",
           .configure = configure_skills<show_history, add_id>},
      }};
}

}  // namespace lamarck::cli
