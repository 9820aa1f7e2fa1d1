// Error messages for failed calls.

#pragma once

#include <chrono>
#include <string>
#include <string_view>

#include "lamarck/base/error.h"
#include "lamarck/llm/internal/http_connection.h"

namespace lamarck::llm::internal {

// The server's description of its failure: the message in its JSON, otherwise
// the beginning of its text; may be empty.
std::string server_words(std::string_view body);

// REQUIRES: the outcome is a failure and not a cancellation. `address` must not
// contain secrets; `timeout` is the time limit of the call.
Error endpoint_error(const HttpOutcome& outcome, std::string_view address,
                     std::chrono::milliseconds timeout);

}  // namespace lamarck::llm::internal
