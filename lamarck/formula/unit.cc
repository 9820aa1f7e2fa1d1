#include "lamarck/formula/unit.h"

#include <algorithm>
#include <cctype>
#include <charconv>
#include <cmath>
#include <optional>
#include <fmt/format.h>

#include "lamarck/base/macros.h"

namespace lamarck::formula {
namespace {

constexpr int kMaxUnitDepth = 20;  // Of parentheses.
constexpr double kMaxUnitPower = 100;

struct NamedUnit {
  std::string_view name;
  Dimension dimension;  // m, kg, s, A, K, mol, cd
  bool takes_prefix = true;
};

// clang-format off
constexpr std::array kUnits = {
    NamedUnit{"m", {1, 0, 0, 0, 0, 0, 0}},
    NamedUnit{"g", {0, 1, 0, 0, 0, 0, 0}},
    NamedUnit{"s", {0, 0, 1, 0, 0, 0, 0}},
    NamedUnit{"A", {0, 0, 0, 1, 0, 0, 0}},
    NamedUnit{"K", {0, 0, 0, 0, 1, 0, 0}},
    NamedUnit{"mol", {0, 0, 0, 0, 0, 1, 0}},
    NamedUnit{"cd", {0, 0, 0, 0, 0, 0, 1}},
    NamedUnit{"rad", {}},
    NamedUnit{"sr", {}},
    NamedUnit{"deg", {}, false},
    NamedUnit{"Hz", {0, 0, -1, 0, 0, 0, 0}},
    NamedUnit{"N", {1, 1, -2, 0, 0, 0, 0}},
    NamedUnit{"Pa", {-1, 1, -2, 0, 0, 0, 0}},
    NamedUnit{"J", {2, 1, -2, 0, 0, 0, 0}},
    NamedUnit{"W", {2, 1, -3, 0, 0, 0, 0}},
    NamedUnit{"C", {0, 0, 1, 1, 0, 0, 0}},
    NamedUnit{"V", {2, 1, -3, -1, 0, 0, 0}},
    NamedUnit{"F", {-2, -1, 4, 2, 0, 0, 0}},
    NamedUnit{"ohm", {2, 1, -3, -2, 0, 0, 0}},
    NamedUnit{"Ohm", {2, 1, -3, -2, 0, 0, 0}},
    NamedUnit{"S", {-2, -1, 3, 2, 0, 0, 0}},
    NamedUnit{"Wb", {2, 1, -2, -1, 0, 0, 0}},
    NamedUnit{"T", {0, 1, -2, -1, 0, 0, 0}},
    NamedUnit{"H", {2, 1, -2, -2, 0, 0, 0}},
    NamedUnit{"lm", {0, 0, 0, 0, 0, 0, 1}},
    NamedUnit{"lx", {-2, 0, 0, 0, 0, 0, 1}},
    NamedUnit{"Bq", {0, 0, -1, 0, 0, 0, 0}},
    NamedUnit{"Gy", {2, 0, -2, 0, 0, 0, 0}},
    NamedUnit{"Sv", {2, 0, -2, 0, 0, 0, 0}},
    NamedUnit{"kat", {0, 0, -1, 0, 0, 1, 0}},
    NamedUnit{"l", {3, 0, 0, 0, 0, 0, 0}},
    NamedUnit{"L", {3, 0, 0, 0, 0, 0, 0}},
    NamedUnit{"t", {0, 1, 0, 0, 0, 0, 0}},
    NamedUnit{"u", {0, 1, 0, 0, 0, 0, 0}, false},
    NamedUnit{"eV", {2, 1, -2, 0, 0, 0, 0}},
    NamedUnit{"bar", {-1, 1, -2, 0, 0, 0, 0}},
    NamedUnit{"atm", {-1, 1, -2, 0, 0, 0, 0}, false},
    NamedUnit{"cal", {2, 1, -2, 0, 0, 0, 0}},
    NamedUnit{"Wh", {2, 1, -2, 0, 0, 0, 0}},
    NamedUnit{"min", {0, 0, 1, 0, 0, 0, 0}, false},
    NamedUnit{"h", {0, 0, 1, 0, 0, 0, 0}, false},
    NamedUnit{"d", {0, 0, 1, 0, 0, 0, 0}, false},
    NamedUnit{"yr", {0, 0, 1, 0, 0, 0, 0}, false},
    NamedUnit{"AU", {1, 0, 0, 0, 0, 0, 0}, false},
    NamedUnit{"ly", {1, 0, 0, 0, 0, 0, 0}, false},
    NamedUnit{"pc", {1, 0, 0, 0, 0, 0, 0}},
};
// clang-format on
constexpr std::array<std::string_view, 21> kPrefixes = {
    "da", "d", "c", "m", "u", "µ", "n", "p", "f", "a", "z",
    "y",  "h", "k", "M", "G", "T", "P", "E", "Z", "Y"};

std::optional<Dimension> unit_named(std::string_view name) {
  for (const NamedUnit& unit : kUnits) {
    if (unit.name == name) return unit.dimension;
  }
  for (const std::string_view prefix : kPrefixes) {
    if (!name.starts_with(prefix)) continue;
    for (const NamedUnit& unit : kUnits) {
      if (unit.takes_prefix && unit.name == name.substr(prefix.size())) {
        return unit.dimension;
      }
    }
  }
  return std::nullopt;
}

bool is_part_of_name(char c) {
  // Bytes of a letter beyond ASCII, as in µm.
  return std::isalpha(static_cast<unsigned char>(c)) != 0 ||
         static_cast<unsigned char>(c) >= 0x80;
}

void add_dimension(Dimension& sum, const Dimension& other, double factor) {
  for (std::size_t i = 0; i < kBaseUnits; ++i) sum[i] += factor * other[i];
}

// A recursive descent over products, powers and parentheses.
class UnitParser {
 public:
  explicit UnitParser(std::string_view text) : text_(text) {}

  Result<Dimension> parse() {
    ASSIGN_OR_RETURN(const Dimension result, product(0));
    if (at_ < text_.size()) return unexpected();
    return result;
  }

 private:
  Error error(const std::string& what) const {
    return Error(ErrorCode::InvalidArgument,
                 fmt::format("'{}' is not a unit: {}; write a unit such as m, "
                             "kg*m/s^2, km/h, or 1 for a pure number.",
                             text_, what));
  }
  Error unexpected() const {
    if (at_ >= text_.size()) return error("it ends too early");
    return error(fmt::format("unexpected '{}'", text_.substr(at_)));
  }

  char next() {
    while (at_ < text_.size() && text_[at_] == ' ') ++at_;
    return at_ < text_.size() ? text_[at_] : '\0';
  }
  bool take(std::string_view token) {
    next();
    if (text_.substr(at_).substr(0, token.size()) != token) return false;
    at_ += token.size();
    return true;
  }

  Result<Dimension> product(int depth) {
    ASSIGN_OR_RETURN(Dimension result, power(depth));
    while (true) {
      const char c = next();
      if (c != '*' && c != '/') return result;
      ++at_;
      ASSIGN_OR_RETURN(const Dimension other, power(depth));
      add_dimension(result, other, c == '*' ? 1 : -1);
    }
  }

  Result<Dimension> power(int depth) {
    ASSIGN_OR_RETURN(const Dimension base, atom(depth));
    if (!take("**") && !take("^")) return base;
    ASSIGN_OR_RETURN(const double exponent, exponent_value());
    Dimension result{};
    add_dimension(result, base, exponent);
    return result;
  }

  Result<Dimension> atom(int depth) {
    if (depth > kMaxUnitDepth) return error("it has too many parentheses");
    if (take("(")) {
      ASSIGN_OR_RETURN(const Dimension inner, product(depth + 1));
      if (!take(")")) return error("a ')' is missing");
      return inner;
    }
    if (take("1")) return Dimension{};
    next();
    const std::size_t first = at_;
    while (at_ < text_.size() && is_part_of_name(text_[at_])) ++at_;
    if (at_ == first) return unexpected();
    const std::string_view name = text_.substr(first, at_ - first);
    const auto unit = unit_named(name);
    if (!unit) return error(fmt::format("'{}' is unknown", name));
    return *unit;
  }

  Result<double> number() {
    next();
    double value = 0;
    const auto [end, code] =
        std::from_chars(text_.data() + at_, text_.data() + text_.size(), value,
                        std::chars_format::fixed);
    if (code != std::errc()) return unexpected();
    at_ = static_cast<std::size_t>(end - text_.data());
    if (!(std::fabs(value) <= kMaxUnitPower)) {
      return error("an exponent must be between -100 and 100");
    }
    return value;
  }

  // 2, -0.5 or (1/2).
  Result<double> exponent_value() {
    if (!take("(")) return number();
    ASSIGN_OR_RETURN(double value, number());
    if (take("/")) {
      ASSIGN_OR_RETURN(const double divisor, number());
      if (divisor == 0) return error("an exponent is divided by 0");
      value /= divisor;
    }
    if (!take(")")) return error("a ')' is missing");
    return value;
  }

  std::string_view text_;
  std::size_t at_ = 0;
};

}  // namespace

Result<Dimension> parse_unit(std::string_view text) {
  return UnitParser(text).parse();
}

std::string unit_text(const Dimension& dimension) {
  constexpr std::array<std::string_view, kBaseUnits> kNames = {
      "m", "kg", "s", "A", "K", "mol", "cd"};
  std::string above;
  std::string below;
  for (std::size_t i = 0; i < kBaseUnits; ++i) {
    const double power = dimension[i];
    if (std::fabs(power) < 1e-9) continue;
    std::string& side = power > 0 ? above : below;
    const std::string sign = power > 0 ? "*" : "/";
    if (!side.empty() || power < 0) side += sign;
    side += kNames[i];
    if (std::fabs(std::fabs(power) - 1) > 1e-9) {
      side += fmt::format("^{:.4g}", std::fabs(power));
    }
  }
  return (above.empty() ? "1" : above) + below;
}

}  // namespace lamarck::formula
