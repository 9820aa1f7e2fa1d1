#include "lamarck/server/mcp/internal/mcp_message.h"

#include <algorithm>
#include <utility>
#include <nlohmann/json.hpp>

#include "lamarck/base/json_quote.h"

namespace lamarck::mcp {
namespace {

const Json& empty_object() {
  static const Json kEmpty = Json::object();
  return kEmpty;
}

bool is_id(const Json& id) { return id.is_string() || id.is_number_integer(); }

McpRefusal refusal(std::string id, int code, std::string message) {
  return {std::move(id), {code, std::move(message), ""}};
}

}  // namespace

std::variant<McpMessage, McpRefusal> read_message(Json json) {
  if (!json.is_object()) {
    return refusal("", kInvalidRequest, "A message must be a JSON object.");
  }
  McpMessage message;
  const Json* id = find_member(json, "id");
  if (id != nullptr && is_id(*id)) message.id = dump_json(*id);
  const std::string* version = find_string(json, "jsonrpc");
  if (version == nullptr || *version != "2.0") {
    return refusal(message.id, kInvalidRequest,
                   R"(A message must have the member "jsonrpc": "2.0".)");
  }
  if (id != nullptr && message.id.empty()) {
    return refusal("", kInvalidRequest,
                   "The id of a request must be a string or an integer.");
  }
  if (json.contains("method")) {
    const std::string* method = find_string(json, "method");
    if (method == nullptr) {
      return refusal(message.id, kInvalidRequest, "method must be a string.");
    }
    message.method = *method;
    message.kind = id != nullptr ? McpMessage::Kind::Request
                                 : McpMessage::Kind::Notification;
  } else if (json.contains("result") || json.contains("error")) {
    message.kind = McpMessage::Kind::Response;
  } else {
    return refusal(message.id, kInvalidRequest,
                   "A message must have a method, a result or an error.");
  }
  auto owned = std::make_shared<const Json>(std::move(json));
  const Json* params = find_member(*owned, "params");
  if (params != nullptr && !params->is_object()) {
    return refusal(message.id, kInvalidParams, "params must be an object.");
  }
  message.params = params != nullptr ? params : &empty_object();
  message.json = std::move(owned);
  return message;
}

std::string json_quoted(std::string_view text) { return quote_json(text); }

std::string result_message(std::string_view id, std::string_view result) {
  std::string text;
  text.reserve(id.size() + result.size() + 40);
  text.append(R"({"jsonrpc":"2.0","id":)").append(id);
  text.append(R"(,"result":)").append(result).append("}");
  return text;
}

std::string failure_object(const Failure& failure) {
  std::string text = R"({"code":)" + std::to_string(failure.code) +
                     R"(,"message":)" + json_quoted(failure.message);
  if (!failure.data.empty()) text += R"(,"data":)" + failure.data;
  return text + "}";
}

std::string error_message(std::string_view id, const Failure& failure) {
  std::string text = R"({"jsonrpc":"2.0",)";
  if (!id.empty()) text.append(R"("id":)").append(id).append(",");
  return text + R"("error":)" + failure_object(failure) + "}";
}

std::string request_message(std::string_view id, std::string_view method,
                            std::string_view params) {
  std::string text = R"({"jsonrpc":"2.0","id":)";
  text.append(id).append(R"(,"method":)").append(json_quoted(method));
  if (!params.empty()) text.append(R"(,"params":)").append(params);
  return text + "}";
}

std::string notification_message(std::string_view method,
                                 std::string_view params) {
  std::string text = R"({"jsonrpc":"2.0","method":)" + json_quoted(method);
  if (!params.empty()) text.append(R"(,"params":)").append(params);
  return text + "}";
}

const Json* find_member(const Json& json, std::string_view name) {
  if (!json.is_object()) return nullptr;
  const auto found = json.find(name);
  return found == json.end() ? nullptr : &*found;
}

const std::string* find_string(const Json& json, std::string_view name) {
  const Json* member = find_member(json, name);
  return member == nullptr ? nullptr : member->get_ptr<const std::string*>();
}

std::string on_one_line(std::string json_text) {
  // Line ends inside JSON strings are escaped, so every raw one is between
  // tokens.
  for (const char end : {'\n', '\r'}) {
    const std::size_t first = json_text.find(end);
    if (first == std::string::npos) continue;
    std::replace(json_text.begin() + static_cast<std::ptrdiff_t>(first),
                 json_text.end(), end, ' ');
  }
  return json_text;
}

}  // namespace lamarck::mcp
