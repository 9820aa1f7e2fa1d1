#include "lamarck/cli/evolve/column_identifier.h"

#include <algorithm>
#include <array>
#include <set>
#include <string_view>

#include "lamarck/base/unicode.h"
#include "lamarck/formula/formula.h"
#include "lamarck/formula/formula_operation.h"

namespace lamarck::cli {
namespace {

// Python keywords, and names that have a meaning in formulas or in NumPy.
constexpr auto kReserved = std::to_array<std::string_view>(
    {"False",  "None",   "True",    "and",      "as",       "assert", "async",
     "await",  "break",  "class",   "continue", "def",      "del",    "elif",
     "else",   "except", "finally", "for",      "from",     "global", "if",
     "import", "in",     "is",      "lambda",   "nonlocal", "not",    "or",
     "pass",   "raise",  "return",  "try",      "while",    "with",   "yield",
     "params", "np",     "numpy",   "math",     "pi",       "e",      "inf",
     "nan",    "min",    "max",     "pow",      "float",    "int",    "len",
     "range",  "sum",    "power",   "equation", "absolute", "asin",   "acos",
     "atan",   "atan2",  "ln",      "fabs",     "clip",     "prod",   "zeros",
     "ones",   "dot",    "bool"});

bool is_reserved(const std::string& name) {
  return std::ranges::find(kReserved, name) != kReserved.end() ||
         formula::find_op(name).has_value();
}

// Whether formulas accept the character in names; any alphabet is allowed.
bool is_letter(std::string_view letter) {
  if (letter.size() == 1) {
    const char c = letter[0];
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') ||
           (c >= '0' && c <= '9') || c == '_';
  }
  const std::string name = "x" + std::string(letter);
  return formula::parse_infix(name, {name}).has_value();
}

// Replaces each run of other characters between letters with an underscore.
std::string make_identifier(std::string_view name) {
  std::string result;
  bool is_gap = false;
  while (!name.empty()) {
    const std::size_t size = first_character_size(name);
    const std::string_view letter = name.substr(0, size);
    name.remove_prefix(size);
    if (!is_letter(letter)) {
      is_gap = true;
      continue;
    }
    if (is_gap && !result.empty()) result += '_';
    is_gap = false;
    result += letter;
  }
  if (result.empty()) return "x";
  const bool begins_with_digit = result[0] >= '0' && result[0] <= '9';
  return begins_with_digit ? "x" + result : result;
}

}  // namespace

std::vector<std::string> column_identifiers(
    const std::vector<std::string>& names) {
  const std::set<std::string> all(names.begin(), names.end());
  std::set<std::string> taken;
  std::vector<std::string> result;
  for (const std::string& name : names) {
    std::string own = make_identifier(name);
    // A changed name must not take one that another column has in the file.
    while (is_reserved(own) || taken.contains(own) ||
           (own != name && all.contains(own))) {
      own += '_';
    }
    taken.insert(own);
    result.push_back(std::move(own));
  }
  return result;
}

}  // namespace lamarck::cli
