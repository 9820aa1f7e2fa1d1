#include "lamarck/server/internal/tool_arguments.h"

#include <nlohmann/json.hpp>

#include "lamarck/base/json_quote.h"

namespace lamarck::server {
namespace {

// Null if the member is missing or null.
const Json* member(const Json& arguments, std::string_view name) {
  const auto found = arguments.find(name);
  return found == arguments.end() || found->is_null() ? nullptr : &*found;
}

Json text_block(std::string text) {
  return {{"type", "text"}, {"text", std::move(text)}};
}

}  // namespace

std::string get_text(const Json& arguments, std::string_view name,
                     std::string_view otherwise) {
  const Json* found = member(arguments, name);
  return found == nullptr ? std::string(otherwise) : found->get<std::string>();
}

std::int64_t get_count(const Json& arguments, std::string_view name,
                       std::int64_t otherwise) {
  const Json* found = member(arguments, name);
  return found == nullptr ? otherwise : found->get<std::int64_t>();
}

double get_number(const Json& arguments, std::string_view name,
                  double otherwise) {
  const Json* found = member(arguments, name);
  return found == nullptr ? otherwise : found->get<double>();
}

bool get_flag(const Json& arguments, std::string_view name, bool otherwise) {
  const Json* found = member(arguments, name);
  return found == nullptr ? otherwise : found->get<bool>();
}

std::vector<std::string> get_texts(const Json& arguments,
                                   std::string_view name) {
  const Json* found = member(arguments, name);
  return found == nullptr ? std::vector<std::string>{}
                          : found->get<std::vector<std::string>>();
}

thought::Caller make_caller(const mcp::CallContext& context,
                            const Json& arguments) {
  thought::Caller caller;
  if (!context.principal().empty()) caller.node = context.principal();
  caller.node = get_text(arguments, "client", caller.node);
  caller.idempotency_key = get_text(arguments, "idempotency_key");
  return caller;
}

mcp::Outcome make_outcome(const Result<std::string>& answer) {
  if (!answer) return make_outcome(answer.error());
  // The answer is already JSON, so it is inserted without parsing it again.
  return mcp::Complete{R"({"content":[{"type":"text","text":)" +
                       quote_json(*answer) + R"(}],"structuredContent":)" +
                       *answer + "}"};
}

mcp::Outcome make_outcome(const Error& error) {
  Json content = Json::array({text_block(error.message())});
  if (!error.fields().empty()) {
    content.push_back(text_block(dump_json(error_to_json(error))));
  }
  return mcp::Complete{
      .result = dump_json(
          Json{{"content", std::move(content)},
               {"structuredContent", {{"error", error_to_json(error)}}},
               {"isError", true}}),
      .is_error = true};
}

}  // namespace lamarck::server
