// How a call of a tool, a prompt or a resource can end.

#pragma once

#include <chrono>
#include <functional>
#include <map>
#include <string>
#include <variant>

#include "lamarck/base/json.h"

namespace lamarck::mcp {

class CallContext;

// The members of the result, such as {"content": [...]}; what the era wants
// beside them is added on the way out.
struct Complete {
  std::string result;  // A JSON object, as text: most are sent as they are.
};

// Asks the client (its model, its user, its roots) and is called again with the
// answers. Keys are names chosen by the handler. If the client cancels the call
// meanwhile, the handler is called a last time, with CallContext::cancel
// cancelled and no answers, to put away what it had begun.
struct InputRequest {
  std::string
      method;  // sampling/createMessage, elicitation/create, roots/list.
  std::string params;  // A JSON object, as text.
};
struct InputRequired {
  std::map<std::string, InputRequest> requests;
  // Comes back in CallContext::state; sealed on the way, so that a client
  // cannot change it. At most some kilobytes.
  std::string state;
  // Asked now and then while a call waits for the answer of this key; once it
  // says no the question is withdrawn (CallContext::is_withdrawn), and the
  // handler is called without it. Null = it is always wanted. It lives as long
  // as the wait.
  std::function<bool(const std::string& key)> still_wanted = nullptr;
};

// An error of JSON-RPC: for requests that make no sense. A tool that fails has
// a result with isError instead.
struct Failure {
  int code = -32603;
  std::string message;
  std::string data;  // JSON; "" = none.
};

struct StartTask;

using Outcome = std::variant<Complete, InputRequired, Failure, StartTask>;

// The work goes on in the background as a task. Where the client cannot have
// tasks it is done before the answer.
struct StartTask {
  // Not another StartTask. InputRequired parks the task until it is answered,
  // and then the work is called again.
  std::function<Outcome(CallContext&)> work;
  bool is_required = false;  // Refuse clients that cannot have tasks.
  std::chrono::milliseconds time_to_live{600'000};
  std::chrono::milliseconds poll_interval{500};
};

// Results of tools. `structured` is sent as structuredContent, and as text for
// those who read only that.
Complete tool_result(const Json& structured);
Complete tool_text(std::string_view text);
Complete tool_error(std::string_view text);

}  // namespace lamarck::mcp
