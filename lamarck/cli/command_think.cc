#include <unistd.h>

#include <algorithm>
#include <array>
#include <memory>
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
#include "lamarck/cli/output_file.h"
#include "lamarck/cli/output_reader.h"
#include "lamarck/cli/short_id.h"
#include "lamarck/cli/think_context.h"
#include "lamarck/cli/think_upkeep.h"
#include "lamarck/cli/think_views.h"
#include "lamarck/cli/think_watch.h"
#include "lamarck/store/journal.h"
#include "lamarck/thought/session_export.h"
#include "lamarck/thought/thought_engine.h"

namespace lamarck::cli {
namespace {

constexpr std::int64_t kMaxCount = 1'000'000'000;
constexpr std::size_t kListedSessions = 100;
constexpr std::size_t kTailEvents = 20;

Result<void> list_sessions(const ThinkContext& think) {
  const ThinkFlags& flags = think.flags;
  if (!flags.state.empty()) {
    RETURN_IF_ERROR(thought::parse_session_state(flags.state));
  }
  if (!flags.after.empty()) RETURN_IF_ERROR(check_session(think, flags.after));
  const std::size_t count = flags.count.value_or(kListedSessions);
  // One extra entry shows whether there are more.
  ASSIGN_OR_RETURN(std::vector<store::Run> runs,
                   think.journal.runs({.kind = "thought",
                                       .state = flags.state,
                                       .after = flags.after,
                                       .limit = count + 1}));
  const bool has_more = runs.size() > count;
  if (has_more) runs.pop_back();
  think.print(session_list_json(runs, has_more),
              runs.empty() && !flags.after.empty()
                  ? "No older sessions.\n"
                  : session_list_text(runs, has_more));
  return {};
}

Result<void> show_session(const ThinkContext& think) {
  RETURN_IF_ERROR(check_session(think, think.flags.session));
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
  think.print({},
              session_text(session, parsed, last, think.flags.with_private));
  return {};
}

void print_events(const ThinkContext& think,
                  const std::vector<store::Event>& events) {
  for (const store::Event& event : events) {
    think.print(event_json(event, think.flags.with_private),
                event_line(event, think.flags.with_private));
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

// Says on stderr where earlier events are.
Result<void> note_pruned(const ThinkContext& think) {
  ASSIGN_OR_RETURN(const thought::Session session,
                   think.engine.session(think.flags.session));
  think.context.err << pruned_text(session);
  return {};
}

Result<void> tail_session(const ThinkContext& think) {
  RETURN_IF_ERROR(check_session(think, think.flags.session));
  ASSIGN_OR_RETURN(const store::Run run,
                   think.journal.run(think.flags.session));
  const std::size_t count = think.flags.count.value_or(kTailEvents);
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

Result<void> export_session(const ThinkContext& think) {
  const int formats = int{think.flags.mermaid} + int{think.flags.dot} +
                      int{think.flags.svg} + int{think.context.json};
  if (formats != 1) {
    return Error(
        ErrorCode::InvalidArgument,
        "Choose one export format: --mermaid, --json, --dot or --svg.");
  }
  RETURN_IF_ERROR(check_session(think, think.flags.session));
  ASSIGN_OR_RETURN(const thought::Session session,
                   think.engine.session_now(think.flags.session));
  ASSIGN_OR_RETURN(const std::vector<store::Event> events,
                   think.journal.events(session.id));
  if (events.size() < session.head) think.context.err << pruned_text(session);
  const std::string text = exported_text(think.flags, session, events);
  if (think.flags.out.empty()) {
    // A file or a pipe gets the exact text, a terminal a safe one.
    think.context.out << (think.context.out_is_terminal ? safe_lines(text)
                                                        : text);
    return {};
  }
  RETURN_IF_ERROR(check_output(think.flags.out, think.flags.is_forced));
  RETURN_IF_ERROR(
      think.flags.with_private
          ? write_private_file(think.flags.out, text)
          : write_output(think.flags.out, text, think.flags.is_forced));
  think.context.err << "Wrote " << one_line(think.flags.out) << ".\n";
  return {};
}

struct ThinkAction {
  std::string_view name;
  bool needs_session;
  std::string_view takes;  // The flags that apply to it.
  bool is_writing;         // Changes the journal.
  Result<void> (*run)(const ThinkContext& think);
};
constexpr std::array kThinkActions = {
    ThinkAction{"list", false, "--state --count --after", false, list_sessions},
    ThinkAction{"show", true, "--with-private", false, show_session},
    ThinkAction{"watch", true, "--with-private", false, watch_session},
    ThinkAction{"tail", true, "--count --follow --with-private", false,
                tail_session},
    ThinkAction{"export", true,
                "--out --force --mermaid --dot --svg --with-private", false,
                export_session},
    ThinkAction{"verify", false, "", false, verify_journal},
    ThinkAction{"prune", true, "--out", true, prune_session},
    ThinkAction{"replay", true, "", false, replay_session},
    ThinkAction{"healing", false, "--reset", false, show_healing},
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
        Given{"--after", !flags.after.empty()}, Given{"--follow", flags.follow},
        Given{"--mermaid", flags.mermaid}, Given{"--dot", flags.dot},
        Given{"--svg", flags.svg}, Given{"--force", flags.is_forced},
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
                       " ID`; see `lamarck think list`.");
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
  const std::string file = journal_file(flags.db, context.settings);
  ASSIGN_OR_RETURN(const std::unique_ptr<store::Journal> journal,
                   action->is_writing || flags.reset
                       ? open_journal(file)
                       : open_journal_to_read(file));
  thought::ThoughtEngine engine({}, *journal, context.clock,
                                Rng(entropy_seed()));
  ThinkFlags found = flags;
  if (action->needs_session) {
    ASSIGN_OR_RETURN(found.session,
                     find_run_id(*journal, "thought", flags.session));
  }
  return action->run({found, context, *journal, engine});
}

void add_flags(CLI::App& app, ThinkFlags& flags) {
  add_option(
      app, "ACTION", &flags.action,
      "list, show, watch, tail, export, verify, prune, replay or healing",
      {.is_required = true});
  add_option(app, "ID", &flags.session,
             "Session ID, the beginning or end of one, or last");
  add_journal_flag(app, flags.db);
  add_option(app, "--out", &flags.out, "export, prune: write to this file",
             {.type = "FILE"});
  add_option(app, "--state", &flags.state,
             "list: show only sessions in this state", {.type = "STATE"});
  add_option(app, "-n,--count", &flags.count,
             "list, tail: show at most this many (default: 100, 20)",
             {.type = "N", .range = {{0, kMaxCount}}});
  add_option(app, "--after", &flags.after,
             "list: show the sessions that are older than this one",
             {.type = "ID"});
  add_switch(app, "--follow", flags.follow,
             "tail: wait for more events until the session ends");
  add_switch(app, "--mermaid", flags.mermaid, "export: Mermaid graph");
  add_switch(app, "--dot", flags.dot, "export: Graphviz graph");
  add_switch(app, "--svg", flags.svg, "export: SVG picture");
  add_switch(app, "--reset", flags.reset,
             "healing: forget all rates and outcomes first");
  add_switch(app, "--with-private", flags.with_private,
             "Include secrets and private content");
  add_switch(app, "--force", flags.is_forced,
             "export: replace a file that exists");
}

}  // namespace

Command think_command() {
  return {.name = "think",
          .summary = "Show, export and check reasoning sessions",
          .description =
              "Shows, exports and checks the reasoning sessions in a journal. "
              "`list` shows the newest sessions, `show` one of them, and "
              "`tail` its last events. `watch` follows it until it ends. "
              "`healing` lists how often each strategy fixed a failure and how "
              "plans ended. `export` writes its graph (--mermaid, --json, "
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
