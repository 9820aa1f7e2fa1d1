#include "lamarck/cli/evolve/search_limits.h"

#include <fmt/format.h>

#include <charconv>
#include <cmath>
#include <limits>
#include <optional>
#include <string_view>

#include "lamarck/base/one_line.h"
#include "lamarck/base/string_split.h"

namespace lamarck::cli {
namespace {

constexpr double kMaxAmount = 1e15;  // Exact as a double.

enum class Measure { Milliseconds, Evaluations, Tokens, MoneyMicros };

struct Unit {
  std::string_view name;
  Measure measure;
  double factor;
};

constexpr Unit kUnits[] = {
    {"ms", Measure::Milliseconds, 1},     {"s", Measure::Milliseconds, 1e3},
    {"m", Measure::Milliseconds, 6e4},    {"min", Measure::Milliseconds, 6e4},
    {"h", Measure::Milliseconds, 3.6e6},  {"eval", Measure::Evaluations, 1},
    {"keval", Measure::Evaluations, 1e3}, {"Meval", Measure::Evaluations, 1e6},
    {"tok", Measure::Tokens, 1},          {"ktok", Measure::Tokens, 1e3},
    {"Mtok", Measure::Tokens, 1e6},       {"usd", Measure::MoneyMicros, 1e6},
};

struct Limit {
  Measure measure;
  std::int64_t amount;
};

// Returns nothing unless the limit is positive and, except for time, an integer
// in its smallest unit.
std::optional<Limit> parse_limit(std::string_view text) {
  double value = 0;
  const auto [end, failure] =
      std::from_chars(text.data(), text.data() + text.size(), value);
  if (failure != std::errc() || !(value > 0)) return std::nullopt;
  const auto name = text.substr(static_cast<std::size_t>(end - text.data()));
  for (const Unit& unit : kUnits) {
    if (unit.name != name) continue;
    const double amount = std::round(value * unit.factor);
    const bool is_whole = std::abs(amount - value * unit.factor) < 1e-6 ||
                          unit.measure == Measure::Milliseconds;
    if (amount < 1 || amount > kMaxAmount || !is_whole) return std::nullopt;
    return Limit{unit.measure, static_cast<std::int64_t>(amount)};
  }
  return std::nullopt;
}

Error invalid_limit(std::string_view flag, std::string_view text,
                    std::string_view examples) {
  return Error(ErrorCode::InvalidArgument,
               fmt::format("{} must be a limit such as {}, got {}.", flag,
                           examples, in_quotes(text)));
}

}  // namespace

Result<BudgetLimits> parse_search_budget(
    const std::vector<std::string>& given) {
  BudgetLimits limits;
  for (const std::string& text : given) {
    for (const std::string_view part : split_text(text, ',')) {
      const auto limit = parse_limit(part);
      if (!limit) {
        return invalid_limit("--budget", text,
                             "120s, 30min, 200000eval, 5usd or 1Mtok");
      }
      switch (limit->measure) {
        case Measure::Milliseconds:
          limits.wall_time = std::chrono::milliseconds(limit->amount);
          break;
        case Measure::Evaluations:
          limits.evaluations = limit->amount;
          break;
        case Measure::Tokens:
          limits.tokens = limit->amount;
          break;
        case Measure::MoneyMicros:
          limits.money_micros = limit->amount;
          break;
      }
    }
  }
  return limits;
}

Result<archipelago::ResetPeriod> parse_reset_period(
    const std::vector<std::string>& given) {
  archipelago::ResetPeriod period{.evaluations = {}, .time = {}};
  for (const std::string& text : given) {
    for (const std::string_view part : split_text(text, ',')) {
      if (part == "never") {
        // A period that no run reaches.
        period.evaluations = std::numeric_limits<std::int64_t>::max();
        continue;
      }
      const auto limit = parse_limit(part);
      if (limit && limit->measure == Measure::Evaluations) {
        period.evaluations = limit->amount;
      } else if (limit && limit->measure == Measure::Milliseconds) {
        period.time = std::chrono::milliseconds(limit->amount);
      } else {
        return invalid_limit("--reset", text, "2000eval, 30min or never");
      }
    }
  }
  return period;
}

}  // namespace lamarck::cli
