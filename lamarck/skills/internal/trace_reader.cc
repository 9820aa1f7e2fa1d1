#include "lamarck/skills/internal/trace_reader.h"

#include <array>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "lamarck/base/macros.h"

namespace lamarck::skills::internal {
namespace {

std::string text_member(const Json& json, const char* name) {
  const auto found = json.find(name);
  return found != json.end() && found->is_string() ? found->get<std::string>()
                                                   : std::string();
}

const Json& member(const Json& json, const char* name) {
  static const Json kNull;
  const auto found = json.find(name);
  return found == json.end() ? kNull : *found;
}

// JSON in a string, as APIs pass arguments and results.
Json unpacked(const Json& value) {
  if (!value.is_string()) return value;
  const std::string& text = value.get_ref<const std::string&>();
  if (text.empty() || (text[0] != '{' && text[0] != '[')) return value;
  const Result<Json> parsed = parse_json(text);
  return parsed ? *parsed : value;
}

Json call_arguments(const Json& value) {
  Json arguments = unpacked(value);
  if (arguments.is_null() || arguments == "") return Json::object();
  return arguments.is_object() ? arguments : Json{{"input", arguments}};
}

// The text of a message: a string or a list of blocks with texts.
std::string message_text(const Json& content) {
  if (content.is_string()) return content.get<std::string>();
  std::string text;
  if (!content.is_array()) return text;
  for (const Json& block : content) {
    if (!block.is_object()) continue;
    const std::string part = text_member(block, "text");
    if (part.empty()) continue;
    if (!text.empty()) text += '\n';
    text += part;
  }
  return text;
}

// The result in a block: text blocks become their text.
Json block_result(const Json& content) {
  return content.is_array() ? unpacked(message_text(content))
                            : unpacked(content);
}

bool looks_like_error(const Json& result) {
  if (result.is_object()) {
    const Json& error = member(result, "error");
    return !error.is_null() && error != false && error != "";
  }
  if (!result.is_string()) return false;
  const std::string& text = result.get_ref<const std::string&>();
  return text.starts_with("Error") || text.starts_with("error:") ||
         text.starts_with("Traceback");
}

// Attributes of a span: an object, or OpenTelemetry's list of key and value.
Json span_attributes(const Json& span) {
  const Json& given = member(span, "attributes");
  if (!given.is_array()) return given.is_object() ? given : Json::object();
  Json attributes = Json::object();
  for (const Json& entry : given) {
    if (!entry.is_object()) continue;
    const Json& value = member(entry, "value");
    if (value.is_object() && value.size() == 1) {
      attributes[text_member(entry, "key")] = *value.begin();
    }
  }
  return attributes;
}

}  // namespace

bool TraceReader::read(const Json& entry) {
  if (!entry.is_object()) return false;
  return read_span(entry) || read_rollout(entry) || read_session(entry) ||
         read_chat(entry);
}

// {"role": "assistant", "tool_calls": [...]}, {"role": "tool", ...}.
bool TraceReader::read_chat(const Json& entry) {
  const std::string role = text_member(entry, "role");
  const Json& content = member(entry, "content");
  if (role == "user") {
    read_blocks(content, true);
  } else if (role == "assistant") {
    read_blocks(content, false);
    for (const Json& call : member(entry, "tool_calls")) {
      if (!call.is_object()) continue;
      const Json& function = member(call, "function");
      if (!function.is_object()) continue;
      add_call(text_member(call, "id"), text_member(function, "name"),
               call_arguments(member(function, "arguments")));
    }
  } else if (role == "tool" || role == "function") {
    const Json result = block_result(content);
    add_result(text_member(entry, "tool_call_id"), result,
               !looks_like_error(result));
  } else if (role != "system" && role != "developer") {
    return false;
  }
  formats_.insert("chat");
  return true;
}

// {"type": "user" | "assistant", "message": {"content": [...]}}.
bool TraceReader::read_session(const Json& entry) {
  const std::string type = text_member(entry, "type");
  if (type == "summary" || type == "system" ||
      type == "file-history-snapshot") {
    return true;
  }
  const Json& message = member(entry, "message");
  if ((type != "user" && type != "assistant") || !message.is_object()) {
    return false;
  }
  if (const std::string id = text_member(entry, "sessionId"); !id.empty()) {
    session_ = id;
  }
  read_blocks(member(message, "content"), type == "user");
  formats_.insert("session");
  return true;
}

// {"type": "function_call", "name", "arguments", "call_id"} and its output,
// also inside of "payload".
bool TraceReader::read_rollout(const Json& entry) {
  if (const Json& payload = member(entry, "payload"); payload.is_object()) {
    const std::string outer = text_member(entry, "type");
    if (outer != "response_item")
      return outer == "session_meta" || outer == "turn_context" ||
             outer == "event_msg";
    return read_rollout(payload);
  }
  const std::string type = text_member(entry, "type");
  if (type == "function_call" || type == "custom_tool_call") {
    const char* const field = type == "function_call" ? "arguments" : "input";
    add_call(text_member(entry, "call_id"), text_member(entry, "name"),
             call_arguments(member(entry, field)));
  } else if (type == "function_call_output" ||
             type == "custom_tool_call_output") {
    Json result = unpacked(member(entry, "output"));
    if (result.is_object() && result.contains("output")) {
      result = unpacked(Json(result["output"]));
    }
    add_result(text_member(entry, "call_id"), result,
               !looks_like_error(result));
  } else if (type == "message") {
    read_blocks(member(entry, "content"), text_member(entry, "role") == "user");
  } else if (type != "reasoning") {
    return false;
  }
  formats_.insert("rollout");
  return true;
}

// Spans of the OpenTelemetry GenAI conventions.
bool TraceReader::read_span(const Json& entry) {
  const Json attributes = span_attributes(entry);
  const std::string operation =
      text_member(attributes, "gen_ai.operation.name");
  if (operation.empty()) return false;
  formats_.insert("spans");
  if (operation == "execute_tool") {
    const std::string id = text_member(attributes, "gen_ai.tool.call.id");
    const std::string key = id.empty() ? text_member(entry, "spanId") : id;
    add_call(key, text_member(attributes, "gen_ai.tool.name"),
             call_arguments(member(attributes, "gen_ai.tool.call.arguments")));
    const Json result = unpacked(member(attributes, "gen_ai.tool.call.result"));
    add_result(key, result, !attributes.contains("error.type"));
    return true;
  }
  const Json messages = unpacked(member(attributes, "gen_ai.input.messages"));
  if (!messages.is_array() || !traces_.empty()) return true;
  for (const Json& message : messages) {
    if (message.is_object() && text_member(message, "role") == "user") {
      const Json& parts = member(message, "parts");
      std::string text = text_member(message, "content");
      for (const Json& part : parts) {
        if (part.is_object()) text += text_member(part, "content");
      }
      if (!text.empty()) add_request(text);
    }
  }
  return true;
}

void TraceReader::read_blocks(const Json& content, bool is_user) {
  std::string text = message_text(content);
  if (content.is_array()) {
    for (const Json& block : content) {
      if (!block.is_object()) continue;
      const std::string type = text_member(block, "type");
      if (type == "tool_use") {
        add_call(text_member(block, "id"), text_member(block, "name"),
                 call_arguments(member(block, "input")));
      } else if (type == "tool_result") {
        const bool failed = member(block, "is_error") == true;
        add_result(text_member(block, "tool_use_id"),
                   block_result(member(block, "content")), !failed);
      }
    }
  }
  if (text.empty()) return;
  if (is_user) {
    add_request(text);
  } else {
    add_answer(text);
  }
}

void TraceReader::add_request(const std::string& text) {
  // A message before the first call adds to the request.
  if (!traces_.empty() && traces_.back().calls.empty()) {
    traces_.back().request += "\n" + text;
    return;
  }
  Trace trace;
  trace.session_id = traces_.empty()
                         ? session_
                         : fmt::format("{}-{}", session_, traces_.size() + 1);
  trace.request = text;
  traces_.push_back(std::move(trace));
}

void TraceReader::add_answer(const std::string& text) {
  if (!traces_.empty()) traces_.back().answer = text;
}

void TraceReader::add_call(const std::string& id, const std::string& tool,
                           const Json& arguments) {
  if (tool.empty()) return;
  if (traces_.empty()) add_request("");
  std::vector<ToolCall>& calls = traces_.back().calls;
  // A call whose result is missing did not succeed, as far as is known.
  calls.push_back({.tool = tool, .arguments = arguments, .succeeded = false});
  open_[id] = {traces_.size() - 1, calls.size() - 1};
}

void TraceReader::add_result(const std::string& id, const Json& result,
                             bool succeeded) {
  const auto found = open_.find(id);
  if (found == open_.end()) return;
  ToolCall& call = traces_[found->second.first].calls[found->second.second];
  call.result = result;
  call.succeeded = succeeded;
  open_.erase(found);
}

std::vector<Trace> TraceReader::finish() {
  std::vector<Trace> traces;
  for (Trace& trace : traces_) {
    if (trace.calls.empty()) continue;
    trace.reflection.success = trace.calls.back().succeeded;
    trace.reflection.summary = "Read from a file.";
    trace.reflection.reusability = trace.reflection.success ? 0.7 : 0;
    traces.push_back(std::move(trace));
  }
  traces_.clear();
  return traces;
}

}  // namespace lamarck::skills::internal
