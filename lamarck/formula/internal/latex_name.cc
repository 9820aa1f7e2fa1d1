#include "lamarck/formula/internal/latex_name.h"

#include <algorithm>
#include <array>

#include <fmt/format.h>

#include "lamarck/base/one_line.h"
#include "lamarck/base/unicode.h"

namespace lamarck::formula {
namespace {

constexpr std::array kGreek = std::to_array<std::string_view>(
    {"alpha", "beta",  "gamma", "delta",  "epsilon", "zeta",   "eta",
     "theta", "iota",  "kappa", "lambda", "mu",      "nu",     "xi",
     "pi",    "rho",   "sigma", "tau",    "upsilon", "phi",    "chi",
     "psi",   "omega", "Gamma", "Delta",  "Theta",   "Lambda", "Xi",
     "Pi",    "Sigma", "Phi",   "Psi",    "Omega"});

// Escapes the characters that are special in LaTeX's math mode.
std::string escaped(std::string_view text) {
  std::string result;
  for (const char c : one_line(text, 1000)) {
    switch (c) {
      case '\\':
        result += R"(\backslash{})";
        break;
      case '^':
        result += R"(\hat{})";
        break;
      case '~':
        result += R"(\sim{})";
        break;
      case ' ':
        result += R"(\ )";
        break;
      default:
        if (std::string_view("#$%&_{}").find(c) != std::string_view::npos) {
          result += '\\';
        }
        result += c;
    }
  }
  return result;
}

bool is_number(std::string_view text) {
  return !text.empty() &&
         text.find_first_not_of("0123456789") == std::string_view::npos;
}

// Greek letters become symbols; longer words are set upright.
std::string word(std::string_view text) {
  if (std::find(kGreek.begin(), kGreek.end(), text) != kGreek.end()) {
    return "\\" + std::string(text);
  }
  if (is_number(text) || unicode_length(text) == 1) return escaped(text);
  return fmt::format(R"(\mathrm{{{}}})", escaped(text));
}

}  // namespace

std::string latex_name(std::string_view name) {
  // The subscript starts at the first underscore, or else at trailing digits.
  std::size_t split = name.find('_');
  std::size_t skip = 1;
  if (split == std::string_view::npos) {
    split = name.find_last_not_of("0123456789") + 1;
    skip = 0;
  }
  if (split == 0 || split + skip >= name.size()) return word(name);
  return fmt::format("{}_{{{}}}", word(name.substr(0, split)),
                     word(name.substr(split + skip)));
}

}  // namespace lamarck::formula
