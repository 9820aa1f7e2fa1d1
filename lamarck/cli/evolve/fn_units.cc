#include "lamarck/cli/evolve/fn_units.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "lamarck/base/error.h"
#include "lamarck/base/macros.h"
#include "lamarck/base/one_line.h"
#include "lamarck/base/string_split.h"
#include "lamarck/gp/unit_views.h"

namespace lamarck::cli {
namespace {

using formula::Dimension;

std::string_view trimmed(std::string_view text) {
  while (text.starts_with(' ')) text.remove_prefix(1);
  while (text.ends_with(' ')) text.remove_suffix(1);
  return text;
}

Result<std::map<std::string, Dimension>> parse_entries(
    const std::string& text) {
  std::map<std::string, Dimension> units;
  for (const std::string_view entry : split_text(text, ',')) {
    const auto equals = entry.rfind('=');
    if (equals == std::string_view::npos) {
      return invalid_argument(fmt::format(
          "--units must be pairs of a column and its unit, such as x=m,t=s; "
          "got {}.",
          in_quotes(trimmed(entry))));
    }
    const std::string name(trimmed(entry.substr(0, equals)));
    const auto unit = formula::parse_unit(trimmed(entry.substr(equals + 1)));
    if (!unit) return unit.error().within("--units, " + one_line(name));
    if (!units.emplace(name, *unit).second) {
      return invalid_argument(
          fmt::format("--units gives {} more than one unit; give it once.",
                      in_quotes(name)));
    }
  }
  return units;
}

// Removes the unit of a column and returns it.
Result<Dimension> take(std::map<std::string, Dimension>& units,
                       const std::string& column) {
  const auto at = units.find(column);
  if (at == units.end()) {
    return invalid_argument(fmt::format(
        "--units has no unit for {}; give one to each input and to the target, "
        "such as {}=m, or {}=1 for a pure number.",
        in_quotes(column), one_line(column), one_line(column)));
  }
  const Dimension unit = at->second;
  units.erase(at);
  return unit;
}

}  // namespace

Result<formula::Dimensions> read_units(const std::string& text,
                                       const std::vector<std::string>& inputs,
                                       const std::string& target,
                                       const std::vector<std::string>& others) {
  ASSIGN_OR_RETURN(auto units, parse_entries(text));
  std::vector<Dimension> dimensions;
  for (const std::string& input : inputs) {
    ASSIGN_OR_RETURN(const Dimension unit, take(units, input));
    dimensions.push_back(unit);
  }
  ASSIGN_OR_RETURN(const Dimension unit, take(units, target));
  for (const std::string& other : others) units.erase(other);
  std::vector<Dimension> constants;
  for (const auto& [name, constant] : units) constants.push_back(constant);
  formula::Dimensions result(std::move(dimensions), unit, constants);
  if (gp::can_express_target(result)) return result;
  return invalid_argument(fmt::format(
      "--units: no product of powers of the inputs has the unit of {}, {}; "
      "check the units, or add the constants of the law, such as "
      "G=m^3/(kg*s^2).",
      in_quotes(target), formula::unit_text(unit)));
}

}  // namespace lamarck::cli
