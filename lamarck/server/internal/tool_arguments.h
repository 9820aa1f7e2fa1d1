// Reading the arguments of a tool, which have passed its input schema.

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

std::string text_of(const Json& arguments, std::string_view name,
                    std::string_view otherwise = "");
std::int64_t count_of(const Json& arguments, std::string_view name,
                      std::int64_t otherwise);
double number_of(const Json& arguments, std::string_view name,
                 double otherwise);
bool flag_of(const Json& arguments, std::string_view name,
             bool otherwise = false);
std::vector<std::string> texts_of(const Json& arguments, std::string_view name);

// Who asks: `client` and `idempotency_key`.
thought::Caller caller_of(const mcp::CallContext& context,
                          const Json& arguments);

// The result of a tool: what the engine answered, or its error in words with
// what a program needs to go on.
mcp::Outcome outcome_of(const Result<std::string>& answer);
mcp::Outcome outcome_of(const Error& error);

}  // namespace lamarck::server
