// `lamarck runs tail` and `lamarck runs stop`.

#include <chrono>
#include <memory>
#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "lamarck/base/macros.h"
#include "lamarck/base/one_line.h"
#include "lamarck/cli/command_option.h"
#include "lamarck/cli/runs/runs_commands.h"
#include "lamarck/runs/run_control.h"
#include "lamarck/runs/run_event.h"

namespace lamarck::cli {
namespace {

using std::chrono_literals::operator""ms;

constexpr std::chrono::nanoseconds kTailPeriod = 200ms;
constexpr std::chrono::nanoseconds kStopPeriod = 100ms;
constexpr std::size_t kTailPage = 500;

struct TailFlags {
  RunsFlags run;
  std::int64_t after = 0;
  bool is_once = false;
};

std::string number_text(const Json& payload, const char* name) {
  const auto found = payload.find(name);
  if (found == payload.end() || !found->is_number()) return "";
  return fmt::format("{} {:.6g}", name, found->get<double>());
}

std::string text_of(const Json& payload, const char* name) {
  const auto found = payload.find(name);
  return found != payload.end() && found->is_string()
             ? found->get<std::string>()
             : "";
}

// One line for a person.
std::string event_text(const store::Event& event) {
  const Json payload = runs::event_payload(event);
  std::vector<std::string> words;
  const auto add = [&](std::string word) {
    if (!word.empty()) words.push_back(std::move(word));
  };
  if (event.type == "mutations") {
    for (const Json& each : payload.value("list", Json::array())) {
      if (!each.value("kept", false)) continue;
      add(fmt::format(
          "kept {} ({:.4g} -> {:.4g})", each.value("mutation", std::string()),
          each["loss_before"].is_number() ? each["loss_before"].get<double>()
                                          : 0.0,
          each["loss_after"].is_number() ? each["loss_after"].get<double>()
                                         : 0.0));
    }
    if (words.empty()) add("none kept");
  }
  if (event.type == "front") {
    const Json laws = payload.value("laws", Json::array());
    const std::size_t chosen = payload.value("chosen", std::size_t{0});
    if (chosen < laws.size()) {
      add(laws[chosen].value("formula", std::string()));
    }
  }
  add(payload.value("message", std::string()));
  if (event.type == "best") add(payload.value("mutation", std::string()));
  for (const char* name : {"generation", "evaluations", "score", "loss"}) {
    add(number_text(payload, name));
  }
  for (const char* name : {"task", "to", "tool"}) {
    add(text_of(payload, name));
  }
  if (event.content != event.type) add(event.content);
  std::string text = fmt::format("{:>6} {:<14}", event.seq, event.type);
  for (std::size_t i = 0; i < words.size(); ++i) {
    text += (i == 0 ? " " : ", ") + words[i];
  }
  return one_line(text, 200);
}

Result<void> tail_run(const TailFlags& flags, CommandContext& context) {
  ASSIGN_OR_RETURN(const OpenedRuns opened,
                   open_runs(flags.run.db, false, context));
  ASSIGN_OR_RETURN(runs::RunView run,
                   opened.catalog->find_by_prefix(flags.run.run));
  auto seq = static_cast<std::uint64_t>(flags.after);
  while (true) {
    ASSIGN_OR_RETURN(const auto events,
                     opened.journal->events(run.id, seq, kTailPage));
    for (const store::Event& event : events) {
      if (event.type == "beat" && !context.json) continue;
      context.out << (context.json ? dump_json(runs::event_json(event))
                                   : event_text(event))
                  << "\n";
    }
    context.out.flush();
    if (!events.empty()) seq = events.back().seq;
    if (events.size() == kTailPage) continue;
    ASSIGN_OR_RETURN(run, opened.catalog->find(run.id));
    if (run.summary.seq > seq) continue;
    if (flags.is_once || !run.is_active()) break;
    if (context.cancel.wait_for(kTailPeriod)) return {};
  }
  if (run.state == runs::kDead) {
    context.err << "lamarck: The process of the run ended unexpectedly; "
                   "`lamarck runs resume "
                << one_line(run.id) << "` continues it.\n";
  }
  return {};
}

struct StopFlags {
  RunsFlags run;
  bool is_asynchronous = false;
};

Result<void> stop_run(const StopFlags& flags, CommandContext& context) {
  ASSIGN_OR_RETURN(const OpenedRuns opened,
                   open_runs(flags.run.db, true, context));
  ASSIGN_OR_RETURN(runs::RunView run,
                   opened.catalog->find_by_prefix(flags.run.run));
  RETURN_IF_ERROR(runs::request_stop(*opened.catalog, run, "command"));
  while (true) {
    ASSIGN_OR_RETURN(run, opened.catalog->find(run.id));
    if (flags.is_asynchronous || !run.is_active()) break;
    if (context.cancel.wait_for(kStopPeriod)) break;
  }
  if (context.json) {
    context.out << dump_json(runs::run_json(run)) << "\n";
  } else {
    context.out << one_line(run.id) << " is " << run.state << ".\n";
  }
  return {};
}

}  // namespace

Command runs_tail_command() {
  return {.name = "tail",
          .summary = "Print the events of a run as they happen",
          .description =
              "Prints the events of a run, also while another process runs it, "
              "and ends with it. With --json, one JSON object per line.",
          .example = "lamarck runs tail last",
          .configure = [](CLI::App& app) -> CommandAction {
            const auto flags = std::make_shared<TailFlags>();
            add_run_argument(app, flags->run);
            add_option(app, "--after", &flags->after,
                       "Start after the event with this number (default: 0)",
                       {.type = "N", .range = {{0, 1'000'000'000}}});
            add_switch(app, "--once", flags->is_once,
                       "Do not wait for further events");
            return [flags](CommandContext& context) {
              return tail_run(*flags, context);
            };
          }};
}

Command runs_stop_command() {
  return {.name = "stop",
          .summary = "Stop a run and keep its best result",
          .description =
              "Asks a run to stop, whichever process runs it, and waits until "
              "it has written its results. It can be resumed.",
          .example = "lamarck runs stop last",
          .configure = [](CLI::App& app) -> CommandAction {
            const auto flags = std::make_shared<StopFlags>();
            add_run_argument(app, flags->run);
            add_switch(app, "--no-wait", flags->is_asynchronous,
                       "Return as soon as the request is recorded");
            return [flags](CommandContext& context) {
              return stop_run(*flags, context);
            };
          }};
}

}  // namespace lamarck::cli
