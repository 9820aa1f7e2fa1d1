// Parses one limit of a run, such as 60s, 30min, 500gen, 1Mtok or 5usd: what
// every --budget and --reset consists of.

#pragma once

#include <cstdint>
#include <optional>
#include <string_view>

#include "lamarck/base/error.h"

namespace lamarck::cli {

enum class LimitMeasure : std::uint8_t {
  Milliseconds,
  Evaluations,
  Generations,
  Tokens,
  MoneyMicros,
};

struct RunLimit {
  LimitMeasure measure;
  std::int64_t amount;
};

// Returns nothing unless the limit is positive and, except for time, an integer
// in its smallest unit.
std::optional<RunLimit> parse_run_limit(std::string_view text);

// "--budget must be a limit such as 60s, got '60x'."
Error invalid_limit(std::string_view flag, std::string_view text,
                    std::string_view examples);

}  // namespace lamarck::cli
