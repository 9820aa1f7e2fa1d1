// The flags of `lamarck neat`.

#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "lamarck/base/json.h"
#include "lamarck/cli/neat/neat_choice.h"
#include "lamarck/cli/runs/recorded_run.h"

namespace lamarck::cli {

struct NeatFlags {
  NeatChoice choice;
  std::optional<std::int64_t> population;
  std::optional<std::uint64_t> seed;
  std::optional<std::int64_t> seeds;
  std::int64_t evaluations = 200'000;
  std::string out;
  bool is_forced = false;
  std::optional<std::string> crew;  // A URL.
  RecordFlags record;
};

// The flags that decide the result.
Json given_options(const NeatFlags& flags);
// The same from what given_options returned.
Result<NeatFlags> neat_flags_from(const Json& options);

}  // namespace lamarck::cli
