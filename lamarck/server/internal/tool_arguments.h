// Reads the arguments of a tool after they have been validated against its
// input schema.

#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "lamarck/base/json.h"
#include "lamarck/base/result.h"
#include "lamarck/server/mcp/call_context.h"
#include "lamarck/server/mcp/outcome.h"
#include "lamarck/thought/thought_engine.h"

namespace lamarck::server {

std::string get_text(const Json& arguments, std::string_view name,
                     std::string_view otherwise = "");
std::int64_t get_count(const Json& arguments, std::string_view name,
                       std::int64_t otherwise);
double get_number(const Json& arguments, std::string_view name,
                  double otherwise);
bool get_flag(const Json& arguments, std::string_view name,
              bool otherwise = false);
std::vector<std::string> get_texts(const Json& arguments,
                                   std::string_view name);

// Reads the arguments `client` and `idempotency_key`.
thought::Caller make_caller(const mcp::CallContext& context,
                            const Json& arguments);

// The result of a tool: the answer of the engine, or an error with its message
// for the model and its fields for a program.
mcp::Outcome make_outcome(const Result<std::string>& answer);
mcp::Outcome make_outcome(const Error& error);

// The output schema, extended by the error that a failed call returns instead
// of all else: clients check the structured content of errors too.
std::string schema_with_error(std::string_view schema);

}  // namespace lamarck::server
