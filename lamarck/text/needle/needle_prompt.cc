#include "lamarck/text/needle/needle_prompt.h"

#include <algorithm>
#include <optional>
#include <nlohmann/json.hpp>

#include "lamarck/base/ascii.h"
#include "lamarck/base/json.h"
#include "lamarck/base/macros.h"
#include "lamarck/base/one_line.h"

namespace lamarck::text {
namespace {

bool is_upper(char c) { return c >= 'A' && c <= 'Z'; }
bool is_lower(char c) { return c >= 'a' && c <= 'z'; }

// More is never within the model's limit of tokens; checked before anything is
// computed from it.
constexpr std::size_t kMaxPromptBytes = 32 << 10;
constexpr std::size_t kMaxResult = 300;  // Characters of a result in the query.

std::string json_text(std::string_view text) {
  return dump_json(Json(std::string(text)));
}

// Parameters as the training data has them: a flat object.
std::string parameters_text(const Json& schema) {
  std::string text;
  const Json properties =
      schema.is_object() ? schema.value("properties", Json::object()) : Json();
  const Json required = schema.is_object()
                            ? schema.value("required", Json::array())
                            : Json::array();
  if (!properties.is_object()) return "{}";
  for (const auto& [name, given] : properties.items()) {
    if (!given.is_object()) continue;
    const Json type = given.value("type", Json("string"));
    const Json description = given.value("description", Json(""));
    const bool is_required =
        required.is_array() && std::find(required.begin(), required.end(),
                                         Json(name)) != required.end();
    std::string one = R"({"type":)" + dump_json(type);
    if (description.is_string() && !description.get<std::string>().empty()) {
      one += R"(,"description":)" + dump_json(description);
    }
    if (given.contains("enum")) one += R"(,"enum":)" + dump_json(given["enum"]);
    one += R"(,"required":)" + std::string(is_required ? "true}" : "false}");
    text += (text.empty() ? "" : ",") + json_text(name) + ":" + one;
  }
  return "{" + text + "}";
}

// The data in a result, without the wrapper that marks it as untrusted.
Json result_data(const std::string& text) {
  auto json = parse_json(text, {.depth = 64});
  if (!json) return Json(text);
  if (json->is_object() && json->size() == 1 &&
      json->contains("untrusted_result")) {
    return (*json)["untrusted_result"];
  }
  return *json;
}

}  // namespace

std::string snake_case(std::string_view name) {
  std::string text;
  for (std::size_t i = 0; i < name.size(); ++i) {
    const char c = name[i];
    const bool is_word = is_lower(c) || is_upper(c) || ascii::is_digit(c);
    const bool starts_word =
        i > 0 && is_upper(c) &&
        (is_lower(name[i - 1]) || ascii::is_digit(name[i - 1]) ||
         (i + 1 < name.size() && is_upper(name[i - 1]) &&
          is_lower(name[i + 1])));
    if ((starts_word || !is_word) && !text.empty() && !text.ends_with('_')) {
      text += '_';
    }
    if (is_word) text += ascii::lower(c);
  }
  while (text.ends_with('_')) text.pop_back();
  return text.empty() ? "tool" : text;
}

Result<NeedlePrompt> make_needle_prompt(const llm::ChatRequest& request) {
  if (request.tools.empty() || request.tool_choice == llm::ToolChoice::None) {
    return invalid_argument(
        "Needle only calls tools: send at least one tool, and tool_choice "
        "\"auto\" or \"required\".");
  }
  if (request.response_schema) {
    return invalid_argument(
        "Needle only calls tools and cannot answer with a JSON schema; leave "
        "out response_format.");
  }
  NeedlePrompt prompt;
  ValueLiterals literals;
  const auto last =
      std::find_if(request.messages.rbegin(), request.messages.rend(),
                   [](const auto& one) { return one.role == llm::Role::User; });
  if (last == request.messages.rend()) {
    return invalid_argument("Needle needs a message of the user.");
  }
  prompt.query = last->text;
  std::vector<Json> results;
  for (auto message = last.base(); message != request.messages.end();
       ++message) {
    if (message->role != llm::Role::Tool) continue;
    results.push_back(result_data(message->text));
    prompt.query +=
        " Result: " + one_line(dump_json(results.back()), kMaxResult);
  }
  std::vector<Json> schemas;    // Of the callable tools.
  std::optional<Error> reason;  // Why the first unusable tool is left out.
  for (const llm::ChatTool& tool : request.tools) {
    auto schema = parse_json(tool.parameters, {.depth = 64});
    if (!schema || !schema->is_object()) {
      return invalid_argument("The parameters of the tool " +
                              in_quotes(tool.name) +
                              " must be a JSON Schema object.");
    }
    std::string name = snake_case(tool.name);
    const auto is_taken = [&](const std::string& one) {
      return std::ranges::find(prompt.callable, one, &CallTool::name) !=
             prompt.callable.end();
    };
    for (int i = 2; is_taken(name); ++i) {
      name = snake_case(tool.name) + "_" + std::to_string(i);
    }
    auto callable = make_call_tool(name, *schema, {});
    if (!callable) {
      if (!reason) reason = callable.error();
      continue;
    }
    schemas.push_back(std::move(*schema));
    prompt.tools += (prompt.tools.empty() ? "[" : ",") +
                    (R"({"name":)" + json_text(name)) + R"(,"description":)" +
                    json_text(tool.description) + R"(,"parameters":)" +
                    parameters_text(schemas.back()) + "}";
    prompt.callable.push_back(std::move(*callable));
    prompt.names.push_back(tool.name);
  }
  if (prompt.callable.empty()) return *reason;
  prompt.tools += "]";
  const std::size_t size = prompt.query.size() + prompt.tools.size();
  if (size > kMaxPromptBytes) {
    return invalid_argument("Needle reads at most " +
                            std::to_string(kMaxPromptBytes) +
                            " bytes of the request and its tools, got " +
                            std::to_string(size) + ".");
  }
  literals.add_request(last->text);
  for (const Json& result : results) literals.add_result(result);
  for (std::size_t i = 0; i < schemas.size(); ++i) {
    ASSIGN_OR_RETURN(prompt.callable[i], make_call_tool(prompt.callable[i].name,
                                                        schemas[i], literals));
  }
  return prompt;
}

}  // namespace lamarck::text
