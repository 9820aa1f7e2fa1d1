// Prints expressions as text; the part that all printers share.

#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "lamarck/formula/expression.h"

namespace lamarck::formula {

// The precedence of the outermost operator of a text, from loosest to tightest.
enum class Rank : std::uint8_t {
  Choice,
  Or,
  And,
  Not,
  Comparison,
  Sum,
  Product,
  Sign,
  Power,
  Atom,
};

struct Printed {
  std::string text;
  Rank rank = Rank::Atom;
  bool is_number = false;
  std::size_t depth = 0;  // Nesting of brackets, signs and calls.
};

// Returns the text, in brackets if its rank is below `min_rank`.
Printed bracketed(Printed part, Rank min_rank, std::string_view open = "(",
                  std::string_view close = ")");

// The syntax of an output language.
class Dialect {
 public:
  virtual ~Dialect() = default;

  // A constant, input or param.
  virtual Printed leaf(const Node& node) = 0;
  // May move out of the arguments.
  virtual Printed operation(const Node& node, std::span<Printed> arguments) = 0;
  // The name of the shared part `number`.
  virtual std::string part_name(std::size_t number) = 0;
};

struct PrintedParts {
  // Names with their texts; each may use the parts before it.
  std::vector<std::pair<std::string, std::string>> parts;
  std::string result;
};

enum class Sharing : std::uint8_t {
  WhereShorter,  // Repeated parts get names if that is shorter.
  OnlyIfHuge,    // Only very large formulas are split into parts.
};

// When parts are named, those that nest too deeply for the parser get names
// too.
PrintedParts print_expression(const Expression& expression, Dialect& dialect,
                              Sharing sharing);

}  // namespace lamarck::formula
