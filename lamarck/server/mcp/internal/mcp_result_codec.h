// From what a handler returns to what the client's version can read.

#pragma once

#include <string>
#include <string_view>

#include "lamarck/server/mcp/internal/mcp_envelope.h"

namespace lamarck::mcp {

// `result` is a JSON object as text.
//
// Modern: with resultType, `hints` (members such as "ttlMs":0) and `meta` (a
// member "_meta":{...}) added; a `_meta` of the result's own is kept.
std::string modern_result(std::string result, std::string_view hints,
                          std::string_view meta);

// Legacy: without content blocks that `version` does not know, and without
// structured content that is no object.
std::string legacy_result(std::string result, std::string_view version);

// The result that asks the client; `state` is already sealed, "" = none.
std::string input_required_result(const InputRequired& required,
                                  std::string_view state,
                                  std::string_view meta);
// {"key": {"method", "params"}}.
std::string input_requests_object(
    const std::map<std::string, InputRequest>& requests);

// Whether `answer` has the shape of an answer to `method`; with "" to any.
bool is_answer_to(const Json& answer, std::string_view method);

}  // namespace lamarck::mcp
