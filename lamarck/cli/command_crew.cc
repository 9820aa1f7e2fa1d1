#include <fmt/format.h>

#include <memory>
#include <nlohmann/json.hpp>

#include "lamarck/base/json.h"
#include "lamarck/base/macros.h"
#include "lamarck/base/one_line.h"
#include "lamarck/cli/command_option.h"
#include "lamarck/cli/command_table.h"
#include "lamarck/cli/evolve/crew_flag.h"
#include "lamarck/crew/crew_status.h"

namespace lamarck::cli {
namespace {

constexpr std::int64_t kMaxShownRuns = 20;

struct StatusFlags {
  std::string url;
  bool is_live = false;
};

Json status_json(const crew::CrewStatus& run) {
  Json members = Json::array();
  for (const crew::MemberStatus& each : run.members) {
    members.push_back({{"member", each.id},
                       {"name", each.name},
                       {"cores", each.cores},
                       {"pieces", each.pieces},
                       {"seconds", each.seconds},
                       {"here", each.is_here}});
  }
  return {{"run", run.run},
          {"kind", run.kind},
          {"state", run.state},
          {"simd", run.simd},
          {"steps", run.steps},
          {"pieces", run.pieces},
          {"pieces_per_second", run.rate()},
          {"lost_pieces", run.lost_pieces},
          {"lost_members", run.lost_members},
          {"bytes", run.bytes},
          {"seconds", run.seconds},
          {"members", std::move(members)}};
}

std::string status_text(const crew::CrewStatus& run) {
  std::string text = fmt::format(
      "Run {} ({}, {}): {}, {} steps, {} pieces, {:.3g}/s, {} lost with {} "
      "members, {:.0f} s\n",
      run.run, run.kind, run.simd, run.state, run.steps, run.pieces, run.rate(),
      run.lost_pieces, run.lost_members, run.seconds);
  if (run.members.empty()) return text + "  no members besides the leader\n";
  text += fmt::format("  {:<30} {:>5} {:>8} {:>9} {}\n", "member", "cores",
                      "pieces", "pieces/s", "state");
  for (const crew::MemberStatus& each : run.members) {
    const double rate =
        each.seconds > 0 ? static_cast<double>(each.pieces) / each.seconds : 0;
    text += fmt::format("  {:<30} {:>5} {:>8} {:>9.3g} {}\n",
                        one_line(each.name, 30), each.cores, each.pieces, rate,
                        each.is_here ? "here" : "left");
  }
  return text;
}

Result<void> show_once(crew::PgSession& session, bool clears,
                       CommandContext& context) {
  ASSIGN_OR_RETURN(const auto runs,
                   crew::read_crew_status(session, kMaxShownRuns));
  Json list = Json::array();
  std::string text = runs.empty() ? "No run has used this database.\n" : "";
  for (const crew::CrewStatus& run : runs) {
    list.push_back(status_json(run));
    text += status_text(run);
  }
  if (clears && context.out_is_terminal) context.out << "\033[H\033[2J";
  context.out << (context.json ? dump_json(list) + "\n" : text) << std::flush;
  return {};
}

Result<void> show_status(const StatusFlags& flags, CommandContext& context) {
  RETURN_IF_ERROR(check_crew_url(flags.url));
  ASSIGN_OR_RETURN(crew::PgSession session, crew::PgSession::open(flags.url));
  do {
    RETURN_IF_ERROR(show_once(session, flags.is_live, context));
  } while (flags.is_live &&
           !context.clock.sleep_for(std::chrono::seconds(1), context.cancel));
  return {};
}

}  // namespace

Command crew_command() {
  return {.name = "crew",
          .summary = "Show who computes the runs of a database",
          .description =
              "Shows the runs that were started with --crew, their members, "
              "pieces, rates and losses.",
          .example = "lamarck crew status postgresql://host/db --json",
          .subcommands = {
              {.name = "status",
               .summary = "List the runs and members of a crew",
               .description =
                   "Lists the newest runs of a database with their members.",
               .example = "lamarck crew status postgresql://host/db --live",
               .configure = [](CLI::App& app) -> CommandAction {
                 const auto flags = std::make_shared<StatusFlags>();
                 add_option(app, "URL", &flags->url, "The database of the crew",
                            {.is_required = true});
                 add_switch(app, "--live", flags->is_live,
                            "Repeat every second until interrupted");
                 return [flags](CommandContext& context) {
                   return show_status(*flags, context);
                 };
               }}}};
}

}  // namespace lamarck::cli
