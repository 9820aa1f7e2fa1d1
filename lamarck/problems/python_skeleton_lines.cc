#include "lamarck/problems/python_skeleton_lines.h"

#include <algorithm>

#include "lamarck/base/hash.h"

namespace lamarck::problems {
namespace {

bool is_word(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') ||
         (c >= '0' && c <= '9') || c == '_' ||
         static_cast<unsigned char>(c) >= 0x80;
}

bool is_quote(char c) { return c == '"' || c == '\''; }

// r, b, f and u, alone or in pairs, can be a prefix of a string.
bool is_string_prefix(std::string_view word) {
  return word.size() <= 2 &&
         word.find_first_not_of("rRbBfFuU") == std::string_view::npos;
}

bool is_string(std::string_view token) {
  return token.find_first_of("\"'") != std::string_view::npos;
}

class LineCutter {
 public:
  explicit LineCutter(std::string_view source) : source_(source) {}

  std::vector<PythonLine> cut() {
    while (at_ < source_.size()) read_line();
    return std::move(lines_);
  }

 private:
  void read_line() {
    PythonLine line{.begin = at_, .indent = read_indent()};
    int depth = 0;
    while (at_ < source_.size()) {
      const char c = source_[at_];
      if (c == '\n') {
        ++at_;
        if (depth <= 0) break;
      } else if (c == '#') {
        at_ = std::min(source_.find('\n', at_), source_.size());
      } else if (c == '\\' || c == ' ' || c == '\t' || c == '\r') {
        at_ += c == '\\' && at_ + 1 < source_.size() ? 2 : 1;
      } else {
        line.tokens.push_back(read_token());
        depth += depth_change(line.tokens.back());
      }
    }
    line.end = at_;
    if (!line.tokens.empty()) lines_.push_back(std::move(line));
  }

  std::size_t read_indent() {
    std::size_t columns = 0;
    for (; at_ < source_.size(); ++at_) {
      if (source_[at_] == ' ') {
        ++columns;
      } else if (source_[at_] == '\t') {
        columns = (columns / 8 + 1) * 8;  // As Python counts tabs.
      } else {
        break;
      }
    }
    return columns;
  }

  std::string_view read_token() {
    const std::size_t begin = at_;
    while (at_ < source_.size() && is_word(source_[at_])) ++at_;
    const bool can_be_string =
        at_ < source_.size() && is_quote(source_[at_]) &&
        is_string_prefix(source_.substr(begin, at_ - begin));
    if (can_be_string) {
      read_string();
    } else if (at_ == begin) {
      ++at_;  // An operator; longer ones become several tokens.
    }
    return source_.substr(begin, at_ - begin);
  }

  void read_string() {
    const std::string three(3, source_[at_]);
    const bool is_long = source_.substr(at_, 3) == three;
    const std::string_view close =
        is_long ? std::string_view(three) : std::string_view(three).substr(2);
    at_ += close.size();
    while (at_ < source_.size() && source_.substr(at_, close.size()) != close) {
      if (!is_long && source_[at_] == '\n') return;  // Not closed on its line.
      at_ += source_[at_] == '\\' ? 2 : 1;
    }
    at_ = std::min(at_ + close.size(), source_.size());
  }

  static int depth_change(std::string_view token) {
    if (token == "(" || token == "[" || token == "{") return 1;
    if (token == ")" || token == "]" || token == "}") return -1;
    return 0;
  }

  std::string_view source_;
  std::size_t at_ = 0;
  std::vector<PythonLine> lines_;
};

// The content of a string literal, with up to `indent` spaces removed from the
// front of each line.
std::string dedented_string(std::string_view literal, std::size_t indent) {
  literal.remove_prefix(literal.find_first_of("\"'"));
  const bool is_long = literal.size() >= 6 && literal[1] == literal[0] &&
                       literal[2] == literal[0];
  const std::size_t quotes = is_long ? 3 : 1;
  if (literal.size() < 2 * quotes) return "";
  literal = literal.substr(quotes, literal.size() - 2 * quotes);
  std::string text;
  for (std::size_t begin = 0; begin <= literal.size();) {
    const std::size_t end = std::min(literal.find('\n', begin), literal.size());
    std::string_view line = literal.substr(begin, end - begin);
    const std::size_t spaces =
        std::min(line.find_first_not_of(' '), line.size());
    if (begin > 0) line.remove_prefix(std::min(spaces, indent));
    text.append(line).push_back('\n');
    begin = end + 1;
  }
  const std::size_t first = text.find_first_not_of(" \n");
  if (first == std::string::npos) return "";
  return text.substr(first, text.find_last_not_of(" \n") + 1 - first);
}

// Returns the argument names of a def, without annotations and defaults.
std::vector<std::string> argument_names(const PythonLine& line,
                                        std::size_t begin) {
  std::vector<std::string> names;
  int depth = 0;
  bool is_name_next = false;
  for (std::size_t i = begin; i < line.tokens.size(); ++i) {
    const std::string_view token = line.tokens[i];
    if (token == "(" || token == "[" || token == "{") {
      is_name_next = ++depth == 1;
    } else if (token == ")" || token == "]" || token == "}") {
      if (--depth == 0) break;
    } else if (depth == 1 && token == ",") {
      is_name_next = true;
    } else if (is_name_next && is_word(token.front())) {
      names.emplace_back(token);
      is_name_next = false;
    }
  }
  return names;
}

}  // namespace

std::vector<PythonLine> python_lines(std::string_view source) {
  return LineCutter(source).cut();
}

PythonFunction python_function(const PythonLine& line) {
  std::size_t at = 0;
  if (line.tokens[at] == "async") ++at;
  if (at + 2 >= line.tokens.size() || line.tokens[at] != "def") return {};
  return {std::string(line.tokens[at + 1]), argument_names(line, at + 2)};
}

std::string python_docstring(std::string_view source, std::string_view name) {
  const std::vector<PythonLine> lines = python_lines(source);
  for (std::size_t i = 0; i + 1 < lines.size(); ++i) {
    if (lines[i].indent != 0 || python_function(lines[i]).name != name)
      continue;
    const PythonLine& next = lines[i + 1];
    if (next.indent == 0 || next.tokens.size() != 1 ||
        !is_string(next.tokens[0])) {
      return "";
    }
    return dedented_string(next.tokens[0], next.indent);
  }
  return "";
}

std::uint64_t python_hash(std::string_view source) {
  std::string text;
  std::vector<std::size_t> indents;
  for (const PythonLine& line : python_lines(source)) {
    if (std::ranges::all_of(line.tokens, is_string)) continue;  // A docstring.
    // Hashes the level of indentation, not its width.
    while (!indents.empty() && indents.back() > line.indent) indents.pop_back();
    if (indents.empty() || indents.back() < line.indent) {
      indents.push_back(line.indent);
    }
    text += static_cast<char>('0' + indents.size() % 64);
    for (const std::string_view token : line.tokens) {
      text.append(token).push_back('\x1f');
    }
    text.push_back('\n');
  }
  return stable_hash(text);
}

}  // namespace lamarck::problems
