#include "lamarck/runs/run_control.h"

#include <utility>
#include <fmt/format.h>

#include "lamarck/base/entropy.h"
#include "lamarck/base/id.h"
#include "lamarck/base/macros.h"

namespace lamarck::runs {

Result<void> append_to_run(RunCatalog& catalog, const std::string& run,
                           const RunEvent& event,
                           std::optional<std::string> new_state) {
  IdGenerator ids(catalog.clock(), Rng(entropy_seed()));
  store::Append request;
  request.run = run;
  request.events.push_back(
      make_event(event, "evt_" + ids.next(), catalog.clock().wall_time()));
  request.new_state = std::move(new_state);
  RETURN_IF_ERROR(catalog.journal().append(std::move(request)));
  return {};
}

Result<void> check_evolves(const RunView& run, std::string_view verb) {
  if (is_evolving_kind(run.summary.kind)) return {};
  const bool stops = verb == "stop";
  std::string instead;
  if (run.summary.kind == "agent") {
    instead = stops ? "stop it on the page, or with Ctrl-C in its terminal"
                    : "resume it on the page, or with `lamarck agent run "
                      "--resume " +
                          run.id + "` if it was started in a terminal";
  } else {
    instead = stops ? "its client ends it with think_session_control"
                    : "its client continues it with its next call";
  }
  return Error(ErrorCode::FailedPrecondition,
               fmt::format("`lamarck runs {}` is for evolutions; {} is of the "
                           "kind {}: {}.",
                           verb, run.id, run.summary.kind, instead));
}

Result<void> request_stop(RunCatalog& catalog, const RunView& run,
                          const std::string& by) {
  RETURN_IF_ERROR(check_evolves(run, "stop"));
  if (run.state == kStopping) return {};
  if (!run.can_stop()) {
    return Error(ErrorCode::FailedPrecondition,
                 fmt::format("Only a run that is queued or running can be "
                             "stopped; {} is {}.",
                             run.id, run.state));
  }
  if (run.state == kQueued) {
    return append_to_run(
        catalog, run.id,
        {.type = "ended",
         .payload = {{"state", kInterrupted},
                     {"message", "The run was stopped before it started."},
                     {"result", nullptr}}},
        std::string(kInterrupted));
  }
  return append_to_run(catalog, run.id,
                       {.type = "stop_requested", .payload = {{"by", by}}},
                       std::string(kStopping));
}

Result<void> remove_run(RunCatalog& catalog, const RunView& run) {
  if (!is_evolving_kind(run.summary.kind)) {
    return Error(
        ErrorCode::FailedPrecondition,
        fmt::format("{} is of the kind {}; only runs of the kinds net, "
                    "neat, fn and program can be removed.",
                    run.id, run.summary.kind));
  }
  if (run.is_active()) {
    return Error(ErrorCode::FailedPrecondition,
                 fmt::format("{} is {}; stop it before you remove it.", run.id,
                             run.state));
  }
  RETURN_IF_ERROR(append_to_run(catalog, run.id, {.type = "removed"},
                                std::string(kRemoved)));
  // The journal removes events up to a checkpoint.
  store::Journal& journal = catalog.journal();
  ASSIGN_OR_RETURN(const store::Run stored, journal.run(run.id));
  ASSIGN_OR_RETURN(const auto last, journal.events(run.id, stored.head - 1, 1));
  if (last.empty()) return {};
  RunSummary empty;
  empty.kind = run.summary.kind;
  empty.state = kRemoved;
  empty.seq = stored.head;
  RETURN_IF_ERROR(
      journal.save_checkpoint({.run = run.id,
                               .seq = stored.head,
                               .last_event_id = last.front().id,
                               .state_snapshot = dump_json(to_json(empty)),
                               .ts = catalog.clock().wall_time()}));
  RETURN_IF_ERROR(journal.prune(
      run.id, [](const store::Event&) -> Result<void> { return {}; }));
  return {};
}

}  // namespace lamarck::runs
