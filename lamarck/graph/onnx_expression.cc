#include "lamarck/graph/internal/onnx_expression.h"

#include <cctype>
#include <charconv>

#include "lamarck/base/ensure.h"

namespace lamarck {
namespace {

// A recursive-descent parser. The expressions come from our own tables, so an
// error in one is a broken invariant.
class Parser {
 public:
  Parser(std::string_view text, std::size_t input_count,
         const Attributes& attributes, OnnxSink& sink)
      : text_(text),
        input_count_(input_count),
        attributes_(attributes),
        sink_(sink) {}

  std::string whole() {
    std::string result = argument();
    skip_spaces();
    ENSURE(at_ == text_.size(),
           "an ONNX expression has nothing after its call");
    return result;
  }

 private:
  std::string argument() {
    const char next = peek();
    if (next == '[') return sink_.constant(list());
    if (next == '-' || std::isdigit(static_cast<unsigned char>(next)) != 0) {
      return sink_.constant(number());
    }
    const std::string name = word();
    if (name == "_") return "";
    std::size_t output = 0;
    if (at_ < text_.size() && text_[at_] == '@') {
      ++at_;
      output = static_cast<std::size_t>(integer());
    }
    if (at_ < text_.size() && peek() == '(') return call(name, output);
    if (name[0] == 'p') return sink_.constant(number_attribute(name));
    return sink_.input(name == "x" ? 0
                                   : static_cast<std::size_t>(name[0] - 'a'));
  }

  std::string call(const std::string& name, std::size_t output) {
    std::vector<std::string> inputs;
    std::map<std::string, OnnxAttribute> attributes;
    take('(');
    while (peek() != ')' && peek() != ';') {
      if (peek() == '*') {
        take('*');
        for (std::size_t i = 0; i < input_count_; ++i) {
          inputs.push_back(sink_.input(i));
        }
      } else {
        inputs.push_back(argument());
      }
      if (peek() == ',') take(',');
    }
    if (peek() == ';') {
      take(';');
      while (peek() != ')') {
        const std::string attribute = word();
        take('=');
        attributes.emplace(attribute, attribute_value());
        if (peek() == ',') take(',');
      }
    }
    take(')');
    return sink_.call(name, output, inputs, attributes);
  }

  OnnxAttribute attribute_value() {
    const char next = peek();
    if (next == '[') return list();
    if (next == 'p') return number_attribute(word());
    if (next == 'i') return integer();
    if (next == '\'') return quoted_text();
    return integer();
  }

  std::string quoted_text() {
    take('\'');
    const std::size_t begin = at_;
    while (text_[at_] != '\'') ++at_;
    return std::string(text_.substr(begin, at_++ - begin));
  }

  std::vector<std::int64_t> list() {
    std::vector<std::int64_t> values;
    take('[');
    while (peek() != ']') {
      values.push_back(integer());
      if (peek() == ',') take(',');
    }
    take(']');
    return values;
  }

  std::int64_t integer() {
    if (peek() == 'i') {
      const std::string name = word();
      return attributes_.integers[static_cast<std::size_t>(name[1] - '0')];
    }
    return static_cast<std::int64_t>(number());
  }

  float number_attribute(const std::string& name) const {
    return attributes_.numbers[static_cast<std::size_t>(name[1] - '0')];
  }

  float number() {
    skip_spaces();
    float value = 0;
    const auto parsed =
        std::from_chars(text_.data() + at_, text_.data() + text_.size(), value);
    ENSURE(parsed.ec == std::errc(), "an ONNX expression has a number here");
    at_ = static_cast<std::size_t>(parsed.ptr - text_.data());
    return value;
  }

  std::string word() {
    skip_spaces();
    const std::size_t begin = at_;
    while (at_ < text_.size() &&
           (std::isalnum(static_cast<unsigned char>(text_[at_])) != 0 ||
            text_[at_] == '_')) {
      ++at_;
    }
    ENSURE(at_ > begin, "an ONNX expression has a name here");
    return std::string(text_.substr(begin, at_ - begin));
  }

  void take(char expected) {
    ENSURE(peek() == expected,
           "an ONNX expression has the expected punctuation");
    ++at_;
  }

  char peek() {
    skip_spaces();
    ENSURE(at_ < text_.size(), "an ONNX expression is complete");
    return text_[at_];
  }

  void skip_spaces() {
    while (at_ < text_.size() && text_[at_] == ' ') ++at_;
  }

  std::string_view text_;
  std::size_t input_count_;
  const Attributes& attributes_;
  OnnxSink& sink_;
  std::size_t at_ = 0;
};

}  // namespace

std::string write_onnx_expression(std::string_view expression,
                                  std::size_t input_count,
                                  const Attributes& attributes,
                                  OnnxSink& sink) {
  return Parser(expression, input_count, attributes, sink).whole();
}

std::string onnx_list(const std::vector<std::int64_t>& values) {
  std::string text = "[";
  for (const std::int64_t value : values) {
    text += (text.size() == 1 ? "" : ", ") + std::to_string(value);
  }
  return text + "]";
}

}  // namespace lamarck
