// Branches that compete, thought of by the client's model, the server's, or
// nobody.

#include <array>
#include <nlohmann/json.hpp>

#include "lamarck/base/ensure.h"
#include "lamarck/base/macros.h"
#include "lamarck/base/string_split.h"
#include "lamarck/server/internal/thought_calls.h"
#include "lamarck/server/internal/tool_arguments.h"

namespace lamarck::server {
namespace {

using thought::Strategy;

struct NamedStrategy {
  std::string_view name;
  Strategy strategy;
};
constexpr std::array kStrategies = {NamedStrategy{"race", Strategy::Race},
                                    NamedStrategy{"best", Strategy::Best},
                                    NamedStrategy{"vote", Strategy::Vote},
                                    NamedStrategy{"bandit", Strategy::Bandit}};

Strategy strategy_named(std::string_view name) {
  for (const NamedStrategy& entry : kStrategies) {
    if (entry.name == name) return entry.strategy;
  }
  ENSURE(false, "the schema lets no other strategy pass");
  return Strategy::Race;
}

enum class Who : std::uint8_t { Client, Server, Nobody };

Result<Who> who_thinks(const ThoughtTools& with,
                       const mcp::CallContext& context, const Json& arguments) {
  const std::string wish = text_of(arguments, "thinker", "auto");
  const bool client_can = context.client().sampling;
  const bool server_can = with.thinker != nullptr;
  if (wish == "client" && !client_can) {
    return Error(ErrorCode::FailedPrecondition,
                 "The thinker `client` needs a client that offers sampling, "
                 "and this one does not: append the steps yourself with "
                 "think_plan_step and use max_rounds 0.");
  }
  if (wish == "server" && !server_can) {
    return Error(ErrorCode::FailedPrecondition,
                 "The thinker `server` needs a model: start the server with "
                 "--llm-base-url and --llm-model.");
  }
  if (wish == "none" || count_of(arguments, "max_rounds", 1) == 0) {
    return Who::Nobody;
  }
  if (wish != "server" && client_can) return Who::Client;
  return wish != "client" && server_can ? Who::Server : Who::Nobody;
}

thought::ParallelRun run_of(const Json& arguments, Who who) {
  thought::ParallelRun run;
  run.session = text_of(arguments, "session");
  run.branches = texts_of(arguments, "branches");
  run.strategy = strategy_named(text_of(arguments, "strategy", "race"));
  run.plan_type = text_of(arguments, "plan_type", run.plan_type);
  run.max_rounds = who == Who::Nobody
                       ? 0
                       : count_of(arguments, "max_rounds", run.max_rounds);
  return run;
}

mcp::InputRequest sampling_of(const thought::ThinkRequest& request) {
  const Json message = {
      {"role", "user"},
      {"content", {{"type", "text"}, {"text", request.prompt}}}};
  return {.method = "sampling/createMessage",
          .params = dump_json(Json{{"messages", Json::array({message})},
                                   {"systemPrompt", request.system},
                                   {"maxTokens", request.max_tokens}})};
}

// The texts of the answer's blocks.
std::string sampled_text(const Json& content) {
  if (content.is_object()) return content.value("text", "");
  std::string text;
  if (content.is_array()) {
    for (const Json& block : content) text += sampled_text(block);
  }
  return text;
}

Result<thought::ThoughtReply> reply_of(const Json* input) {
  if (input == nullptr || !input->is_object()) {
    return Error(ErrorCode::Unavailable,
                 "The client's model did not answer for this branch.");
  }
  thought::ThoughtReply reply;
  const auto content = input->find("content");
  if (content != input->end()) reply.text = sampled_text(*content);
  reply.model = input->value("model", "");
  return reply;
}

// What a round leaves to the next one. Requests have names of their own in a
// run, so an answer that comes a second time is known.
struct Round {
  std::string run;
  std::vector<std::string> asked;
};

std::string to_state(const Round& round) {
  std::string state = round.run;
  for (const std::string& request : round.asked) state += " " + request;
  return state;
}

Round round_of(const std::string& state) {
  const auto parts = split_text(state, ' ');
  return {std::string(parts[0]), {parts.begin() + 1, parts.end()}};
}

mcp::Outcome asking(thought::ThoughtEngine& engine, const std::string& session,
                    const std::string& run,
                    const std::vector<thought::ThinkRequest>& wanted) {
  mcp::InputRequired next;
  Round round{run, {}};
  for (const thought::ThinkRequest& request : wanted) {
    next.requests.emplace(request.id, sampling_of(request));
    round.asked.push_back(request.id);
  }
  next.state = to_state(round);
  next.still_wanted =
      [&engine, session, run,
       mark = engine.await_parallel(session, run)](const std::string& request) {
        return engine.is_wanted(session, run, request);
      };
  return next;
}

// Tells the engine what the client's model answered to the last round, and asks
// for what the branches want next.
Result<mcp::Outcome> client_round(const ThoughtTools& with,
                                  mcp::CallContext& context,
                                  const std::string& session,
                                  const Round& last) {
  const std::string& run = last.run;
  for (const std::string& request : last.asked) {
    if (context.is_withdrawn(request)) continue;
    RETURN_IF_ERROR(with.engine.accept(session, run, request,
                                       reply_of(context.input(request))));
  }
  ASSIGN_OR_RETURN(const std::vector<thought::ThinkRequest> wanted,
                   with.engine.wanted(session, run));
  if (wanted.empty()) {
    ASSIGN_OR_RETURN(const std::optional<std::string> answer,
                     with.engine.parallel_answer(session, run));
    ENSURE(answer.has_value(), "a run that wants nothing has its answer");
    return outcome_of(Result<std::string>(*answer));
  }
  return asking(with.engine, session, run, wanted);
}

Result<mcp::Outcome> thought_by_client(const ThoughtTools& with,
                                       mcp::CallContext& context,
                                       const Json& arguments) {
  Round last = round_of(context.state());
  if (last.run.empty()) {
    ASSIGN_OR_RETURN(last.run,
                     with.engine.begin_parallel(run_of(arguments, Who::Client),
                                                caller_of(context, arguments)));
  }
  const std::string session = text_of(arguments, "session");
  if (context.cancel().is_cancelled()) {
    return outcome_of(with.engine.cancel_parallel(
        session, last.run, caller_of(context, arguments)));
  }
  return client_round(with, context, session, last);
}

// For runs in which nobody has to think.
class NoThinker : public thought::Thinker {
 public:
  Result<thought::ThoughtReply> think(const thought::ThinkRequest&,
                                      const CancelToken&) override {
    return Error(ErrorCode::Unavailable, "Nobody thinks in this run.");
  }
};

mcp::Outcome decided(const ThoughtTools& with, mcp::CallContext& context,
                     const Json& arguments) {
  NoThinker nobody;
  return outcome_of(with.engine.run_parallel(
      run_of(arguments, Who::Nobody), nobody, caller_of(context, arguments),
      context.cancel()));
}

// May take long, so it is a task for those who can have one.
mcp::Outcome thought_by_server(const ThoughtTools& with,
                               mcp::CallContext& context,
                               const Json& arguments) {
  mcp::StartTask task;
  task.work = [with, run = run_of(arguments, Who::Server),
               caller = caller_of(context, arguments)](
                  mcp::CallContext& inner) -> mcp::Outcome {
    return outcome_of(
        with.engine.run_parallel(run, *with.thinker, caller, inner.cancel()));
  };
  return task;
}

}  // namespace

mcp::Outcome call_parallel_run(const ThoughtTools& with,
                               mcp::CallContext& context,
                               const Json& arguments) {
  const Result<Who> who = who_thinks(with, context, arguments);
  if (!who) return outcome_of(who.error());
  if (*who == Who::Nobody) return decided(with, context, arguments);
  if (*who == Who::Server) return thought_by_server(with, context, arguments);
  Result<mcp::Outcome> outcome = thought_by_client(with, context, arguments);
  return outcome ? std::move(*outcome) : outcome_of(outcome.error());
}

}  // namespace lamarck::server
