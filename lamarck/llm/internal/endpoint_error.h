// A call that failed, told to a person.

#pragma once

#include <chrono>
#include <string>
#include <string_view>

#include "lamarck/base/error.h"
#include "lamarck/llm/internal/http_connection.h"

namespace lamarck::llm::internal {

// What the server says about its failure: the message of its JSON, else the
// beginning of its text; empty if it says nothing.
std::string server_words(std::string_view body);

// REQUIRES: the outcome is a failure and not a cancellation. `address` is fit
// to be shown; `timeout` is what the call was allowed.
Error endpoint_error(const HttpOutcome& outcome, std::string_view address,
                     std::chrono::milliseconds timeout);

}  // namespace lamarck::llm::internal
