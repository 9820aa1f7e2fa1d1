#include "lamarck/llm/internal/chat_protocol.h"

#include <fmt/format.h>

#include <utility>
#include <nlohmann/json.hpp>

#include "lamarck/base/one_line.h"
#include "lamarck/llm/internal/endpoint_error.h"

namespace lamarck::llm::internal {
namespace {

constexpr JsonLimits kLimits{.depth = 64};

const Json& member(const Json& object, const char* name) {
  static const Json kNothing;
  if (!object.is_object()) return kNothing;
  const auto found = object.find(name);
  return found == object.end() ? kNothing : *found;
}

Error invalid_answer(std::string_view what, std::string_view body) {
  return {ErrorCode::Unavailable,
          fmt::format("The model server sent an invalid answer ({}): {}.", what,
                      in_quotes(body))};
}

// Content is a string or an array of parts, some of which have text.
std::optional<std::string> content_text(const Json& content) {
  if (content.is_string()) return content.get<std::string>();
  if (!content.is_array()) return std::nullopt;
  std::string text;
  for (const Json& part : content) {
    const Json& words = member(part, "text");
    if (words.is_string()) text += words.get<std::string>();
  }
  return text;
}

FinishReason finish_named(const Json& name) {
  if (!name.is_string()) return FinishReason::Stop;
  const auto& text = name.get_ref<const std::string&>();
  if (text == "length") return FinishReason::Length;
  if (text == "tool_calls" || text == "function_call") {
    return FinishReason::ToolCalls;
  }
  return text == "stop" || text == "eos" ? FinishReason::Stop
                                         : FinishReason::Other;
}

std::string refusal_text(const Json& message) {
  const Json& refusal = member(message, "refusal");
  return refusal.is_string() ? refusal.get<std::string>() : "";
}

std::string text_member(const Json& object, const char* name) {
  const Json& found = member(object, name);
  return found.is_string() ? found.get<std::string>() : "";
}

// Arguments are JSON text; some servers send the object itself.
std::string arguments_text(const Json& arguments) {
  if (arguments.is_string()) return arguments.get<std::string>();
  return arguments.is_null() ? "" : dump_json(arguments);
}

std::vector<ChatToolCall> read_tool_calls(const Json& message) {
  std::vector<ChatToolCall> calls;
  const Json& list = member(message, "tool_calls");
  if (!list.is_array()) return calls;
  for (const Json& one : list) {
    const Json& function = member(one, "function");
    calls.push_back(
        {.id = text_member(one, "id"),
         .name = text_member(function, "name"),
         .arguments = arguments_text(member(function, "arguments"))});
  }
  return calls;
}

// Results refer to calls by id, so each call needs one.
void number_calls(std::vector<ChatToolCall>& calls) {
  for (std::size_t i = 0; i < calls.size(); ++i) {
    if (calls[i].id.empty()) calls[i].id = fmt::format("call_{}", i + 1);
    if (calls[i].arguments.empty()) calls[i].arguments = "{}";
  }
}

// Text of a schema that a caller built, so it is valid JSON.
Json schema_value(const std::string& text) {
  return parse_json(text).value_or(Json::object());
}

Json message_body(const ChatMessage& message) {
  Json body = {{"role", role_name(message.role)}, {"content", message.text}};
  if (message.role == Role::Tool) body["tool_call_id"] = message.tool_call_id;
  for (const ChatToolCall& call : message.tool_calls) {
    body["tool_calls"].push_back(
        {{"id", call.id},
         {"type", "function"},
         {"function", {{"name", call.name}, {"arguments", call.arguments}}}});
  }
  if (!message.tool_calls.empty() && message.text.empty()) {
    body["content"] = nullptr;
  }
  return body;
}

void add_tools(const ChatRequest& request, Json& body) {
  for (const ChatTool& tool : request.tools) {
    body["tools"].push_back(
        {{"type", "function"},
         {"function",
          {{"name", tool.name},
           {"description", tool.description},
           {"parameters", schema_value(tool.parameters)}}}});
  }
  if (!request.tools.empty() && request.tool_choice != ToolChoice::Auto) {
    body["tool_choice"] =
        request.tool_choice == ToolChoice::None ? "none" : "required";
  }
  if (request.response_schema) {
    body["response_format"] = {
        {"type", "json_schema"},
        {"json_schema",
         {{"name", request.response_schema->name},
          {"strict", true},
          {"schema", schema_value(request.response_schema->schema)}}}};
  }
}

// nullopt for a count that is not plausible.
std::optional<std::int64_t> token_count(const Json& json) {
  constexpr std::int64_t kMax = 1'000'000'000;
  if (!json.is_number()) return std::nullopt;
  const auto count = json.get<double>();
  if (!(count >= 0 && count <= kMax)) return std::nullopt;
  return static_cast<std::int64_t>(count);
}

}  // namespace

std::string chat_body(const ChatRequest& request,
                      const ChatBodyOptions& options) {
  Json messages = Json::array();
  for (const ChatMessage& message : request.messages) {
    messages.push_back(message_body(message));
  }
  Json body = {{"model", options.model}, {"messages", std::move(messages)}};
  body[options.limit_name == LimitName::MaxTokens ? "max_tokens"
                                                  : "max_completion_tokens"] =
      request.max_tokens;
  if (request.temperature) body["temperature"] = *request.temperature;
  if (request.seed) body["seed"] = *request.seed;
  if (!request.stop.empty()) body["stop"] = request.stop;
  add_tools(request, body);
  if (options.streams) {
    body["stream"] = true;
    body["stream_options"] = {{"include_usage", true}};
  }
  return dump_json(body);
}

std::optional<TokenUsage> read_usage(const Json& reply) {
  const Json& usage = member(reply, "usage");
  const auto in = token_count(member(usage, "prompt_tokens"));
  const Json& completion = member(usage, "completion_tokens");
  // Embedding replies have no completion_tokens.
  const auto out = completion.is_null() ? 0 : token_count(completion);
  if (!in || !out) return std::nullopt;
  return TokenUsage{.tokens_in = *in, .tokens_out = *out};
}

Result<WireReply> parse_chat_reply(std::string_view body) {
  const auto json = parse_json(body, kLimits);
  if (!json) return invalid_answer("not JSON", body);
  if (!member(*json, "error").is_null()) {
    return Error(ErrorCode::Unavailable,
                 "The model server reports an error: " + server_words(body));
  }
  const Json& choices = member(*json, "choices");
  if (!choices.is_array() || choices.empty()) {
    return invalid_answer("it has no choices", body);
  }
  const Json& message = member(choices[0], "message");
  if (!message.is_object()) {
    return invalid_answer("its choice has no message", body);
  }
  WireReply reply{.text = content_text(member(message, "content")),
                  .tool_calls = read_tool_calls(message),
                  .refusal = refusal_text(message),
                  .finish = finish_named(member(choices[0], "finish_reason")),
                  .usage = read_usage(*json)};
  number_calls(reply.tool_calls);
  return reply;
}

bool ChatStream::feed(std::string_view bytes) {
  // Some servers ignore "stream" and send one JSON object, which starts with
  // '{'.
  if (!is_whole_) {
    const auto first = bytes.find_first_not_of(" \t\r\n");
    if (first == std::string_view::npos) return true;
    is_whole_ = bytes[first] == '{';
  }
  if (*is_whole_) {
    whole_ += bytes;
    return true;
  }
  for (const std::string& data : events_.feed(bytes)) {
    if (data == "[DONE]") {
      has_finished_ = true;
      return false;
    }
    if (auto outcome = take_event(data); !outcome) {
      failure_ = outcome.error();
      return false;
    }
  }
  return true;
}

Result<void> ChatStream::take_event(const std::string& data) {
  const auto json = parse_json(data, kLimits);
  if (!json) return invalid_answer("an event is not JSON", data);
  if (!member(*json, "error").is_null()) {
    return Error(ErrorCode::Unavailable,
                 "The model server reports an error: " + server_words(data));
  }
  if (const auto usage = read_usage(*json)) reply_.usage = usage;
  const Json& choices = member(*json, "choices");
  if (choices.is_array() && !choices.empty()) take_choice(choices[0]);
  return {};
}

void ChatStream::take_choice(const Json& choice) {
  const Json& delta = member(choice, "delta");
  reply_.refusal += refusal_text(delta);
  if (const auto piece = content_text(member(delta, "content"));
      piece && !piece->empty()) {
    text_ += *piece;
    on_text_(*piece);
  }
  take_tool_calls(member(delta, "tool_calls"));
  const Json& reason = member(choice, "finish_reason");
  if (reason.is_null()) return;
  reply_.finish = finish_named(reason);
  has_finished_ = true;
}

// The name and the id come with the first piece of a call; the arguments arrive
// in pieces. Calls are told apart by their index.
void ChatStream::take_tool_calls(const Json& calls) {
  constexpr std::size_t kMaxCalls = 128;
  if (!calls.is_array()) return;
  for (const Json& piece : calls) {
    const Json& given = member(piece, "index");
    const std::size_t index = given.is_number_unsigned()
                                  ? given.get<std::size_t>()
                                  : reply_.tool_calls.size();
    if (index >= kMaxCalls) continue;
    if (index >= reply_.tool_calls.size()) reply_.tool_calls.resize(index + 1);
    ChatToolCall& call = reply_.tool_calls[index];
    const Json& function = member(piece, "function");
    if (call.id.empty()) call.id = text_member(piece, "id");
    call.name += text_member(function, "name");
    call.arguments += arguments_text(member(function, "arguments"));
  }
}

Result<WireReply> ChatStream::finish_whole() {
  auto reply = parse_chat_reply(whole_);
  if (reply && reply->text) on_text_(*reply->text);
  return reply;
}

Result<WireReply> ChatStream::finish() {
  if (is_whole_.value_or(false)) return finish_whole();
  for (const std::string& data : events_.finish()) {
    if (failure_ || has_finished_) break;
    if (data == "[DONE]") {
      has_finished_ = true;
    } else if (auto outcome = take_event(data); !outcome) {
      failure_ = outcome.error();
    }
  }
  if (failure_) return *failure_;
  if (!has_finished_) {
    return Error(
        ErrorCode::Unavailable,
        "The model server closed the stream before the answer was complete.");
  }
  if (!text_.empty()) reply_.text = std::move(text_);
  number_calls(reply_.tool_calls);
  return std::move(reply_);
}

}  // namespace lamarck::llm::internal
