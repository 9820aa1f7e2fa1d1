// The possible outcomes of a call to a tool, a prompt or a resource.

#pragma once

#include <chrono>
#include <functional>
#include <map>
#include <string>
#include <variant>

#include "lamarck/base/json.h"

namespace lamarck::mcp {

class CallContext;

// A result such as {"content": [...]}; members that depend on the era are added
// later.
struct Complete {
  std::string result;  // A JSON object as text; usually sent unchanged.
  // Of a tool: `result` has isError. Its structuredContent is left out unless
  // the output schema of the tool accepts it, because clients check it.
  bool is_error = false;
};

// A request to the client (its model, its user, its roots), after which the
// handler is called again with the answers. The handler chooses the keys. If
// the client cancels the call in the meantime, the handler is called one last
// time, with CallContext::cancel cancelled and no answers, to clean up.
struct InputRequest {
  // sampling/createMessage, elicitation/create or roots/list.
  std::string method;
  std::string params;  // A JSON object as text.
};
struct InputRequired {
  std::map<std::string, InputRequest> requests;
  // Returned in CallContext::state. It is sealed, so a client cannot change it.
  // At most a few kilobytes.
  std::string state;
  // Polled while a call waits for the answer with this key. Once it returns
  // false, the request is withdrawn (CallContext::is_withdrawn) and the handler
  // is called without the answer. Null = always wanted. Destroyed when the wait
  // ends.
  std::function<bool(const std::string& key)> still_wanted = nullptr;
  // The rest concerns legacy clients, which answer one request at a time; a
  // modern client sends all its answers together.
  // Calls the handler as soon as one request is answered or given up. Those
  // without an answer are pending (CallContext::is_pending): they stay open if
  // the handler asks for their keys again, and are withdrawn otherwise.
  bool takes_first = false;
  // A request that the client rejects, or does not answer within the time (0 =
  // no limit), is given up (CallContext::refusal). Otherwise a rejection ends
  // the call.
  bool survives_refusals = false;
  std::chrono::milliseconds answer_limit{0};
};

// A JSON-RPC error, for invalid requests. A tool that fails returns a result
// with isError instead.
struct Failure {
  int code = -32603;
  std::string message;
  std::string data;  // JSON; "" = none.
};

struct StartTask;

using Outcome = std::variant<Complete, InputRequired, Failure, StartTask>;

// Continues the work in the background as a task. If the client does not
// support tasks, the work is done before the reply.
struct StartTask {
  // Must not return another StartTask. InputRequired suspends the task until
  // the client answers; then the work is called again.
  std::function<Outcome(CallContext&)> work;
  bool is_required = false;  // Rejects clients without tasks.
  std::chrono::milliseconds time_to_live{600'000};
  std::chrono::milliseconds poll_interval{500};
};

// Results of tools. `structured` is sent both as structuredContent and as text,
// for clients that read only text.
Complete tool_result(const Json& structured);
Complete tool_text(std::string_view text);
Complete tool_error(std::string_view text);

}  // namespace lamarck::mcp
