// Decides whether and when a call is retried.

#pragma once

#include <chrono>
#include <optional>
#include <string_view>

#include "lamarck/base/rng.h"
#include "lamarck/llm/internal/http_connection.h"

namespace lamarck::llm::internal {

// True for 429, 5xx and refused connections, except if the quota of the account
// is exhausted, since waiting does not help then.
bool is_worth_retrying(const HttpOutcome& outcome);

// Parses a Retry-After header in seconds, possibly fractional; nullopt for a
// date or an invalid value.
std::optional<std::chrono::milliseconds> parse_retry_after(
    std::string_view text);

// The pause before attempt `attempt` + 1. With `retry_after`, a little more
// than that; otherwise `first` doubled for each attempt, at most 30 s, times a
// random factor between 0.5 and 1.
std::chrono::milliseconds pause_after(
    int attempt, std::chrono::milliseconds first,
    std::optional<std::chrono::milliseconds> retry_after, Rng& rng);

}  // namespace lamarck::llm::internal
