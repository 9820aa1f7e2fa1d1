#include "lamarck/cli/models/chat_completions.h"

#include <nlohmann/json.hpp>

#include "lamarck/base/macros.h"
#include "lamarck/base/one_line.h"

namespace lamarck::cli {
namespace {

constexpr std::size_t kMaxMessages = 1000;
constexpr std::size_t kMaxTools = 512;

Result<std::vector<Json>> read_list(const Json& root, std::string_view name,
                                    std::size_t max) {
  const Json list = root.value(std::string(name), Json::array());
  if (list.is_null()) return std::vector<Json>{};
  if (!list.is_array() || list.size() > max) {
    return invalid_argument(std::string(name) + " must be a list of at most " +
                            std::to_string(max) + " objects.");
  }
  for (const Json& one : list) {
    if (!one.is_object()) {
      return invalid_argument(std::string(name) + " must contain objects.");
    }
  }
  return list.get<std::vector<Json>>();
}

// A text, null, or a list of parts of which all must be texts.
Result<std::string> read_content(const Json& message) {
  const Json content = message.value("content", Json());
  if (content.is_null()) return std::string();
  if (content.is_string()) return content.get<std::string>();
  ASSIGN_OR_RETURN(const auto parts, read_list(message, "content", 1000));
  std::string text;
  for (const Json& part : parts) {
    ASSIGN_OR_RETURN(const auto type, json_field<std::string>(part, "type"));
    if (type != "text") {
      return invalid_argument("content must be text; parts of type " +
                              in_quotes(type) + " are not supported.");
    }
    ASSIGN_OR_RETURN(const auto piece, json_field<std::string>(part, "text"));
    text += piece;
  }
  return text;
}

Result<llm::ChatMessage> read_message(const Json& json) {
  llm::ChatMessage message;
  ASSIGN_OR_RETURN(const auto role, json_field<std::string>(json, "role"));
  if (role == "system" || role == "developer") {
    message.role = llm::Role::System;
  } else if (role == "user") {
    message.role = llm::Role::User;
  } else if (role == "assistant") {
    message.role = llm::Role::Assistant;
  } else if (role == "tool") {
    message.role = llm::Role::Tool;
  } else {
    return invalid_argument(
        "role must be system, user, assistant or tool, got " + in_quotes(role) +
        ".");
  }
  ASSIGN_OR_RETURN(message.text, read_content(json));
  ASSIGN_OR_RETURN(message.tool_call_id,
                   json_field_or<std::string>(json, "tool_call_id", ""));
  ASSIGN_OR_RETURN(const auto calls, read_list(json, "tool_calls", kMaxTools));
  for (const Json& call : calls) {
    ASSIGN_OR_RETURN(const auto function, json_field<Json>(call, "function"));
    llm::ChatToolCall one;
    ASSIGN_OR_RETURN(one.id, json_field_or<std::string>(call, "id", ""));
    ASSIGN_OR_RETURN(one.name, json_field<std::string>(function, "name"));
    ASSIGN_OR_RETURN(one.arguments,
                     json_field_or<std::string>(function, "arguments", "{}"));
    message.tool_calls.push_back(std::move(one));
  }
  return message;
}

Result<llm::ChatTool> read_tool(const Json& json) {
  ASSIGN_OR_RETURN(const auto type,
                   json_field_or<std::string>(json, "type", "function"));
  if (type != "function") {
    return invalid_argument("The type of a tool must be function, got " +
                            in_quotes(type) + ".");
  }
  ASSIGN_OR_RETURN(const auto function, json_field<Json>(json, "function"));
  if (!function.is_object()) {
    return invalid_argument("The function of a tool must be an object.");
  }
  llm::ChatTool tool;
  ASSIGN_OR_RETURN(tool.name, json_field<std::string>(function, "name"));
  ASSIGN_OR_RETURN(tool.description,
                   json_field_or<std::string>(function, "description", ""));
  tool.parameters =
      dump_json(function.value("parameters", Json{{"type", "object"}}));
  return tool;
}

// A choice of one tool leaves only that one.
Result<void> read_choice(const Json& root, llm::ChatRequest& chat) {
  const Json choice = root.value("tool_choice", Json("auto"));
  if (choice == "auto" || choice.is_null()) return {};
  if (choice == "none") {
    chat.tool_choice = llm::ToolChoice::None;
    return {};
  }
  chat.tool_choice = llm::ToolChoice::Required;
  if (choice == "required") return {};
  const Json function =
      choice.is_object() ? choice.value("function", Json()) : Json();
  const Json name =
      function.is_object() ? function.value("name", Json()) : Json();
  if (!name.is_string()) {
    return invalid_argument(
        "tool_choice must be auto, none, required or a function with its "
        "name.");
  }
  std::erase_if(chat.tools,
                [&](const llm::ChatTool& tool) { return name != tool.name; });
  if (!chat.tools.empty()) return {};
  return invalid_argument("tool_choice must be one of the tools, got " +
                          in_quotes(name.get<std::string>()) + ".");
}

Result<void> read_format(const Json& root, llm::ChatRequest& chat) {
  const Json format = root.value("response_format", Json());
  if (format.is_null()) return {};
  ASSIGN_OR_RETURN(const auto type, json_field<std::string>(format, "type"));
  if (type == "text") return {};
  const Json schema = format.value("json_schema", Json::object());
  chat.response_schema =
      llm::ResponseSchema{.name = type, .schema = dump_json(schema)};
  return {};
}

Json message_of(const llm::ChatReply& reply, bool is_delta) {
  Json message = {{"role", "assistant"},
                  {"content", reply.text.empty() && !reply.tool_calls.empty()
                                  ? Json()
                                  : Json(reply.text)}};
  std::size_t index = 0;
  for (const llm::ChatToolCall& call : reply.tool_calls) {
    Json one = {
        {"id", call.id},
        {"type", "function"},
        {"function", {{"name", call.name}, {"arguments", call.arguments}}}};
    if (is_delta) one["index"] = index++;
    message["tool_calls"].push_back(std::move(one));
  }
  return message;
}

std::string_view finish_name(llm::FinishReason reason) {
  switch (reason) {
    case llm::FinishReason::Length:
      return "length";
    case llm::FinishReason::ToolCalls:
      return "tool_calls";
    case llm::FinishReason::Other:
      return "content_filter";
    case llm::FinishReason::Stop:
      break;
  }
  return "stop";
}

Json usage_json(const llm::TokenUsage& usage) {
  return {{"prompt_tokens", usage.tokens_in},
          {"completion_tokens", usage.tokens_out},
          {"total_tokens", usage.total()}};
}

}  // namespace

Result<ChatCompletionRequest> parse_chat_completion(const std::string& body,
                                                    std::string_view model) {
  ASSIGN_OR_RETURN(const Json root, parse_json(body, {.depth = 64}));
  if (!root.is_object()) {
    return invalid_argument("The request must be a JSON object.");
  }
  ASSIGN_OR_RETURN(const auto wanted, json_field_or<std::string>(
                                          root, "model", std::string(model)));
  if (wanted != model) {
    return Error(ErrorCode::NotFound, "The model must be '" +
                                          std::string(model) + "', got " +
                                          in_quotes(wanted) + ".");
  }
  ChatCompletionRequest request;
  ASSIGN_OR_RETURN(const auto messages,
                   read_list(root, "messages", kMaxMessages));
  if (messages.empty()) {
    return invalid_argument("messages must have at least one message.");
  }
  for (const Json& message : messages) {
    ASSIGN_OR_RETURN(llm::ChatMessage one, read_message(message));
    request.chat.messages.push_back(std::move(one));
  }
  ASSIGN_OR_RETURN(const auto tools, read_list(root, "tools", kMaxTools));
  for (const Json& tool : tools) {
    ASSIGN_OR_RETURN(llm::ChatTool one, read_tool(tool));
    request.chat.tools.push_back(std::move(one));
  }
  RETURN_IF_ERROR(read_choice(root, request.chat));
  RETURN_IF_ERROR(read_format(root, request.chat));
  ASSIGN_OR_RETURN(const auto tokens,
                   json_field_or<std::int64_t>(root, "max_tokens", 2048));
  ASSIGN_OR_RETURN(
      request.chat.max_tokens,
      json_field_or<std::int64_t>(root, "max_completion_tokens", tokens));
  ASSIGN_OR_RETURN(const auto choices,
                   json_field_or<std::int64_t>(root, "n", 1));
  if (request.chat.max_tokens < 1 || choices != 1) {
    return invalid_argument("max_tokens must be at least 1, and n must be 1.");
  }
  ASSIGN_OR_RETURN(request.is_stream,
                   json_field_or<bool>(root, "stream", false));
  ASSIGN_OR_RETURN(const auto options,
                   json_field_or<Json>(root, "stream_options", Json::object()));
  ASSIGN_OR_RETURN(request.wants_usage,
                   json_field_or<bool>(options, "include_usage", false));
  return request;
}

Json chat_completion(const llm::ChatReply& reply,
                     const ChatCompletionHead& head) {
  return {{"id", head.id},
          {"object", "chat.completion"},
          {"created", head.created},
          {"model", head.model},
          {"choices",
           Json::array({{{"index", 0},
                         {"message", message_of(reply, false)},
                         {"finish_reason", finish_name(reply.finish)}}})},
          {"usage", usage_json(reply.usage)}};
}

std::string chat_completion_stream(const llm::ChatReply& reply,
                                   const ChatCompletionHead& head,
                                   bool wants_usage) {
  std::string text;
  const auto send = [&](Json choices, Json usage) {
    Json chunk = {{"id", head.id},
                  {"object", "chat.completion.chunk"},
                  {"created", head.created},
                  {"model", head.model},
                  {"choices", std::move(choices)}};
    if (!usage.is_null()) chunk["usage"] = std::move(usage);
    text += "data: " + dump_json(chunk) + "\n\n";
  };
  send(Json::array({{{"index", 0},
                     {"delta", message_of(reply, true)},
                     {"finish_reason", nullptr}}}),
       {});
  send(Json::array({{{"index", 0},
                     {"delta", Json::object()},
                     {"finish_reason", finish_name(reply.finish)}}}),
       {});
  if (wants_usage) send(Json::array(), usage_json(reply.usage));
  return text + "data: [DONE]\n\n";
}

}  // namespace lamarck::cli
