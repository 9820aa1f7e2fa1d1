#include "lamarck/formula/internal/operator_text.h"

#include <algorithm>

#include <fmt/format.h>

namespace lamarck::formula {
namespace {

// The next rank, for an operand that must bind more tightly.
Rank tighter(Rank rank) {
  return static_cast<Rank>(static_cast<std::uint8_t>(rank) + 1);
}

Printed joined_texts(Printed a, std::string_view word, const Printed& b,
                     Rank rank) {
  Printed result;
  result.depth = std::max(a.depth, b.depth);
  result.rank = rank;
  result.text = std::move(a.text);
  result.text += word;
  result.text += b.text;
  return result;
}

}  // namespace

std::string exact_number(double value) {
  std::string text = fmt::format("{}", value);
  // Python and C++ would read "2" as an integer.
  if (text.find_first_of(".e") == std::string::npos) text += ".0";
  return text;
}

std::string rounded_number(double value, int digits) {
  if (digits < 17) return fmt::format("{:.{}g}", value, digits);
  std::string text = exact_number(value);
  if (text.ends_with(".0")) text.resize(text.size() - 2);
  return text;
}

Printed infix_text(std::string_view word, Rank rank, Printed a, Printed b) {
  return joined_texts(bracketed(std::move(a), rank), word,
                      bracketed(std::move(b), tighter(rank)), rank);
}

Printed comparison_text(std::string_view word, Printed a, Printed b) {
  return joined_texts(bracketed(std::move(a), Rank::Sum), word,
                      bracketed(std::move(b), Rank::Sum), Rank::Comparison);
}

Printed call_text(std::string_view function, std::span<Printed> arguments) {
  Printed result;
  result.text = fmt::format("{}(", function);
  bool is_first = true;
  for (const Printed& argument : arguments) {
    if (!is_first) result.text += ", ";
    is_first = false;
    result.text += argument.text;
    result.depth = std::max(result.depth, argument.depth + 1);
  }
  result.text += ")";
  return result;
}

Printed negated_text(Printed a) {
  // The lowest rank forces parentheses.
  if (a.is_number) a.rank = Rank::Choice;
  a = bracketed(std::move(a), Rank::Sign);
  return {.text = "-" + a.text, .rank = Rank::Sign, .depth = a.depth + 1};
}

std::string_view comparison_word(Op op) {
  switch (op) {
    case Op::Less:
      return " < ";
    case Op::LessEqual:
      return " <= ";
    case Op::Equal:
      return " == ";
    case Op::NotEqual:
      return " != ";
    default:
      return "";
  }
}

}  // namespace lamarck::formula
