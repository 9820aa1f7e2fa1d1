#include "lamarck/cli/evolve/run_limit.h"

#include <fmt/format.h>

#include <charconv>
#include <cmath>

#include "lamarck/base/one_line.h"

namespace lamarck::cli {
namespace {

constexpr double kMaxAmount = 1e15;  // Exact as a double.

struct Unit {
  std::string_view name;
  LimitMeasure measure;
  double factor;
};

constexpr Unit kUnits[] = {
    {"ms", LimitMeasure::Milliseconds, 1},
    {"s", LimitMeasure::Milliseconds, 1e3},
    {"m", LimitMeasure::Milliseconds, 6e4},
    {"min", LimitMeasure::Milliseconds, 6e4},
    {"h", LimitMeasure::Milliseconds, 3.6e6},
    {"eval", LimitMeasure::Evaluations, 1},
    {"keval", LimitMeasure::Evaluations, 1e3},
    {"Meval", LimitMeasure::Evaluations, 1e6},
    {"gen", LimitMeasure::Generations, 1},
    {"tok", LimitMeasure::Tokens, 1},
    {"ktok", LimitMeasure::Tokens, 1e3},
    {"Mtok", LimitMeasure::Tokens, 1e6},
    {"usd", LimitMeasure::MoneyMicros, 1e6},
};

}  // namespace

std::optional<RunLimit> parse_run_limit(std::string_view text) {
  double value = 0;
  const auto [end, failure] =
      std::from_chars(text.data(), text.data() + text.size(), value);
  if (failure != std::errc() || !(value > 0)) return std::nullopt;
  const auto name = text.substr(static_cast<std::size_t>(end - text.data()));
  for (const Unit& unit : kUnits) {
    if (unit.name != name) continue;
    const double amount = std::round(value * unit.factor);
    const bool is_whole = std::abs(amount - value * unit.factor) < 1e-6 ||
                          unit.measure == LimitMeasure::Milliseconds;
    if (amount < 1 || amount > kMaxAmount || !is_whole) return std::nullopt;
    return RunLimit{unit.measure, static_cast<std::int64_t>(amount)};
  }
  return std::nullopt;
}

Error invalid_limit(std::string_view flag, std::string_view text,
                    std::string_view examples) {
  return Error(ErrorCode::InvalidArgument,
               fmt::format("{} must be a limit such as {}, got {}.", flag,
                           examples, in_quotes(text)));
}

}  // namespace lamarck::cli
