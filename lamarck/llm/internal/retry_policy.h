// Whether and when a call is tried again.

#pragma once

#include <chrono>
#include <optional>
#include <string_view>

#include "lamarck/base/rng.h"
#include "lamarck/llm/internal/http_connection.h"

namespace lamarck::llm::internal {

// 429, 5xx and connections that were refused. Not where the server says that
// the account has no quota left: waiting does not fill it.
bool is_worth_retrying(const HttpOutcome& outcome);

// Whole or broken seconds, as a Retry-After header has them; nothing for a
// date or nonsense.
std::optional<std::chrono::milliseconds> parse_retry_after(
    std::string_view text);

// Before attempt `attempt` + 1: `first` doubled each time, of which chance
// takes up to half, or what the server asked for and a little more; 30 s at
// most without a wish.
std::chrono::milliseconds pause_after(
    int attempt, std::chrono::milliseconds first,
    std::optional<std::chrono::milliseconds> wish, Rng& rng);

}  // namespace lamarck::llm::internal
