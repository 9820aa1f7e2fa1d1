#include <unistd.h>

#include <algorithm>
#include <array>
#include <filesystem>
#include <fstream>
#include <memory>
#include <optional>
#include <string>
#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "lamarck/base/entropy.h"
#include "lamarck/base/file.h"
#include "lamarck/base/macros.h"
#include "lamarck/base/one_line.h"
#include "lamarck/cli/command_option.h"
#include "lamarck/cli/command_table.h"
#include "lamarck/cli/journal_flag.h"
#include "lamarck/cli/output_reader.h"
#include "lamarck/cli/think_views.h"
#include "lamarck/store/journal.h"
#include "lamarck/thought/redaction.h"
#include "lamarck/thought/session_export.h"
#include "lamarck/thought/thought_engine.h"

namespace lamarck::cli {
namespace {

constexpr std::int64_t kMostEvents = 1'000'000'000;

struct ThinkFlags {
  std::string action;
  std::string session;
  std::string db;
  std::string out;
  std::string state;
  std::optional<std::size_t> count;
  bool follow = false;
  bool mermaid = false;
  bool dot = false;
  bool svg = false;
  bool with_private = false;
};

// What an action gets to work with.
struct Thinking {
  const ThinkFlags& flags;
  CommandContext& context;
  store::Journal& journal;
  thought::ThoughtEngine& engine;

  Json shown(const thought::Session& session) const {
    const Json json = thought::to_json(session);
    return flags.with_private ? json : thought::redacted_json(json);
  }
  void say(const Json& json, const std::string& text) const {
    context.out << (context.json ? dump_json(json) + "\n" : text);
  }
};

Result<void> list_sessions(const Thinking& with) {
  if (!with.flags.state.empty()) {
    RETURN_IF_ERROR(thought::session_state_named(with.flags.state));
  }
  ASSIGN_OR_RETURN(
      const std::vector<store::Run> runs,
      with.journal.runs(
          {.kind = "thought", .state = with.flags.state, .limit = 10'000}));
  with.say(session_list_json(runs), session_list_text(runs));
  return {};
}

Result<void> check_session(const Thinking& with) {
  const std::string& id = with.flags.session;
  const Result<store::Run> run = with.journal.run(id);
  if (!run && run.error().code() != ErrorCode::NotFound) return run.error();
  if (run && run->kind == "thought") return {};
  return Error(ErrorCode::NotFound,
               "There is no session " + in_quotes(id) +
                   " in this journal; `lamarck think list` shows them.");
}

// The last `count` of those that `run` has, and what came after.
Result<std::vector<store::Event>> last_events(const Thinking& with,
                                              const store::Run& run,
                                              std::size_t count) {
  return with.journal.events(run.id, run.head > count ? run.head - count : 0);
}

Result<void> show_session(const Thinking& with) {
  RETURN_IF_ERROR(check_session(with));
  ASSIGN_OR_RETURN(const thought::Session session,
                   with.engine.session_now(with.flags.session));
  if (with.context.json) {
    ASSIGN_OR_RETURN(const std::string metrics,
                     with.engine.metrics(session.id));
    ASSIGN_OR_RETURN(const Json parsed, parse_json(metrics));
    with.say({{"session", with.shown(session)}, {"metrics", parsed}}, "");
    return {};
  }
  ASSIGN_OR_RETURN(const store::Run run, with.journal.run(session.id));
  ASSIGN_OR_RETURN(const std::vector<store::Event> last,
                   last_events(with, run, 8));
  with.say({}, session_text(session, last));
  return {};
}

void print_events(const Thinking& with,
                  const std::vector<store::Event>& events) {
  for (const store::Event& event : events) {
    with.say(event_json(event, with.flags.with_private), event_line(event));
  }
  with.context.out.flush();
}

Result<bool> has_ended(const Thinking& with) {
  ASSIGN_OR_RETURN(const store::Run run, with.journal.run(with.flags.session));
  const auto state = thought::session_state_named(run.state);
  return state && is_final(*state);
}

// Until it ends, nobody reads, or Ctrl-C.
Result<void> follow_session(const Thinking& with, std::uint64_t seen) {
  do {
    ASSIGN_OR_RETURN(const bool is_over, has_ended(with));
    ASSIGN_OR_RETURN(const std::vector<store::Event> events,
                     with.journal.events(with.flags.session, seen));
    print_events(with, events);
    if (!events.empty()) seen = events.back().seq;
    if (is_over || !with.context.out || !has_reader(STDOUT_FILENO)) {
      return {};
    }
  } while (!with.context.cancel.wait_for(std::chrono::milliseconds(200)));
  return {};
}

Result<void> tail_session(const Thinking& with) {
  RETURN_IF_ERROR(check_session(with));
  ASSIGN_OR_RETURN(const store::Run run, with.journal.run(with.flags.session));
  ASSIGN_OR_RETURN(const std::vector<store::Event> events,
                   last_events(with, run, with.flags.count.value_or(20)));
  print_events(with, events);
  if (!with.flags.follow) return {};
  return follow_session(with, events.empty() ? run.head : events.back().seq);
}

std::string exported_text(const ThinkFlags& flags,
                          const thought::Session& session,
                          const std::vector<store::Event>& events) {
  const thought::ExportOptions options{.with_private = flags.with_private};
  if (flags.mermaid) return thought::to_mermaid(session, events, options);
  if (flags.dot) return thought::to_dot(session, events, options);
  if (flags.svg) return thought::to_svg(session, events, options);
  return thought::to_json_text(session, events, options) + "\n";
}

// Only its owner may read it, from the first byte on.
Result<void> write_private_file(const std::string& file,
                                std::string_view bytes) {
  namespace fs = std::filesystem;
  std::error_code failure;
  const bool is_new = !fs::exists(file, failure);
  // What is written takes the mode of the file that is there.
  if (is_new) std::ofstream{file};
  if (fs::is_regular_file(file, failure)) {
    fs::permissions(file, fs::perms::owner_read | fs::perms::owner_write,
                    failure);
  }
  Result<void> written = write_file(file, bytes);
  if (!written && is_new) fs::remove(file, failure);
  return written;
}

Result<void> export_session(const Thinking& with) {
  const int formats = int{with.flags.mermaid} + int{with.flags.dot} +
                      int{with.flags.svg} + int{with.context.json};
  if (formats != 1) {
    return Error(ErrorCode::InvalidArgument,
                 "Say one format to export: --mermaid, --json, --dot or "
                 "--svg.");
  }
  RETURN_IF_ERROR(check_session(with));
  ASSIGN_OR_RETURN(const thought::Session session,
                   with.engine.session_now(with.flags.session));
  ASSIGN_OR_RETURN(const std::vector<store::Event> events,
                   with.journal.events(session.id));
  const std::string text = exported_text(with.flags, session, events);
  if (with.flags.out.empty()) {
    with.context.out << text;
    return {};
  }
  RETURN_IF_ERROR(with.flags.with_private
                      ? write_private_file(with.flags.out, text)
                      : write_file(with.flags.out, text));
  with.context.err << "Wrote " << with.flags.out << ".\n";
  return {};
}

// Everything hangs together, and every session is the fold over its events.
Result<void> verify_journal(const Thinking& with) {
  ASSIGN_OR_RETURN(std::vector<std::string> problems, with.journal.verify());
  ASSIGN_OR_RETURN(const std::vector<store::Run> runs,
                   with.journal.runs({.kind = "thought", .limit = 1'000'000}));
  for (const store::Run& run : runs) {
    const auto session = with.engine.session(run.id);
    if (!session) problems.push_back(session.error().message());
  }
  std::string text;
  for (const std::string& problem : problems) text += problem + "\n";
  with.say({{"sessions", runs.size()},
            {"problems", problems},
            {"ok", problems.empty()}},
           problems.empty()
               ? fmt::format("All is well: {} sessions.\n", runs.size())
               : text);
  if (problems.empty()) return {};
  return Error(ErrorCode::DataDamaged,
               fmt::format("The journal has {} problems.", problems.size()));
}

// Writes what will be removed to the file, durably, before it is.
Result<std::uint64_t> save_events(const Thinking& with,
                                  const std::string& file) {
  ASSIGN_OR_RETURN(const auto checkpoint,
                   with.journal.latest_checkpoint(with.flags.session));
  ASSIGN_OR_RETURN(const std::vector<store::Event> events,
                   with.journal.events(with.flags.session));
  std::string lines;
  for (const store::Event& event : events) {
    if (!checkpoint || event.seq > checkpoint->seq) break;
    lines += dump_json(event_json(event, true)) + "\n";
  }
  RETURN_IF_ERROR(write_private_file(file, lines));
  return checkpoint ? checkpoint->seq : 0;
}

Result<void> prune_session(const Thinking& with) {
  RETURN_IF_ERROR(check_session(with));
  const std::string file =
      with.flags.out.empty() ? with.flags.session + ".jsonl" : with.flags.out;
  if (std::filesystem::exists(file)) {
    return Error(ErrorCode::AlreadyExists,
                 in_quotes(file) +
                     " is there already and may hold events pruned before; "
                     "name another file with --out.");
  }
  ASSIGN_OR_RETURN(
      const std::string answer,
      with.engine.control(with.flags.session,
                          thought::SessionAction::Checkpoint, "", {}));
  ASSIGN_OR_RETURN(const std::uint64_t saved, save_events(with, file));
  ASSIGN_OR_RETURN(
      const std::uint64_t removed,
      with.journal.prune(
          with.flags.session, [&](const store::Event& event) -> Result<void> {
            if (event.seq <= saved) return {};
            return Error(ErrorCode::Conflict,
                         "The session went on meanwhile; prune it again.");
          }));
  with.say({{"removed", removed}, {"file", file}},
           fmt::format("Moved {} events to {}.\n", removed, file));
  return {};
}

// From the first event; from the checkpoint, if those before it were pruned.
Result<thought::Session> replay_start(const Thinking& with,
                                      const std::string& id) {
  ASSIGN_OR_RETURN(const std::vector<store::Event> first,
                   with.journal.events(id, 0, 1));
  if (!first.empty() && first.front().seq == 1) return thought::Session();
  ASSIGN_OR_RETURN(const auto checkpoint, with.journal.latest_checkpoint(id));
  if (!checkpoint) {
    return Error(ErrorCode::DataDamaged,
                 "The first events of " + in_quotes(id) +
                     " are gone, and there is no checkpoint to start at.");
  }
  ASSIGN_OR_RETURN(const Json state, parse_json(checkpoint->state_snapshot));
  return thought::session_from_json(state);
}

Result<void> replay_session(const Thinking& with) {
  RETURN_IF_ERROR(check_session(with));
  ASSIGN_OR_RETURN(const thought::Session live,
                   with.engine.session(with.flags.session));
  ASSIGN_OR_RETURN(thought::Session replayed, replay_start(with, live.id));
  const std::uint64_t start = replayed.head;
  ASSIGN_OR_RETURN(const std::vector<store::Event> events,
                   with.journal.events(live.id, start));
  for (const store::Event& event : events) {
    RETURN_IF_ERROR(thought::apply(replayed, event));
  }
  if (thought::to_json(replayed) != thought::to_json(live)) {
    return Error(ErrorCode::DataDamaged,
                 "The events of " + in_quotes(live.id) +
                     " do not give the state that is remembered of it.");
  }
  const std::string from =
      start == 0 ? "" : fmt::format(" after the checkpoint at event {}", start);
  with.say({{"events", events.size()},
            {"after", start},
            {"session", with.shown(replayed)}},
           fmt::format("Replayed {} events{}; they give the same state.\n",
                       events.size(), from));
  return {};
}

struct ThinkAction {
  std::string_view name;
  bool needs_session;
  std::string_view takes;  // Of the flags that not all take.
  Result<void> (*run)(const Thinking& with);
};
constexpr std::array kThinkActions = {
    ThinkAction{"list", false, "--state", list_sessions},
    ThinkAction{"show", true, "--with-private", show_session},
    ThinkAction{"tail", true, "--count --follow --with-private", tail_session},
    ThinkAction{"export", true, "--out --mermaid --dot --svg --with-private",
                export_session},
    ThinkAction{"verify", false, "", verify_journal},
    ThinkAction{"prune", true, "--out", prune_session},
    ThinkAction{"replay", true, "", replay_session},
};

// What would be ignored is refused.
Result<void> check_flags(const ThinkAction& action, const ThinkFlags& flags) {
  struct Given {
    std::string_view name;
    bool is_given;
  };
  const auto refused = [&](std::string_view what) {
    return Error(ErrorCode::InvalidArgument,
                 fmt::format("`lamarck think {}` takes no {}; leave it out.",
                             action.name, what));
  };
  if (!action.needs_session && !flags.session.empty()) {
    return refused("session " + in_quotes(flags.session));
  }
  for (const Given& flag :
       {Given{"--out", !flags.out.empty()},
        Given{"--state", !flags.state.empty()},
        Given{"--count", flags.count.has_value()},
        Given{"--follow", flags.follow}, Given{"--mermaid", flags.mermaid},
        Given{"--dot", flags.dot}, Given{"--svg", flags.svg},
        Given{"--with-private", flags.with_private}}) {
    const bool is_taken =
        action.takes.find(flag.name) != std::string_view::npos;
    if (flag.is_given && !is_taken) return refused(flag.name);
  }
  return {};
}

Result<const ThinkAction*> action_of(const ThinkFlags& flags) {
  for (const ThinkAction& entry : kThinkActions) {
    if (entry.name != flags.action) continue;
    if (entry.needs_session && flags.session.empty()) {
      return Error(ErrorCode::InvalidArgument,
                   "Say of which session: `lamarck think " + flags.action +
                       " ID`; `lamarck think list` shows them.");
    }
    RETURN_IF_ERROR(check_flags(entry, flags));
    return &entry;
  }
  return Error(ErrorCode::InvalidArgument,
               in_quotes(flags.action) +
                   " is no action; say list, show, tail, export, verify, prune "
                   "or replay.");
}

Result<void> run_think(const ThinkFlags& flags, CommandContext& context) {
  ASSIGN_OR_RETURN(const ThinkAction* action, action_of(flags));
  ASSIGN_OR_RETURN(const std::unique_ptr<store::Journal> journal,
                   open_journal(journal_file(flags.db, context.settings)));
  thought::ThoughtEngine engine({}, *journal, context.clock,
                                Rng(entropy_seed()));
  return action->run({flags, context, *journal, engine});
}

void add_flags(CLI::App& app, ThinkFlags& flags) {
  add_option(app, "ACTION", &flags.action,
             "list, show, tail, export, verify, prune or replay",
             {.is_required = true});
  add_option(app, "ID", &flags.session, "The session");
  add_journal_flag(app, flags.db);
  add_option(app, "--out", &flags.out, "export, prune: write to this file",
             {.type = "FILE"});
  add_option(app, "--state", &flags.state, "list: only sessions in this state",
             {.type = "STATE"});
  add_option(app, "-n,--count", &flags.count, "tail: how many events; 20",
             {.type = "N", .range = {{0, kMostEvents}}});
  add_switch(app, "--follow", flags.follow,
             "tail: wait for more, until the session ends");
  add_switch(app, "--mermaid", flags.mermaid, "export: a graph for Mermaid");
  add_switch(app, "--dot", flags.dot, "export: a graph for Graphviz");
  add_switch(app, "--svg", flags.svg, "export: a picture");
  add_switch(app, "--with-private", flags.with_private,
             "Show also secrets and what is marked private");
}

}  // namespace

Command think_command() {
  return {.name = "think",
          .summary = "Look at sessions of thought, export and check them",
          .description =
              "`list` shows the sessions of the journal, `show` one of them, "
              "`tail` its last events, `export` its graph (--mermaid, --json, "
              "--dot, --svg), `replay` rebuilds it from its events (those "
              "after its checkpoint, once pruned) and compares, `prune` moves "
              "all events so far to a file (--out, or "
              "ID.jsonl here) and keeps the state, `verify` checks the whole "
              "journal.",
          .example =
              "lamarck think list\n"
              "  lamarck think export sess_... --svg --out thoughts.svg",
          .configure = [](CLI::App& app) -> CommandAction {
            const auto flags = std::make_shared<ThinkFlags>();
            add_flags(app, *flags);
            return [flags](CommandContext& context) {
              return run_think(*flags, context);
            };
          }};
}

}  // namespace lamarck::cli
