#include "lamarck/cli/evolve/plain_python.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <vector>

namespace lamarck::cli {
namespace {

constexpr std::string_view kPrefix = "np.";

struct OtherForm {
  std::string_view numpy;
  std::string_view form;  // {0}, {1} and {2} stand for the arguments.
};

// Functions with the same name in math are not listed.
constexpr auto kForms =
    std::to_array<OtherForm>({{"where", "({1} if {0} else {2})"},
                              {"minimum", "min({0}, {1})"},
                              {"maximum", "max({0}, {1})"},
                              {"abs", "abs({0})"},
                              {"round", "round({0})"},
                              {"sign", "(({0} > 0) - ({0} < 0))"},
                              {"reciprocal", "(1 / ({0}))"},
                              {"square", "({0})**2"},
                              {"arcsin", "math.asin({0})"},
                              {"arccos", "math.acos({0})"},
                              {"arctan", "math.atan({0})"},
                              {"arctan2", "math.atan2({0}, {1})"},
                              {"logical_and", "({0} and {1})"},
                              {"logical_or", "({0} or {1})"},
                              {"logical_not", "(not {0})"}});

bool is_letter(char c) {
  return (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9') || c == '_' ||
         (c >= 'A' && c <= 'Z');
}

// Copies the text and rewrites calls to np functions, including nested ones.
class Rewriter {
 public:
  explicit Rewriter(std::string_view text) : text_(text) {}

  // Rewrites up to the first of the characters `ends` outside brackets, or to
  // the end of the text.
  std::string until(std::string_view ends) {
    std::string result;
    while (at_ < text_.size()) {
      if (ends.find(text_[at_]) != std::string_view::npos) return result;
      if (begins_name()) {
        result += name();
      } else if (text_[at_] == '(' || text_[at_] == '[') {
        result += bracket();
      } else {
        result += text_[at_++];
      }
    }
    return result;
  }

 private:
  bool begins_name() const {
    return text_.substr(at_).starts_with(kPrefix) &&
           (at_ == 0 || !is_letter(text_[at_ - 1]));
  }

  // Rewrites a bracket with its contents.
  std::string bracket() {
    std::string result(1, text_[at_++]);
    result += until(result == "(" ? ")" : "]");
    if (at_ < text_.size()) result += text_[at_++];
    return result;
  }

  // Rewrites a name such as np.pi, or a call.
  std::string name() {
    at_ += kPrefix.size();
    const std::size_t begin = at_;
    while (at_ < text_.size() && is_letter(text_[at_])) ++at_;
    const std::string_view name = text_.substr(begin, at_ - begin);
    if (at_ == text_.size() || text_[at_] != '(') {
      return fmt::format("math.{}", name);
    }
    return call(name, arguments());
  }

  std::vector<std::string> arguments() {
    std::vector<std::string> all;
    while (at_ < text_.size() && text_[at_] != ')') {
      ++at_;  // Skip the bracket or comma before the argument.
      while (at_ < text_.size() && text_[at_] == ' ') ++at_;
      all.push_back(until(",)"));
    }
    if (at_ < text_.size()) ++at_;
    return all;
  }

  static std::string call(std::string_view name,
                          const std::vector<std::string>& arguments) {
    const auto* other = std::ranges::find(kForms, name, &OtherForm::numpy);
    if (other == kForms.end()) {
      return fmt::format("math.{}({})", name, fmt::join(arguments, ", "));
    }
    std::string text(other->form);
    for (std::size_t i = 0; i < arguments.size(); ++i) {
      const std::string place = fmt::format("{{{}}}", i);
      for (std::size_t at = text.find(place); at != std::string::npos;
           at = text.find(place, at + arguments[i].size())) {
        text.replace(at, place.size(), arguments[i]);
      }
    }
    return text;
  }

  std::string_view text_;
  std::size_t at_ = 0;
};

}  // namespace

std::string plain_python(std::string_view source) {
  const std::string text = Rewriter(source).until("");
  const bool has_math = text.find("math.") != std::string::npos;
  return has_math ? "import math\n\n\n" + text : text;
}

}  // namespace lamarck::cli
