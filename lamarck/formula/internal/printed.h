// Expressions as text, in any dialect: what is common to all printers.

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

// How tightly the outermost operator of a text binds.
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
  std::size_t depth = 0;  // Of the brackets, signs and calls in it.
};

// The text, in brackets if it binds less than `least`.
Printed bracketed(Printed part, Rank least, std::string_view open = "(",
                  std::string_view close = ")");

// The words of a language.
class Dialect {
 public:
  virtual ~Dialect() = default;

  // A constant, input or param.
  virtual Printed leaf(const Node& node) = 0;
  // May move out of the arguments.
  virtual Printed operation(const Node& node, std::span<Printed> arguments) = 0;
  // The name of part `number`.
  virtual std::string part_name(std::size_t number) = 0;
};

struct PrintedParts {
  // Names and what they stand for; each may use those before it.
  std::vector<std::pair<std::string, std::string>> parts;
  std::string result;
};

enum class Sharing : std::uint8_t {
  WhereShorter,  // Parts that occur several times get names.
  OnlyIfHuge,    // One formula, unless it would be very long.
};

// Deep parts get names in either case if they would nest too deep for readers.
PrintedParts print_expression(const Expression& expression, Dialect& dialect,
                              Sharing sharing);

}  // namespace lamarck::formula
