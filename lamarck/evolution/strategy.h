// Strategies: how an island gets from one generation to the next.

#pragma once

#include <span>
#include <string_view>

#include "lamarck/base/result.h"
#include "lamarck/evolution/network_island.h"
#include "lamarck/evolution/strategy_context.h"

namespace lamarck::evolution {

struct Strategy {
  std::string_view name;
  std::string_view what;  // A short description for people.
  // Runs one generation. REQUIRES: no other thread uses the island.
  void (*advance)(Island& island, const StrategyContext& context);
};

std::span<const Strategy> strategy_table();
// Returns an Error of code InvalidArgument for an unknown name.
Result<Strategy> parse_strategy(std::string_view name);

}  // namespace lamarck::evolution
