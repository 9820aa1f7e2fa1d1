#include "lamarck/cli/think_upkeep.h"

#include <filesystem>
#include <string>
#include <vector>
#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "lamarck/base/file.h"
#include "lamarck/base/macros.h"
#include "lamarck/base/one_line.h"
#include "lamarck/cli/output_file.h"
#include "lamarck/cli/think_views.h"
#include "lamarck/report/report_text.h"

namespace lamarck::cli {
namespace {

using report::counted;

// Writes the events that will be removed to the
// file and returns the number of the last one.
Result<std::uint64_t> save_events(const ThinkContext& think,
                                  const std::string& file) {
  ASSIGN_OR_RETURN(const auto checkpoint,
                   think.journal.latest_checkpoint(think.flags.session));
  ASSIGN_OR_RETURN(const std::vector<store::Event> events,
                   think.journal.events(think.flags.session));
  std::string lines;
  for (const store::Event& event : events) {
    if (!checkpoint || event.seq > checkpoint->seq) break;
    lines += dump_json(event_json(event, true)) + "\n";
  }
  RETURN_IF_ERROR(write_private_file(file, lines));
  return checkpoint ? checkpoint->seq : 0;
}

// Returns the state to replay from: an empty session, or the checkpoint if the
// events before it were pruned.
Result<thought::Session> replay_start(const ThinkContext& think,
                                      const std::string& id) {
  ASSIGN_OR_RETURN(const std::vector<store::Event> first,
                   think.journal.events(id, 0, 1));
  if (!first.empty() && first.front().seq == 1) return thought::Session();
  ASSIGN_OR_RETURN(const auto checkpoint, think.journal.latest_checkpoint(id));
  if (!checkpoint) {
    return Error(ErrorCode::DataDamaged,
                 "The first events of " + in_quotes(id) +
                     " are missing, and there is no checkpoint to start from.");
  }
  ASSIGN_OR_RETURN(const Json state, parse_json(checkpoint->state_snapshot));
  return thought::session_from_json(state);
}

}  // namespace

Result<void> verify_journal(const ThinkContext& think) {
  ASSIGN_OR_RETURN(std::vector<std::string> problems, think.journal.verify());
  ASSIGN_OR_RETURN(const std::vector<store::Run> runs,
                   think.journal.runs({.kind = "thought", .limit = 1'000'000}));
  for (const store::Run& run : runs) {
    const auto session = think.engine.session(run.id);
    if (!session) problems.push_back(session.error().message());
  }
  std::string text;
  for (const std::string& problem : problems) text += problem + "\n";
  think.print({{"sessions", runs.size()},
               {"problems", problems},
               {"ok", problems.empty()}},
              problems.empty()
                  ? fmt::format("No problems found in {}.\n",
                                counted(runs.size(), "session", "sessions"))
                  : text);
  if (problems.empty()) return {};
  return Error(ErrorCode::DataDamaged,
               fmt::format("The journal has {}.",
                           counted(problems.size(), "problem", "problems")));
}

Result<void> prune_session(const ThinkContext& think) {
  RETURN_IF_ERROR(check_session(think, think.flags.session));
  const std::string file = think.flags.out.empty()
                               ? think.flags.session + ".jsonl"
                               : think.flags.out;
  if (!check_new_file(file)) {
    return Error(ErrorCode::AlreadyExists,
                 in_quotes(file) +
                     " already exists and may contain events pruned earlier; "
                     "choose another file with --out.");
  }
  ASSIGN_OR_RETURN(
      const std::string answer,
      think.engine.mark_pruned(think.flags.session,
                               std::filesystem::absolute(file).string()));
  ASSIGN_OR_RETURN(const std::uint64_t saved, save_events(think, file));
  ASSIGN_OR_RETURN(
      const std::uint64_t removed,
      think.journal.prune(
          think.flags.session, [&](const store::Event& event) -> Result<void> {
            // Remove only events that are in the file.
            if (event.seq <= saved) return {};
            return Error(ErrorCode::Conflict,
                         "The session changed while it was pruned; run the "
                         "command again.");
          }));
  think.print({{"removed", removed}, {"file", file}},
              fmt::format("Moved {} to {}.\n",
                          counted(removed, "event", "events"), file));
  return {};
}

Result<void> replay_session(const ThinkContext& think) {
  RETURN_IF_ERROR(check_session(think, think.flags.session));
  ASSIGN_OR_RETURN(const thought::Session live,
                   think.engine.session(think.flags.session));
  ASSIGN_OR_RETURN(thought::Session replayed, replay_start(think, live.id));
  const std::uint64_t start = replayed.head;
  ASSIGN_OR_RETURN(const std::vector<store::Event> events,
                   think.journal.events(live.id, start));
  for (const store::Event& event : events) {
    RETURN_IF_ERROR(thought::apply(replayed, event));
  }
  if (thought::to_json(replayed) != thought::to_json(live)) {
    return Error(ErrorCode::DataDamaged, "The replayed events of " +
                                             in_quotes(live.id) +
                                             " do not give its current state.");
  }
  const std::string from =
      start == 0 ? "" : fmt::format(" after the checkpoint at event {}", start);
  think.print({{"events", events.size()},
               {"after", start},
               {"session", think.shown(replayed)}},
              fmt::format("Replayed {}{}; the state is the same.\n",
                          counted(events.size(), "event", "events"), from));
  return {};
}

}  // namespace lamarck::cli
