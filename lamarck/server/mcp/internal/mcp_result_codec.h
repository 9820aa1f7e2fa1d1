// Converts results of handlers to what the protocol version of the client can
// read.

#pragma once

#include <string>
#include <string_view>

#include "lamarck/server/mcp/internal/mcp_envelope.h"

namespace lamarck::mcp {

// `result` is a JSON object as text.
//
// Modern: adds resultType, `hints` (members such as "ttlMs":0) and `meta`, a
// member "_meta":{...}, which is merged with a `_meta` of the result.
std::string modern_result(std::string result, std::string_view hints,
                          std::string_view meta);

// Legacy: replaces content blocks that `version` does not know, and removes
// structured content that is not an object.
std::string legacy_result(std::string result, std::string_view version);

// The result that requests input; `state` is already sealed, "" = none.
std::string input_required_result(const InputRequired& required,
                                  std::string_view state,
                                  std::string_view meta);
// {"key": {"method", "params"}}.
std::string input_requests_object(
    const std::map<std::string, InputRequest>& requests);

// Returns whether `answer` has the shape of an answer to `method`; "" = to any
// method.
bool is_answer_to(const Json& answer, std::string_view method);

}  // namespace lamarck::mcp
