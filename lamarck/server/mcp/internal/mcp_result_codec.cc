#include "lamarck/server/mcp/internal/mcp_result_codec.h"

#include <utility>
#include <nlohmann/json.hpp>

namespace lamarck::mcp {
namespace {

constexpr std::string_view kStructured = R"("structuredContent":)";

// The text between the braces of an object.
std::string_view members_of(std::string_view object) {
  const std::size_t open = object.find('{');
  const std::size_t close = object.rfind('}');
  if (open == std::string_view::npos || close <= open) return "";
  object = object.substr(open + 1, close - open - 1);
  const std::size_t first = object.find_first_not_of(' ');
  return first == std::string_view::npos ? "" : object.substr(first);
}

void append_member(std::string& text, std::string_view members) {
  if (members.empty()) return;
  if (!text.ends_with('{')) text += ',';
  text += members;
}

// The slow path, for results that have their own _meta.
std::string merged_meta(const std::string& result, std::string_view meta) {
  auto object = parse_json(result);
  const auto added = parse_json("{" + std::string(meta) + "}");
  if (!object.has_value() || !object->is_object() || !added.has_value()) {
    return result;
  }
  // modern_result() adds it again as the first member.
  object->erase("resultType");
  if (!object->contains("_meta")) (*object)["_meta"] = Json::object();
  (*object)["_meta"].update(added->value("_meta", Json::object()));
  return dump_json(*object);
}

Json known_block(Json block, std::string_view version) {
  const std::string* type = find_string(block, "type");
  if (type == nullptr) return block;
  if (*type == "resource_link" && version < "2025-06-18") {
    return {{"type", "text"},
            {"text", block.value("name", "") + ": " + block.value("uri", "")}};
  }
  // Old clients read embedded resources, but not audio blocks.
  if (*type == "audio" && version < "2025-03-26") {
    return {{"type", "resource"},
            {"resource",
             {{"uri", "content://audio"},
              {"mimeType", block.value("mimeType", "")},
              {"blob", block.value("data", "")}}}};
  }
  return block;
}

void downgrade_content(Json& object, std::string_view version) {
  if (!object.contains("content")) return;
  Json& content = object["content"];
  if (content.is_object()) content = known_block(std::move(content), version);
  if (!content.is_array()) return;
  for (Json& block : content) block = known_block(std::move(block), version);
}

void downgrade_structured(Json& object) {
  const Json* structured = find_member(object, "structuredContent");
  if (structured == nullptr || structured->is_object()) return;
  if (!object.contains("content") || object["content"].empty()) {
    object["content"] =
        Json::array({{{"type", "text"}, {"text", dump_json(*structured)}}});
  }
  object.erase("structuredContent");
}

// A text search avoids parsing most results. It may report a false positive,
// which only costs time.
bool has_scalar_structure(std::string_view result) {
  const std::size_t at = result.find(kStructured);
  if (at == std::string_view::npos) return false;
  const std::size_t value =
      result.find_first_not_of(" \t", at + kStructured.size());
  return value == std::string_view::npos || result[value] != '{';
}

bool may_need_downgrade(std::string_view result, std::string_view version) {
  if (has_scalar_structure(result)) return true;
  return version < "2025-06-18" &&
         (result.find(R"("resource_link")") != std::string_view::npos ||
          result.find(R"("audio")") != std::string_view::npos);
}

bool has_array(const Json& json, std::string_view name) {
  const Json* member = find_member(json, name);
  return member != nullptr && member->is_array();
}

}  // namespace

std::string modern_result(std::string result, std::string_view hints,
                          std::string_view meta) {
  result = on_one_line(std::move(result));
  if (result.find(R"("_meta")") != std::string::npos) {
    result = merged_meta(result, meta);
    if (result.find(R"("_meta")") != std::string::npos) meta = "";
  }
  std::string text;
  text.reserve(result.size() + hints.size() + meta.size() + 32);
  text = R"({"resultType":"complete")";
  append_member(text, members_of(result));
  append_member(text, hints);
  append_member(text, meta);
  text += '}';
  return text;
}

std::string legacy_result(std::string result, std::string_view version) {
  result = on_one_line(std::move(result));
  if (!may_need_downgrade(result, version)) return result;
  auto object = parse_json(result);
  if (!object.has_value() || !object->is_object()) return result;
  downgrade_structured(*object);
  downgrade_content(*object, version);
  if (has_array(*object, "messages")) {
    for (Json& message : (*object)["messages"]) {
      if (message.is_object()) downgrade_content(message, version);
    }
  }
  return dump_json(*object);
}

std::string input_requests_object(
    const std::map<std::string, InputRequest>& requests) {
  std::string text = "{";
  for (const auto& [key, request] : requests) {
    if (text.size() > 1) text += ',';
    text += json_quoted(key) + R"(:{"method":)" + json_quoted(request.method);
    text += R"(,"params":)" +
            (request.params.empty() ? "{}" : on_one_line(request.params)) + "}";
  }
  return text + "}";
}

std::string input_required_result(const InputRequired& required,
                                  std::string_view state,
                                  std::string_view meta) {
  std::string text = R"({"resultType":"input_required")";
  if (!required.requests.empty()) {
    text += R"(,"inputRequests":)" + input_requests_object(required.requests);
  }
  if (!state.empty()) text += R"(,"requestState":)" + json_quoted(state);
  append_member(text, meta);
  return text + "}";
}

bool is_answer_to(const Json& answer, std::string_view method) {
  const bool is_any = method.empty();
  if (is_any || method == "elicitation/create") {
    const std::string* action = find_string(answer, "action");
    if (action != nullptr &&
        (*action == "accept" || *action == "decline" || *action == "cancel")) {
      return true;
    }
  }
  if (is_any || method == "sampling/createMessage") {
    const Json* content = find_member(answer, "content");
    if (find_string(answer, "role") != nullptr && content != nullptr &&
        (content->is_object() || content->is_array())) {
      return true;
    }
  }
  return (is_any || method == "roots/list") && has_array(answer, "roots");
}

}  // namespace lamarck::mcp
