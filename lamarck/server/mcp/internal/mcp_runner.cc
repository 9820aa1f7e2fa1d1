#include "lamarck/server/mcp/internal/mcp_runner.h"

#include <algorithm>
#include <chrono>
#include <utility>
#include <nlohmann/json.hpp>

#include "lamarck/base/hash.h"
#include "lamarck/server/mcp/internal/mcp_handler_guard.h"
#include "lamarck/server/mcp/internal/mcp_questions.h"
#include "lamarck/server/mcp/internal/mcp_result_codec.h"
#include "lamarck/server/mcp/internal/mcp_session.h"

namespace lamarck::mcp {
namespace {

// Rounds of requests within one legacy call. Only stops a handler that never
// ends: a parallel run needs a round for each reply.
constexpr int kMaxRounds = 5000;

// Returns whether the outcome ends the call without waiting.
bool ends_call(const McpCall& call, const Outcome& outcome) {
  if (std::holds_alternative<StartTask>(outcome)) return false;
  return call.era() == Era::Modern ||
         !std::holds_alternative<InputRequired>(outcome);
}

// Why the result violates the output schema of the tool, if it does.
std::optional<std::string> output_violation(const CatalogTool& tool,
                                            const std::string& result) {
  const auto json = parse_json(result);
  if (!json.has_value() || !json->is_object()) {
    return "The result is not a JSON object.";
  }
  const Json* is_error = find_member(*json, "isError");
  if (is_error != nullptr && *is_error == true) return std::nullopt;
  if (!tool.output.has_value()) return std::nullopt;
  const Json* structured = find_member(*json, "structuredContent");
  if (structured == nullptr) return "The result lacks structuredContent.";
  const auto checked = tool.output->check(*structured, "The structuredContent");
  if (checked.has_value()) return std::nullopt;
  return checked.error().message();
}

// Removes the structured content of an error if the output schema refuses it:
// some clients would show their complaint instead of the message.
void drop_unfit_structure(const CatalogTool& tool, std::string& result) {
  auto json = parse_json(result);
  if (!json.has_value() || !tool.output.has_value()) return;
  const Json* structured = find_member(*json, "structuredContent");
  if (structured == nullptr) return;
  const auto wrong = tool.output->validate(*structured);
  if (wrong.has_value() && wrong->empty()) return;
  json->erase("structuredContent");
  result = dump_json(*json);
}

// Counts a call that waits, while it lives.
struct CountedWait {
  explicit CountedWait(std::atomic<std::size_t>& counter)
      : count(counter), others(counter.fetch_add(1)) {}
  ~CountedWait() { --count; }
  CountedWait(const CountedWait&) = delete;
  CountedWait& operator=(const CountedWait&) = delete;

  std::atomic<std::size_t>& count;
  const std::size_t others;
};

}  // namespace

StateOwner state_owner(const McpCall& call) {
  // Binds a state to the name and arguments of the call.
  Sha256 digest;
  for (const char* name : {"name", "uri", "arguments"}) {
    const Json* member = find_member(*call.message().params, name);
    const std::string text = member == nullptr ? "" : dump_json(*member);
    digest.update(std::to_string(text.size()) + ":" + text);
  }
  return {call.principal(), call.message().method, digest.finish()};
}

McpRunner::McpRunner(const McpCatalog& catalog, const StateSeal& seal,
                     McpTasks& tasks, McpWorkers& workers, const Clock& clock,
                     bool checks_output)
    : catalog_(catalog),
      seal_(seal),
      tasks_(tasks),
      workers_(workers),
      clock_(clock),
      checks_output_(checks_output) {}

Outcome McpRunner::called(const HandlerRun& run) const {
  Outcome outcome = guarded([&] { return run.handler(*run.call); });
  auto* const complete = std::get_if<Complete>(&outcome);
  if (complete != nullptr && complete->is_error && run.tool != nullptr) {
    drop_unfit_structure(*run.tool, complete->result);
  }
  return outcome;
}

void McpRunner::run_here(HandlerRun run) {
  Outcome outcome = called(run);
  if (ends_call(*run.call, outcome)) {
    return finish_final(run, std::move(outcome));
  }
  const auto call = run.call;
  auto rest = std::make_shared<std::pair<HandlerRun, Outcome>>(
      std::move(run), std::move(outcome));
  post(call, [this, rest] {
    drive(std::move(rest->first), std::move(rest->second));
  });
}

void McpRunner::run_elsewhere(HandlerRun run) {
  const auto call = run.call;
  post(call, [this, run = std::move(run)] {
    if (run.call->is_over()) return;
    // Such as a call that asks a model.
    const bool is_slow =
        run.tool != nullptr && !run.tool->tool->blocks_on_disk_only;
    if (!is_slow) return drive(run, called(run));
    const CountedWait wait(slow_);
    if (wait.others < max_slow()) return drive(run, called(run));
    refuse(run, {kInternalError,
                 "The server already runs " + std::to_string(max_slow()) +
                     " calls that may take long; try again later.",
                 ""});
  });
}

std::size_t McpRunner::max_slow() const {
  return std::max<std::size_t>(1, workers_.max_threads() / 2);
}

void McpRunner::post(const std::shared_ptr<McpCall>& call,
                     std::function<void()> work) {
  const auto guarded_work = [call, work = std::move(work)] {
    const Outcome outcome = guarded([&]() -> Outcome {
      work();
      return Complete{};
    });
    if (const auto* failure = std::get_if<Failure>(&outcome)) {
      call->finish_failure(*failure);
    }
  };
  if (workers_.post(guarded_work)) return;
  call->finish_failure(
      {kInternalError, "The server is overloaded; try again later.", ""});
}

void McpRunner::drive(HandlerRun run, Outcome outcome) {
  const auto call = run.call;
  McpQuestions questions(*call, clock_);
  for (int round = 0; round < kMaxRounds; ++round) {
    if (run.call->is_over()) {
      questions.withdraw_all(run.call->cancel().reason());
      return let_go(run, outcome);
    }
    if (ends_call(*run.call, outcome)) {
      questions.withdraw_all(kNotNeeded);
      return finish_final(run, std::move(outcome));
    }
    bool continues = false;
    if (auto* start = std::get_if<StartTask>(&outcome)) {
      continues = begin_task(run, std::move(*start));
    } else {
      continues = ask_if_free(run, std::get<InputRequired>(outcome), questions);
    }
    if (!continues) return let_go(run, outcome);
    outcome = called(run);
  }
  questions.withdraw_all(kNotNeeded);
  run.call->finish_failure({kInternalError,
                            "The handler sent too many requests to the client.",
                            ""});
}

void McpRunner::let_go(const HandlerRun& run, const Outcome& outcome) const {
  // Only after an explicit cancellation. If the session closed, the work of the
  // handler stays resumable.
  const auto* required = std::get_if<InputRequired>(&outcome);
  McpCall& call = *run.call;
  const bool is_cancelled = call.is_over() && call.cancel().is_cancelled() &&
                            call.session() != nullptr &&
                            !call.session()->is_closed();
  if (required == nullptr || !is_cancelled) return;
  call.set_answers({});
  call.set_state(required->state);
  static_cast<void>(called(run));
}

void McpRunner::finish_final(const HandlerRun& run, Outcome outcome) {
  if (auto* complete = std::get_if<Complete>(&outcome)) {
    return finish_complete(run, std::move(complete->result));
  }
  if (const auto* failure = std::get_if<Failure>(&outcome)) {
    return run.call->finish_failure(*failure);
  }
  finish_required(run, std::get<InputRequired>(outcome));
}

void McpRunner::finish_complete(const HandlerRun& run, std::string result) {
  if (checks_output_ && run.tool != nullptr) {
    if (const auto wrong = output_violation(*run.tool, result)) {
      return run.call->finish_failure(
          {kInternalError,
           "The tool " + run.tool->tool->name +
               " violates its output schema: " + *wrong,
           ""});
    }
  }
  run.call->finish_result(
      run.call->era() == Era::Modern
          ? modern_result(std::move(result), run.hints, catalog_.meta())
          : legacy_result(std::move(result), run.call->version()));
}

void McpRunner::finish_required(const HandlerRun& run,
                                const InputRequired& required) {
  for (const auto& [key, request] : required.requests) {
    const auto missing = missing_capability(run.call->client(), request);
    if (missing.has_value()) return run.call->finish_failure(*missing);
  }
  std::string sealed;
  // The result must have at least one of inputRequests and requestState.
  if (!required.state.empty() || required.requests.empty()) {
    sealed = seal_.seal(state_owner(*run.call), required.state);
  }
  run.call->finish_result(
      input_required_result(required, sealed, catalog_.meta()));
}

// A legacy tool reports a missing capability as an error result, so that the
// model can read it.
void McpRunner::refuse(const HandlerRun& run, const Failure& failure) {
  if (run.call->era() == Era::Legacy && run.tool != nullptr) {
    return run.call->finish_result(tool_error(failure.message).result);
  }
  if (run.call->era() == Era::Legacy) {
    return run.call->finish_failure({kInvalidParams, failure.message, ""});
  }
  run.call->finish_failure(failure);
}

bool McpRunner::ask_if_free(const HandlerRun& run,
                            const InputRequired& required,
                            McpQuestions& questions) {
  const CountedWait wait(waiting_);
  if (wait.others < max_slow()) return ask_client(run, required, questions);
  questions.withdraw_all(kNotNeeded);
  refuse(run, {kInternalError,
               "The server already waits for the answers of " +
                   std::to_string(max_slow()) + " clients; try again later.",
               ""});
  return false;
}

bool McpRunner::ask_client(const HandlerRun& run, const InputRequired& required,
                           McpQuestions& questions) {
  McpCall& call = *run.call;
  for (const auto& [key, request] : required.requests) {
    const auto missing = missing_capability(call.client(), request);
    if (missing.has_value()) {
      refuse(run, *missing);
      return false;
    }
  }
  McpQuestions::Round round = questions.ask(required);
  if (round.rejection) {
    questions.withdraw_all(kNotNeeded);
    refuse(run, {kInternalError, *round.rejection, ""});
  }
  if (call.cancel().is_cancelled()) {
    questions.withdraw_all(call.cancel().reason());
    call.finish_failure({kInternalError, call.cancel().reason(), ""});
  }
  call.set_replies(std::move(round.replies));
  call.set_state(required.state);
  return !call.is_over();
}

bool McpRunner::begin_task(HandlerRun& run, StartTask start) {
  McpCall& call = *run.call;
  if (call.client().tasks) {
    const auto task = tasks_.start(std::move(start), call.envelope());
    if (!task.has_value()) {
      call.finish_failure({kInternalError, task.error().message(), ""});
    } else {
      call.finish_result(R"({"resultType":"task",)" + *task + "," +
                         catalog_.meta() + "}");
    }
    return false;
  }
  if (start.is_required) {
    refuse(run, missing_tasks());
    return false;
  }
  run.handler = std::move(start.work);
  return true;
}

}  // namespace lamarck::mcp
