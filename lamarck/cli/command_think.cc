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

constexpr std::int64_t kMaxEvents = 1'000'000'000;

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
  bool reset = false;
};

// The context that an action runs in.
struct ThinkContext {
  const ThinkFlags& flags;
  CommandContext& context;
  store::Journal& journal;
  thought::ThoughtEngine& engine;

  // The session as JSON, without secrets unless --with-private is given.
  Json shown(const thought::Session& session) const {
    const Json json = thought::to_json(session);
    return flags.with_private ? json : thought::redacted_json(json);
  }
  // Prints `json` with --json, otherwise `text`, which may quote a model.
  void print(const Json& json, const std::string& text) const {
    context.out << (context.json ? dump_json(json) + "\n" : safe_lines(text));
  }
};

Result<void> list_sessions(const ThinkContext& think) {
  if (!think.flags.state.empty()) {
    RETURN_IF_ERROR(thought::parse_session_state(think.flags.state));
  }
  ASSIGN_OR_RETURN(
      const std::vector<store::Run> runs,
      think.journal.runs(
          {.kind = "thought", .state = think.flags.state, .limit = 10'000}));
  think.print(session_list_json(runs), session_list_text(runs));
  return {};
}

Result<void> check_session(const ThinkContext& think) {
  const std::string& id = think.flags.session;
  const Result<store::Run> run = think.journal.run(id);
  if (!run && run.error().code() != ErrorCode::NotFound) return run.error();
  if (run && run->kind == "thought") return {};
  return Error(ErrorCode::NotFound,
               "There is no session " + in_quotes(id) +
                   " in this journal; `lamarck think list` shows all.");
}

// Returns the last `count` events of `run`,
// and those added since `run` was read.
Result<std::vector<store::Event>> last_events(const ThinkContext& think,
                                              const store::Run& run,
                                              std::size_t count) {
  return think.journal.events(run.id, run.head > count ? run.head - count : 0);
}

Result<void> show_session(const ThinkContext& think) {
  RETURN_IF_ERROR(check_session(think));
  ASSIGN_OR_RETURN(const thought::Session session,
                   think.engine.session_now(think.flags.session));
  ASSIGN_OR_RETURN(const std::string metrics, think.engine.metrics(session.id));
  ASSIGN_OR_RETURN(const Json parsed, parse_json(metrics));
  if (think.context.json) {
    think.print({{"session", think.shown(session)}, {"metrics", parsed}}, "");
    return {};
  }
  ASSIGN_OR_RETURN(const store::Run run, think.journal.run(session.id));
  ASSIGN_OR_RETURN(const std::vector<store::Event> last,
                   last_events(think, run, 8));
  think.print({}, session_text(session, parsed, last));
  return {};
}

void print_events(const ThinkContext& think,
                  const std::vector<store::Event>& events) {
  for (const store::Event& event : events) {
    think.print(event_json(event, think.flags.with_private), event_line(event));
  }
  think.context.out.flush();
}

Result<bool> has_ended(const ThinkContext& think) {
  ASSIGN_OR_RETURN(const store::Run run,
                   think.journal.run(think.flags.session));
  const auto state = thought::parse_session_state(run.state);
  return state && is_final(*state);
}

// Prints new events until the session ends, the output is closed, or Ctrl-C.
Result<void> follow_session(const ThinkContext& think, std::uint64_t seen) {
  do {
    // Check for the end first, so that the last events are still printed.
    ASSIGN_OR_RETURN(const bool is_over, has_ended(think));
    ASSIGN_OR_RETURN(const std::vector<store::Event> events,
                     think.journal.events(think.flags.session, seen));
    print_events(think, events);
    if (!events.empty()) seen = events.back().seq;
    if (is_over || !think.context.out || !has_reader(STDOUT_FILENO)) {
      return {};
    }
  } while (!think.context.cancel.wait_for(std::chrono::milliseconds(200)));
  return {};
}

// Draws the session again whenever it changes; on a terminal also every second,
// in place.
Result<void> watch_session(const ThinkContext& think) {
  RETURN_IF_ERROR(check_session(think));
  const bool is_terminal = isatty(STDOUT_FILENO) != 0 && !think.context.json;
  constexpr int kTerminalTicks = 5;
  std::uint64_t drawn = 0;
  for (int tick = 0;; ++tick) {
    ASSIGN_OR_RETURN(const thought::Session session,
                     think.engine.session_now(think.flags.session));
    const bool is_due =
        session.head != drawn || (is_terminal && tick % kTerminalTicks == 0);
    if (is_due) {
      ASSIGN_OR_RETURN(const store::Run run, think.journal.run(session.id));
      ASSIGN_OR_RETURN(const std::vector<store::Event> last,
                       last_events(think, run, 8));
      if (is_terminal) think.context.out << "\x1b[H\x1b[J";
      if (!is_terminal && drawn != 0) think.context.out << "\n";
      think.print(think.shown(session), watch_text(session, last));
      think.context.out.flush();
      drawn = session.head;
    }
    const bool is_over = is_final(session.state) || !think.context.out ||
                         !has_reader(STDOUT_FILENO);
    if (is_over ||
        think.context.cancel.wait_for(std::chrono::milliseconds(200))) {
      return {};
    }
  }
}

Result<void> show_healing(const ThinkContext& think) {
  if (think.flags.reset) {
    RETURN_IF_ERROR(think.engine.reset_history());
    think.context.err << "The history is reset.\n";
  }
  ASSIGN_OR_RETURN(const std::string text, think.engine.history());
  ASSIGN_OR_RETURN(const Json history, parse_json(text));
  think.print(history, healing_text(history));
  return {};
}

// Says on stderr where earlier events are.
Result<void> note_pruned(const ThinkContext& think) {
  ASSIGN_OR_RETURN(const thought::Session session,
                   think.engine.session(think.flags.session));
  think.context.err << pruned_text(session);
  return {};
}

Result<void> tail_session(const ThinkContext& think) {
  RETURN_IF_ERROR(check_session(think));
  ASSIGN_OR_RETURN(const store::Run run,
                   think.journal.run(think.flags.session));
  const std::size_t count = think.flags.count.value_or(20);
  ASSIGN_OR_RETURN(const std::vector<store::Event> events,
                   last_events(think, run, count));
  if (events.size() < std::min<std::size_t>(count, run.head)) {
    RETURN_IF_ERROR(note_pruned(think));
  }
  print_events(think, events);
  if (!think.flags.follow) return {};
  return follow_session(think, events.empty() ? run.head : events.back().seq);
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

// Writes a file that only its owner can read, even while it is being written.
Result<void> write_private_file(const std::string& file,
                                std::string_view bytes) {
  namespace fs = std::filesystem;
  std::error_code failure;
  const bool is_new = !fs::exists(file, failure);
  // write_file keeps the mode of an existing file, so create it and restrict
  // its mode first.
  if (is_new) std::ofstream{file};
  if (fs::is_regular_file(file, failure)) {
    fs::permissions(file, fs::perms::owner_read | fs::perms::owner_write,
                    failure);
  }
  Result<void> written = write_file(file, bytes);
  if (!written && is_new) fs::remove(file, failure);
  return written;
}

Result<void> export_session(const ThinkContext& think) {
  const int formats = int{think.flags.mermaid} + int{think.flags.dot} +
                      int{think.flags.svg} + int{think.context.json};
  if (formats != 1) {
    return Error(
        ErrorCode::InvalidArgument,
        "Choose one export format: --mermaid, --json, --dot or --svg.");
  }
  RETURN_IF_ERROR(check_session(think));
  ASSIGN_OR_RETURN(const thought::Session session,
                   think.engine.session_now(think.flags.session));
  ASSIGN_OR_RETURN(const std::vector<store::Event> events,
                   think.journal.events(session.id));
  if (events.size() < session.head) think.context.err << pruned_text(session);
  const std::string text = exported_text(think.flags, session, events);
  if (think.flags.out.empty()) {
    think.context.out << text;
    return {};
  }
  RETURN_IF_ERROR(think.flags.with_private
                      ? write_private_file(think.flags.out, text)
                      : write_file(think.flags.out, text));
  think.context.err << "Wrote " << think.flags.out << ".\n";
  return {};
}

// Checks that the journal is consistent and that every session can be rebuilt
// from its events.
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
  think.print(
      {{"sessions", runs.size()},
       {"problems", problems},
       {"ok", problems.empty()}},
      problems.empty()
          ? fmt::format("No problems found in {} sessions.\n", runs.size())
          : text);
  if (problems.empty()) return {};
  return Error(ErrorCode::DataDamaged,
               fmt::format("The journal has {} problems.", problems.size()));
}

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

Result<void> prune_session(const ThinkContext& think) {
  RETURN_IF_ERROR(check_session(think));
  const std::string file = think.flags.out.empty()
                               ? think.flags.session + ".jsonl"
                               : think.flags.out;
  if (std::filesystem::exists(file)) {
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
              fmt::format("Moved {} events to {}.\n", removed, file));
  return {};
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

Result<void> replay_session(const ThinkContext& think) {
  RETURN_IF_ERROR(check_session(think));
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
              fmt::format("Replayed {} events{}; the state is the same.\n",
                          events.size(), from));
  return {};
}

struct ThinkAction {
  std::string_view name;
  bool needs_session;
  std::string_view takes;  // The flags that apply to it.
  Result<void> (*run)(const ThinkContext& think);
};
constexpr std::array kThinkActions = {
    ThinkAction{"list", false, "--state", list_sessions},
    ThinkAction{"show", true, "--with-private", show_session},
    ThinkAction{"watch", true, "--with-private", watch_session},
    ThinkAction{"tail", true, "--count --follow --with-private", tail_session},
    ThinkAction{"export", true, "--out --mermaid --dot --svg --with-private",
                export_session},
    ThinkAction{"verify", false, "", verify_journal},
    ThinkAction{"prune", true, "--out", prune_session},
    ThinkAction{"replay", true, "", replay_session},
    ThinkAction{"healing", false, "--reset", show_healing},
};

// Rejects flags that the action would ignore.
Result<void> check_flags(const ThinkAction& action, const ThinkFlags& flags) {
  struct Given {
    std::string_view name;
    bool is_given;
  };
  const auto refused = [&](std::string_view what) {
    return Error(
        ErrorCode::InvalidArgument,
        fmt::format("`lamarck think {}` does not take {}; leave it out.",
                    action.name, what));
  };
  if (!action.needs_session && !flags.session.empty()) {
    return refused("a session, got " + in_quotes(flags.session));
  }
  for (const Given& flag :
       {Given{"--out", !flags.out.empty()},
        Given{"--state", !flags.state.empty()},
        Given{"--count", flags.count.has_value()},
        Given{"--follow", flags.follow}, Given{"--mermaid", flags.mermaid},
        Given{"--dot", flags.dot}, Given{"--svg", flags.svg},
        Given{"--with-private", flags.with_private},
        Given{"--reset", flags.reset}}) {
    const bool is_taken =
        action.takes.find(flag.name) != std::string_view::npos;
    if (flag.is_given && !is_taken) return refused(flag.name);
  }
  return {};
}

Result<const ThinkAction*> find_action(const ThinkFlags& flags) {
  for (const ThinkAction& entry : kThinkActions) {
    if (entry.name != flags.action) continue;
    if (entry.needs_session && flags.session.empty()) {
      return Error(ErrorCode::InvalidArgument,
                   "A session ID is required: `lamarck think " + flags.action +
                       " ID`; `lamarck think list` shows all sessions.");
    }
    RETURN_IF_ERROR(check_flags(entry, flags));
    return &entry;
  }
  return Error(
      ErrorCode::InvalidArgument,
      "Unknown action " + in_quotes(flags.action) +
          "; use list, show, watch, tail, export, verify, prune, replay or "
          "healing.");
}

Result<void> run_think(const ThinkFlags& flags, CommandContext& context) {
  ASSIGN_OR_RETURN(const ThinkAction* action, find_action(flags));
  ASSIGN_OR_RETURN(const std::unique_ptr<store::Journal> journal,
                   open_journal(journal_file(flags.db, context.settings)));
  thought::ThoughtEngine engine({}, *journal, context.clock,
                                Rng(entropy_seed()));
  return action->run({flags, context, *journal, engine});
}

void add_flags(CLI::App& app, ThinkFlags& flags) {
  add_option(
      app, "ACTION", &flags.action,
      "list, show, watch, tail, export, verify, prune, replay or healing",
      {.is_required = true});
  add_option(app, "ID", &flags.session, "Session ID");
  add_journal_flag(app, flags.db);
  add_option(app, "--out", &flags.out, "export, prune: write to this file",
             {.type = "FILE"});
  add_option(app, "--state", &flags.state,
             "list: show only sessions in this state", {.type = "STATE"});
  add_option(app, "-n,--count", &flags.count,
             "tail: number of events (default: 20)",
             {.type = "N", .range = {{0, kMaxEvents}}});
  add_switch(app, "--follow", flags.follow,
             "tail: wait for more events until the session ends");
  add_switch(app, "--mermaid", flags.mermaid, "export: Mermaid graph");
  add_switch(app, "--dot", flags.dot, "export: Graphviz graph");
  add_switch(app, "--svg", flags.svg, "export: SVG picture");
  add_switch(app, "--reset", flags.reset,
             "healing: forget all rates and outcomes first");
  add_switch(app, "--with-private", flags.with_private,
             "Include secrets and private content");
}

}  // namespace

Command think_command() {
  return {.name = "think",
          .summary = "Show, export and check reasoning sessions",
          .description =
              "Shows, exports and checks the reasoning sessions in a journal. "
              "`list` shows all sessions, `show` one of them, and `tail` its "
              "last events. `watch` follows it until it ends. `healing` lists "
              "how often each strategy fixed a failure and how plans ended. "
              "`export` writes its graph (--mermaid, --json, "
              "--dot or --svg). `replay` rebuilds it from its events, or from "
              "its checkpoint if they were pruned, and compares the states. "
              "`prune` moves its events to a file (--out, default ID.jsonl) "
              "and keeps its state. `verify` checks the whole journal.",
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
