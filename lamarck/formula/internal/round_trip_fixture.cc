#include "lamarck/formula/internal/round_trip_fixture.h"

#include "lamarck/formula/formula.h"
#include "lamarck/formula/simplify.h"

namespace lamarck::formula {
namespace {

// Prints the formula as Python and compares what the parser makes of it.
std::string reading_fault(const Formula& formula) {
  const std::string text = to_python(formula);
  if (text.size() > ParseLimits().source_bytes) return "";
  const auto again = parse_python(text, formula.name);
  if (!again) return again.error().message() + "\n" + text;
  if (again->body != formula.body)
    return "Read back as another expression:\n" + text;
  return again->docstring == formula.docstring
             ? ""
             : "Read back with another docstring.";
}

}  // namespace

std::string round_trip_fault(std::string_view source) {
  const auto infix = parse_infix(source, {"x", "y"});
  if (infix) to_infix(*infix);
  auto formula = parse_python(source);
  if (!formula) {
    const bool is_sentence = formula.error().message().ends_with('.') ||
                             formula.error().message().ends_with('?');
    return is_sentence
               ? ""
               : "The error is not a sentence: " + formula.error().message();
  }
  to_infix(*formula);
  to_latex(*formula);
  to_cpp(*formula);
  if (std::string fault = reading_fault(*formula); !fault.empty()) return fault;
  const Expression simple = simplify(formula->body);
  if (simple.size() > formula->body.size())
    return "Simplifying made the expression longer.";
  formula->body = simple;
  return reading_fault(*formula);
}

}  // namespace lamarck::formula
