// The tool think_parallel_run: branches compete, driven by the client's model,
// the server's model, or none.

#include <algorithm>
#include <array>
#include <chrono>
#include <nlohmann/json.hpp>

#include "lamarck/base/ensure.h"
#include "lamarck/base/macros.h"
#include "lamarck/base/string_split.h"
#include "lamarck/server/internal/thought_calls.h"
#include "lamarck/server/internal/tool_arguments.h"

namespace lamarck::server {
namespace {

using thought::Strategy;

constexpr std::int64_t kReplyTimeout = 120'000;  // Milliseconds.

struct NamedStrategy {
  std::string_view name;
  Strategy strategy;
};
constexpr std::array kStrategies = {NamedStrategy{"race", Strategy::Race},
                                    NamedStrategy{"best", Strategy::Best},
                                    NamedStrategy{"vote", Strategy::Vote},
                                    NamedStrategy{"bandit", Strategy::Bandit}};

Strategy parse_strategy(std::string_view name) {
  for (const NamedStrategy& entry : kStrategies) {
    if (entry.name == name) return entry.strategy;
  }
  ENSURE(false, "the schema allows no other strategy");
  return Strategy::Race;
}

enum class ThinkerKind : std::uint8_t { Client, Server, None };

Result<ThinkerKind> choose_thinker(const ThoughtTools& tools,
                                   const mcp::CallContext& context,
                                   const Json& arguments) {
  const std::string choice = get_text(arguments, "thinker", "auto");
  const bool client_can = context.client().sampling;
  const bool server_can = tools.thinker != nullptr;
  if (choice == "client" && !client_can) {
    return Error(ErrorCode::FailedPrecondition,
                 "The thinker `client` needs a client with the sampling "
                 "capability, which this client lacks; add the steps yourself "
                 "with think_plan_step and use max_rounds 0.");
  }
  if (choice == "server" && !server_can) {
    return Error(ErrorCode::FailedPrecondition,
                 "The thinker `server` needs a model; start the server with "
                 "--llm-base-url and --llm-model.");
  }
  if (choice == "none" || get_count(arguments, "max_rounds", 1) == 0) {
    return ThinkerKind::None;
  }
  if (choice != "server" && client_can) return ThinkerKind::Client;
  return choice != "client" && server_can ? ThinkerKind::Server
                                          : ThinkerKind::None;
}

thought::ParallelRun parse_run(const Json& arguments, ThinkerKind kind) {
  thought::ParallelRun run;
  run.session = get_text(arguments, "session");
  run.branches = get_texts(arguments, "branches");
  run.strategy = parse_strategy(get_text(arguments, "strategy", "race"));
  run.plan_type = get_text(arguments, "plan_type", run.plan_type);
  run.max_rounds = kind == ThinkerKind::None
                       ? 0
                       : get_count(arguments, "max_rounds", run.max_rounds);
  return run;
}

mcp::InputRequest make_sampling_request(const thought::ThinkRequest& request) {
  const Json message = {
      {"role", "user"},
      {"content", {{"type", "text"}, {"text", request.prompt}}}};
  return {.method = "sampling/createMessage",
          .params = dump_json(Json{{"messages", Json::array({message})},
                                   {"systemPrompt", request.system},
                                   {"maxTokens", request.max_tokens}})};
}

// The concatenated texts of the answer's content blocks.
std::string sampled_text(const Json& content) {
  if (content.is_object()) return content.value("text", "");
  std::string text;
  if (content.is_array()) {
    for (const Json& block : content) text += sampled_text(block);
  }
  return text;
}

Result<thought::ThoughtReply> parse_reply(const mcp::CallContext& context,
                                          const std::string& request) {
  const Json* input = context.input(request);
  if (input == nullptr || !input->is_object()) {
    const std::string* why = context.refusal(request);
    return Error(ErrorCode::Unavailable,
                 why != nullptr
                     ? *why
                     : "The client's model did not answer for this branch.");
  }
  thought::ThoughtReply reply;
  const auto content = input->find("content");
  if (content != input->end()) reply.text = sampled_text(*content);
  reply.model = input->value("model", "");
  return reply;
}

// The state that a round passes to the next one. Request ids are unique in a
// run, so the engine recognizes an answer that arrives twice.
struct Round {
  std::string run;
  std::vector<std::string> asked;
};

std::string to_state(const Round& round) {
  std::string state = round.run;
  for (const std::string& request : round.asked) state += " " + request;
  return state;
}

Round parse_round(const std::string& state) {
  const auto parts = split_text(state, ' ');
  return {std::string(parts[0]), {parts.begin() + 1, parts.end()}};
}

// A call of think_parallel_run whose requests the client answers.
struct ClientRun {
  const ThoughtTools& tools;
  mcp::CallContext& context;
  const std::string session;
  const bool is_race;
  const std::chrono::milliseconds reply_limit;
};

// The mark in `still_wanted` keeps the run from counting as abandoned while the
// client thinks.
mcp::Outcome ask_client(const ClientRun& call, const std::string& run,
                        const std::vector<thought::ThinkRequest>& wanted) {
  mcp::InputRequired next{.takes_first = call.is_race,
                          .survives_refusals = true,
                          .answer_limit = call.reply_limit};
  Round round{run, {}};
  for (const thought::ThinkRequest& request : wanted) {
    next.requests.emplace(request.id, make_sampling_request(request));
    round.asked.push_back(request.id);
  }
  next.state = to_state(round);
  thought::ThoughtEngine& engine = call.tools.engine;
  next.still_wanted = [&engine, session = call.session, run,
                       mark = engine.await_parallel(call.session, run)](
                          const std::string& request) {
    return engine.is_wanted(session, run, request);
  };
  return next;
}

// The replies of the last round, those whose order of arrival is known first.
std::vector<thought::RequestReply> replies_of(const mcp::CallContext& context,
                                              const Round& last) {
  std::vector<std::string> order = context.arrived();
  for (const std::string& request : last.asked) {
    if (std::ranges::find(order, request) == order.end()) {
      order.push_back(request);
    }
  }
  std::vector<thought::RequestReply> replies;
  for (const std::string& request : order) {
    if (context.is_withdrawn(request) || context.is_pending(request)) continue;
    replies.push_back({.request = request,
                       .reply = parse_reply(context, request),
                       .latency = context.waited(request)});
  }
  return replies;
}

// Passes the answers of the client's model to the engine and sends the next
// requests.
Result<mcp::Outcome> client_round(const ClientRun& call, const Round& last) {
  thought::ThoughtEngine& engine = call.tools.engine;
  const std::string& run = last.run;
  RETURN_IF_ERROR(
      engine.accept(call.session, run, replies_of(call.context, last)));
  ASSIGN_OR_RETURN(const std::vector<thought::ThinkRequest> wanted,
                   engine.wanted(call.session, run));
  if (wanted.empty()) {
    ASSIGN_OR_RETURN(const std::optional<std::string> answer,
                     engine.parallel_answer(call.session, run));
    ENSURE(answer.has_value(), "a run without pending requests has an answer");
    return make_outcome(Result<std::string>(*answer));
  }
  return ask_client(call, run, wanted);
}

Result<mcp::Outcome> run_with_client(const ThoughtTools& tools,
                                     mcp::CallContext& context,
                                     const Json& arguments) {
  Round last = parse_round(context.state());
  if (last.run.empty()) {
    ASSIGN_OR_RETURN(last.run, tools.engine.begin_parallel(
                                   parse_run(arguments, ThinkerKind::Client),
                                   make_caller(context, arguments)));
  }
  const std::string session = get_text(arguments, "session");
  if (context.cancel().is_cancelled()) {
    return make_outcome(tools.engine.cancel_parallel(
        session, last.run, make_caller(context, arguments)));
  }
  return client_round(
      {.tools = tools,
       .context = context,
       .session = session,
       .is_race = get_text(arguments, "strategy", "race") == "race",
       .reply_limit = std::chrono::milliseconds(
           get_count(arguments, "reply_timeout_ms", kReplyTimeout))},
      last);
}

// For runs without requests.
class NoThinker : public thought::Thinker {
 public:
  Result<thought::ThoughtReply> think(const thought::ThinkRequest&,
                                      const CancelToken&) override {
    return Error(ErrorCode::Unavailable, "This run has no thinker.");
  }
};

mcp::Outcome decide_only(const ThoughtTools& tools, mcp::CallContext& context,
                         const Json& arguments) {
  NoThinker no_thinker;
  return make_outcome(tools.engine.run_parallel(
      parse_run(arguments, ThinkerKind::None), no_thinker,
      make_caller(context, arguments), context.cancel()));
}

// This may take long, so it becomes a task if the client supports tasks.
mcp::Outcome run_with_server(const ThoughtTools& tools,
                             mcp::CallContext& context, const Json& arguments) {
  mcp::StartTask task;
  task.work = [tools, run = parse_run(arguments, ThinkerKind::Server),
               caller = make_caller(context, arguments)](
                  mcp::CallContext& inner) -> mcp::Outcome {
    return make_outcome(
        tools.engine.run_parallel(run, *tools.thinker, caller, inner.cancel()));
  };
  return task;
}

}  // namespace

mcp::Outcome call_parallel_run(const ThoughtTools& tools,
                               mcp::CallContext& context,
                               const Json& arguments) {
  const Result<ThinkerKind> kind = choose_thinker(tools, context, arguments);
  if (!kind) return make_outcome(kind.error());
  if (*kind == ThinkerKind::None) return decide_only(tools, context, arguments);
  if (*kind == ThinkerKind::Server)
    return run_with_server(tools, context, arguments);
  Result<mcp::Outcome> outcome = run_with_client(tools, context, arguments);
  return outcome ? std::move(*outcome) : make_outcome(outcome.error());
}

}  // namespace lamarck::server
