// The methods that call handlers: tools, resources, prompts and completions.

#include <algorithm>
#include <map>
#include <optional>
#include <utility>
#include <nlohmann/json.hpp>

#include "lamarck/base/one_line.h"
#include "lamarck/net/base64.h"
#include "lamarck/schema/lenient_arguments.h"
#include "lamarck/server/mcp/internal/mcp_bad_params.h"
#include "lamarck/server/mcp/internal/mcp_core.h"
#include "lamarck/server/mcp/internal/mcp_headers.h"
#include "lamarck/server/mcp/internal/mcp_resource_failure.h"
#include "lamarck/server/mcp/internal/mcp_result_codec.h"

namespace lamarck::mcp {
namespace {

constexpr std::string_view kReadHints = R"("ttlMs":0,"cacheScope":"private")";
constexpr std::size_t kMaxCompletions = 100;

const Json& empty_arguments() {
  static const Json kEmpty = Json::object();
  return kEmpty;
}

// The arguments of a call, {} if absent; null if they are not an object.
const Json* find_arguments(const McpCall& call) {
  const Json* arguments = find_member(*call.message().params, "arguments");
  if (arguments == nullptr || arguments->is_null()) return &empty_arguments();
  return arguments->is_object() ? arguments : nullptr;
}

// nullopt unless every member is a string.
std::optional<std::map<std::string, std::string>> read_strings(
    const Json& object) {
  std::map<std::string, std::string> strings;
  if (!object.is_object()) return std::nullopt;
  for (const auto& [name, value] : object.items()) {
    if (!value.is_string()) return std::nullopt;
    strings[name] = value.get<std::string>();
  }
  return strings;
}

// The error result for arguments that violate the schema. A model reads it and
// can correct itself, which it cannot after a JSON-RPC error. Structured if the
// output schema of the tool allows it.
Complete bad_arguments(const CatalogTool& tool,
                       const std::vector<schema::Violation>& violations) {
  std::string text = "Invalid arguments for " + tool.tool->name + ":";
  Json list = Json::array();
  for (const schema::Violation& violation : violations) {
    text += (violation.instance_path.empty()
                 ? " "
                 : " " + violation.instance_path + ": ") +
            violation.message;
    list.push_back(
        {{"path", violation.instance_path}, {"message", violation.message}});
  }
  if (!tool.output.has_value()) return tool_error(text);
  const Json structured = {{"error",
                            {{"code", "invalid_argument"},
                             {"message", text},
                             {"violations", std::move(list)}}}};
  const auto wrong = tool.output->validate(structured);
  if (!wrong.has_value() || !wrong->empty()) return tool_error(text);
  return {R"({"content":[{"type":"text","text":)" + json_quoted(text) +
          R"(}],"structuredContent":)" + dump_json(structured) +
          R"(,"isError":true})"};
}

// The arguments under their own names; nullopt if no alias is used. An alias
// next to the name itself stays, and the schema decides about it.
std::optional<Json> renamed_arguments(const Tool& tool, const Json& arguments) {
  std::optional<Json> renamed;
  for (const auto& [alias, name] : tool.aliases) {
    const auto found = arguments.find(alias);
    if (found == arguments.end()) continue;
    const auto own = arguments.find(name);
    if (own != arguments.end() && *own != *found) continue;
    if (!renamed) renamed = arguments;
    (*renamed)[name] = *found;
    renamed->erase(alias);
  }
  return renamed;
}

Outcome checked_call(const CatalogTool& tool, CallContext& context,
                     const Json& given) {
  const std::optional<Json> renamed = renamed_arguments(*tool.tool, given);
  const Json& arguments = renamed ? *renamed : given;
  for (const auto& [alias, name] : tool.tool->aliases) {
    if (!arguments.contains(alias)) continue;
    return bad_arguments(
        tool, {{.instance_path = "/" + alias,
                .message = "It is another name of " + in_quotes(name) +
                           " and must have the same value; give only one."}});
  }
  auto violations = tool.input.validate(arguments);
  if (violations.has_value() && violations->empty()) {
    return tool.tool->call(context, arguments);
  }
  // Models often send numbers or objects as strings; convert them if the schema
  // allows no string there.
  const Json converted = schema::lenient_arguments(arguments, *tool.input_json);
  if (converted != arguments) violations = tool.input.validate(converted);
  if (!violations.has_value()) return tool_error(violations.error().message());
  if (!violations->empty()) return bad_arguments(tool, *violations);
  return tool.tool->call(context, converted);
}

Outcome read_source(const CatalogSource& source, CallContext& context,
                    const std::string& uri) {
  const auto text = source.resource != nullptr
                        ? source.resource->read(context)
                        : source.family->read(context, source.values);
  if (!text.has_value()) {
    return resource_failure(context.era(), text.error(), uri);
  }
  std::string result = R"({"contents":[{"uri":)" + json_quoted(uri);
  if (!text->mime_type.empty()) {
    result += R"(,"mimeType":)" + json_quoted(text->mime_type);
  }
  result += text->is_blob
                ? R"(,"blob":")" + net::base64_encoded(text->text) + "\""
                : R"(,"text":)" + json_quoted(text->text);
  return Complete{result + "}]}"};
}

std::string completion_result(std::vector<std::string> values) {
  const std::size_t total = values.size();
  if (total > kMaxCompletions) values.resize(kMaxCompletions);
  return dump_json({{"completion",
                     {{"values", values},
                      {"total", total},
                      {"hasMore", total > kMaxCompletions}}}});
}

}  // namespace

bool McpCore::take_answers(McpCall& call) const {
  if (call.era() == Era::Legacy) return true;
  const Json& params = *call.message().params;
  const Json* answers = find_member(params, "inputResponses");
  if (answers != nullptr && answers->is_object()) {
    // Malformed answers are skipped, so that the handler asks again.
    InputAnswers taken;
    for (const auto& [key, answer] : answers->items()) {
      if (!is_answer_to(answer, "")) continue;
      taken[key] = std::shared_ptr<const Json>(call.message().json, &answer);
    }
    call.set_answers(std::move(taken));
  } else if (answers != nullptr && !answers->is_null()) {
    call.finish_failure(bad_params("inputResponses must be an object."));
    return false;
  }
  const Json* sealed = find_member(params, "requestState");
  if (sealed == nullptr) return true;
  const auto state =
      sealed->is_string()
          ? seal_.open(state_owner(call), sealed->get_ref<const std::string&>())
          : Result<std::string>(Error(ErrorCode::InvalidArgument,
                                      "requestState must be a string."));
  if (!state.has_value()) {
    call.finish_failure(bad_params(state.error().message()));
    return false;
  }
  call.set_state(*state);
  return true;
}

void McpCore::call_tool(const std::shared_ptr<McpCall>& call,
                        const net::HttpHeaders* headers) {
  const std::string* name = find_string(*call->message().params, "name");
  if (name == nullptr) {
    return call->finish_failure(missing_param("name", "a string"));
  }
  const Json* arguments = find_arguments(*call);
  if (arguments == nullptr) {
    return call->finish_failure(bad_params("arguments must be an object."));
  }
  const CatalogTool* tool = catalog_->find_tool(*name);
  if (tool == nullptr) {
    return call->finish_failure(bad_params("Unknown tool " + in_quotes(*name) +
                                           "; tools/list lists all tools."));
  }
  if (headers != nullptr) {
    const auto wrong = check_marked_headers(*headers, tool->marks, *arguments);
    if (wrong.has_value()) return call->finish_failure(*wrong);
  }
  if (!take_answers(*call)) return;
  // `arguments` points into the message, which the call keeps alive.
  HandlerRun run{call,
                 [tool, arguments](CallContext& context) {
                   return checked_call(*tool, context, *arguments);
                 },
                 "", tool};
  const bool is_here = tool->tool->is_nonblocking ||
                       (tool->tool->blocks_on_disk_only && call->may_block());
  if (is_here) {
    runner_.run_here(std::move(run));
  } else {
    runner_.run_elsewhere(std::move(run));
  }
}

void McpCore::read_resource(const std::shared_ptr<McpCall>& call) {
  const std::string* uri = find_string(*call->message().params, "uri");
  if (uri == nullptr) {
    return call->finish_failure(missing_param("uri", "a string"));
  }
  auto source = catalog_->find_source(*uri);
  if (!source.has_value()) {
    return call->finish_failure(unknown_resource(call->era(), *uri));
  }
  if (!take_answers(*call)) return;
  runner_.run_elsewhere(
      {call,
       [source = *std::move(source), uri](CallContext& context) {
         return read_source(source, context, *uri);
       },
       kReadHints, nullptr});
}

void McpCore::render_prompt(const std::shared_ptr<McpCall>& call) {
  const std::string* name = find_string(*call->message().params, "name");
  if (name == nullptr) {
    return call->finish_failure(missing_param("name", "a string"));
  }
  const Prompt* prompt = catalog_->find_prompt(*name);
  if (prompt == nullptr) {
    return call->finish_failure(
        bad_params("Unknown prompt " + in_quotes(*name) +
                   "; prompts/list lists all prompts."));
  }
  const Json* given = find_arguments(*call);
  auto arguments = given == nullptr ? std::nullopt : read_strings(*given);
  if (!arguments.has_value()) {
    return call->finish_failure(
        bad_params("The arguments of a prompt must be strings."));
  }
  for (const PromptArgument& argument : prompt->arguments) {
    if (argument.required && !arguments->contains(argument.name)) {
      return call->finish_failure(bad_params("The prompt " + in_quotes(*name) +
                                             " needs the argument " +
                                             in_quotes(argument.name) + "."));
    }
  }
  if (!take_answers(*call)) return;
  runner_.run_elsewhere(
      {call,
       [prompt, arguments = *std::move(arguments)](CallContext& context) {
         return prompt->render(context, arguments);
       },
       "", nullptr});
}

void McpCore::complete_argument(const std::shared_ptr<McpCall>& call) {
  const Json& params = *call->message().params;
  const Json* ref = find_member(params, "ref");
  const Json* argument = find_member(params, "argument");
  const std::string* type =
      ref == nullptr ? nullptr : find_string(*ref, "type");
  const bool is_prompt = type != nullptr && *type == "ref/prompt";
  const std::string* of =
      type == nullptr ? nullptr : find_string(*ref, is_prompt ? "name" : "uri");
  const std::string* name =
      argument == nullptr ? nullptr : find_string(*argument, "name");
  const std::string* value =
      argument == nullptr ? nullptr : find_string(*argument, "value");
  if (of == nullptr || name == nullptr || value == nullptr ||
      (!is_prompt && *type != "ref/resource")) {
    return call->finish_failure(
        bad_params("A completion needs ref (a prompt or a resource template) "
                   "and argument {name, value}."));
  }
  const bool is_known = is_prompt ? catalog_->find_prompt(*of) != nullptr
                                  : catalog_->find_template(*of) != nullptr ||
                                        catalog_->find_source(*of).has_value();
  if (!is_known) {
    return call->finish_failure(
        bad_params("Unknown prompt or resource " + in_quotes(*of) + "."));
  }
  // A known reference without a completer gets an empty list, not an error.
  const Completer* completer = catalog_->find_completer(*of, *name);
  const Json* context = find_member(params, "context");
  const Json* known =
      context == nullptr ? nullptr : find_member(*context, "arguments");
  runner_.run_elsewhere(
      {call,
       [completer, value, known](CallContext&) -> Outcome {
         if (completer == nullptr) return Complete{completion_result({})};
         auto others = known == nullptr ? std::nullopt : read_strings(*known);
         return Complete{completion_result(completer->complete(
             *value, others.value_or(std::map<std::string, std::string>{})))};
       },
       "", nullptr});
}

}  // namespace lamarck::mcp
