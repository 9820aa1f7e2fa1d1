#include "lamarck/server/mcp/internal/mcp_runner.h"

#include <algorithm>
#include <chrono>
#include <utility>
#include <nlohmann/json.hpp>

#include "lamarck/base/hash.h"
#include "lamarck/server/mcp/internal/mcp_handler_guard.h"
#include "lamarck/server/mcp/internal/mcp_result_codec.h"
#include "lamarck/server/mcp/internal/mcp_session.h"

namespace lamarck::mcp {
namespace {

using std::chrono_literals::operator""ms;

// How often `still_wanted` is polled.
constexpr std::chrono::milliseconds kPollInterval = 250ms;
constexpr const char* kNotNeeded = "The answer is no longer needed.";
constexpr int kMaxRounds = 100;  // Requests within one legacy call.

// Returns whether the outcome ends the call without waiting.
bool ends_call(const McpCall& call, const Outcome& outcome) {
  if (std::holds_alternative<StartTask>(outcome)) return false;
  return call.era() == Era::Modern ||
         !std::holds_alternative<InputRequired>(outcome);
}

// URL elicitation needs an elicitationId in the legacy era, but not in the
// modern one.
std::string legacy_params(const InputRequest& request, std::int64_t id) {
  auto params = parse_json(request.params.empty() ? "{}" : request.params);
  if (!params.has_value() || !params->is_object()) return "{}";
  const std::string* mode = find_string(*params, "mode");
  if (mode != nullptr && *mode == "url" && !params->contains("elicitationId")) {
    (*params)["elicitationId"] = "elicitation-" + std::to_string(id);
  }
  return dump_json(*params);
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

bool is_abandoned(const McpCall& call) {
  return call.cancel().is_cancelled() || call.session()->is_closed();
}

// Waits for the response; null if the call is abandoned or the answer is no
// longer wanted.
std::shared_ptr<const Json> awaited(const McpCall& call, std::int64_t id,
                                    const std::function<bool()>& is_wanted) {
  McpSession& session = *call.session();
  auto response = session.wait_answer(id, call.cancel(), 0ms);
  while (response == nullptr && !is_abandoned(call) && is_wanted()) {
    response = session.wait_answer(id, call.cancel(), kPollInterval);
  }
  return response;
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
                     McpTasks& tasks, McpWorkers& workers, bool checks_output)
    : catalog_(catalog),
      seal_(seal),
      tasks_(tasks),
      workers_(workers),
      checks_output_(checks_output) {}

Outcome McpRunner::called(const HandlerRun& run) const {
  return guarded([&] { return run.handler(*run.call); });
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
  for (int round = 0; round < kMaxRounds; ++round) {
    if (run.call->is_over()) return let_go(run, outcome);
    if (ends_call(*run.call, outcome)) {
      return finish_final(run, std::move(outcome));
    }
    bool continues = false;
    if (auto* start = std::get_if<StartTask>(&outcome)) {
      continues = begin_task(run, std::move(*start));
    } else {
      continues = ask_if_free(run, std::get<InputRequired>(outcome));
    }
    if (!continues) return let_go(run, outcome);
    outcome = called(run);
  }
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
                            const InputRequired& required) {
  const CountedWait wait(waiting_);
  if (wait.others < max_slow()) return ask_client(run, required);
  refuse(run, {kInternalError,
               "The server already waits for the answers of " +
                   std::to_string(max_slow()) + " clients; try again later.",
               ""});
  return false;
}

bool McpRunner::ask_client(const HandlerRun& run,
                           const InputRequired& required) {
  McpCall& call = *run.call;
  McpSession& session = *call.session();
  for (const auto& [key, request] : required.requests) {
    const auto missing = missing_capability(call.client(), request);
    if (missing.has_value()) {
      refuse(run, *missing);
      return false;
    }
  }
  // Sends all requests before waiting, so that the client can answer in
  // parallel.
  std::map<std::string, std::int64_t> ids;
  for (const auto& [key, request] : required.requests) {
    const std::int64_t id = ids[key] = session.open_request();
    call.send(request_message(std::to_string(id), request.method,
                              legacy_params(request, id)));
  }
  InputAnswers answers;
  for (const auto& [key, id] : ids) {
    const auto response = awaited(call, id, [&, &name = key] {
      return !required.still_wanted || required.still_wanted(name);
    });
    if (response == nullptr && is_abandoned(call)) break;
    if (response == nullptr) {
      answers[key] = nullptr;
      session.withdraw_request(id, kNotNeeded);
      continue;
    }
    const Json* result = find_member(*response, "result");
    if (result == nullptr) {
      const Json* error = find_member(*response, "error");
      const std::string* why =
          error == nullptr ? nullptr : find_string(*error, "message");
      refuse(run, {kInternalError,
                   "The client rejected " + required.requests.at(key).method +
                       (why == nullptr ? "." : ": " + *why),
                   ""});
      break;
    }
    if (is_answer_to(*result, required.requests.at(key).method)) {
      answers[key] = std::shared_ptr<const Json>(response, result);
    }
  }
  // Withdraws all requests without an answer; answered ones are not affected.
  const bool is_cancelled = call.cancel().is_cancelled();
  for (const auto& [key, id] : ids) {
    session.withdraw_request(
        id, is_cancelled ? call.cancel().reason() : kNotNeeded);
  }
  if (is_cancelled) {
    call.finish_failure({kInternalError, call.cancel().reason(), ""});
  }
  call.set_answers(std::move(answers));
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
