#include "lamarck/archipelago/llm_source.h"

#include <algorithm>
#include <cctype>

#include "lamarck/base/string_split.h"

namespace lamarck::archipelago {
namespace {

bool is_ascii_word(char c) {
  return std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '_';
}

// Tracks brackets, strings and comments character by character.
class Nesting {
 public:
  // `rest` is the text from `c` on.
  void feed(char c, std::string_view rest) {
    if (skip_ > 0) {
      --skip_;
    } else if (in_comment_) {
      in_comment_ = c != '\n';
    } else if (!quote_.empty()) {
      feed_string(c, rest);
    } else if (c == '#') {
      in_comment_ = true;
    } else if (c == '"' || c == '\'') {
      begin_string(c, rest);
    } else if (c == '(' || c == '[' || c == '{') {
      ++depth_;
    } else if (c == ')' || c == ']' || c == '}') {
      depth_ =
          std::max(depth_ - 1, 0);  // Prose may close what it never opened.
    }
  }
  void feed_line(const std::string& line) {
    const std::string whole = line + "\n";
    for (std::size_t i = 0; i < whole.size(); ++i) {
      feed(whole[i], std::string_view(whole).substr(i));
    }
    is_continued_ = line.ends_with('\\');
  }

  bool is_in_triple_quotes() const { return quote_.size() == 3; }
  bool is_open() const {
    return depth_ > 0 || is_in_triple_quotes() || is_continued_;
  }
  bool is_bare_code() const {
    return quote_.empty() && !in_comment_ && depth_ == 0;
  }

 private:
  void begin_string(char c, std::string_view rest) {
    const std::string triple(3, c);
    quote_ = rest.starts_with(triple) ? triple : std::string(1, c);
    skip_ = quote_.size() - 1;
  }
  void feed_string(char c, std::string_view rest) {
    if (c == '\\') {
      skip_ = 1;
    } else if (rest.starts_with(quote_)) {
      skip_ = quote_.size() - 1;
      quote_.clear();
    } else if (c == '\n' && quote_.size() == 1) {
      quote_.clear();  // A single-quoted string ends with its line.
    }
  }

  int depth_ = 0;
  std::string quote_;     // Ends the current string; empty outside of strings.
  std::size_t skip_ = 0;  // Characters that are already handled.
  bool in_comment_ = false;
  bool is_continued_ = false;
};

std::string_view first_word(std::string_view line) {
  const auto end = std::ranges::find_if_not(line, is_ascii_word);
  return line.substr(0, static_cast<std::size_t>(end - line.begin()));
}

// "name = ..." or "name: type = ...".
bool is_assignment(std::string_view line) {
  const std::size_t word = first_word(line).size();
  if (word == 0) return false;
  line.remove_prefix(word);
  const std::size_t equals = line.find('=');
  if (equals == std::string_view::npos || line.substr(equals, 2) == "==") {
    return false;
  }
  const std::string_view between = line.substr(0, equals);
  return is_blank(between) || between.starts_with(':');
}

bool begins_function(std::string_view line) {
  return line.starts_with("def ") || line.starts_with("async def ");
}

bool begins_import(std::string_view line) {
  return line.starts_with("import ") ||
         (line.starts_with("from ") &&
          line.find(" import ") != std::string_view::npos);
}

SourceKind find_kind(std::string_view line) {
  if (begins_function(line)) return SourceKind::Function;
  if (begins_import(line)) return SourceKind::Import;
  return line.starts_with("class ") || is_assignment(line)
             ? SourceKind::Definition
             : SourceKind::Other;
}

std::string function_name(std::string_view line) {
  line.remove_prefix(line.find("def ") + 4);
  line.remove_prefix(indentation(line));
  return std::string(first_word(line));
}

// Whether a line outside of brackets and strings begins a statement.
bool begins_statement(std::string_view line) {
  return !is_blank(line) &&
         std::string_view(" \t#)]}").find(line[0]) == std::string_view::npos;
}

// Returns the position of `name` as a whole word before a parenthesis, or npos.
std::size_t find_call(std::string_view source, std::string_view name,
                      std::size_t from) {
  for (std::size_t at = source.find(name, from); at != std::string_view::npos;
       at = source.find(name, at + 1)) {
    std::size_t end = at + name.size();
    while (end < source.size() && source[end] == ' ') ++end;
    const bool begins = at == 0 || !is_ascii_word(source[at - 1]);
    if (begins && end < source.size() && source[end] == '(') return at;
  }
  return std::string_view::npos;
}

std::string with_spaces(std::string line) {
  for (std::size_t i = 0; i < line.size(); ++i) {
    if (line[i] == '\t') {
      line.replace(i, 1, "    ");
    } else if (line[i] != ' ') {
      break;
    }
  }
  return line;
}

}  // namespace

std::vector<std::string> source_lines(std::string_view source) {
  std::vector<std::string> lines;
  for (const auto& line : split_text(source, '\n')) lines.emplace_back(line);
  if (!lines.empty() && lines.back().empty()) lines.pop_back();
  return lines;
}

std::size_t indentation(std::string_view line) {
  return std::min(line.find_first_not_of(' '), line.size());
}

bool is_blank(std::string_view line) {
  return line.find_first_not_of(" \t\r") == std::string_view::npos;
}

std::vector<SourceBlock> source_blocks(std::string_view source) {
  std::vector<SourceBlock> blocks;
  Nesting nesting;
  bool is_decorated = false;  // A decorator: the next statement belongs to it.
  for (const std::string& line : source_lines(source)) {
    const bool is_function =
        begins_function(line) && !nesting.is_in_triple_quotes();
    // Forgets brackets that prose left open.
    if (is_function) nesting = {};
    const bool begins =
        is_function || (!nesting.is_open() && begins_statement(line));
    if (blocks.empty() || (begins && !is_decorated)) {
      blocks.push_back({.kind = find_kind(line), .name = {}, .text = {}});
    }
    if (is_function) {
      blocks.back().kind = SourceKind::Function;
      blocks.back().name = function_name(line);
    }
    if (begins) is_decorated = line[0] == '@';
    blocks.back().text += line + "\n";
    nesting.feed_line(line);
  }
  return blocks;
}

std::string dedented(std::string_view source) {
  std::vector<std::string> lines = source_lines(source);
  std::size_t common = std::string::npos;
  for (std::string& line : lines) {
    line = with_spaces(std::move(line));
    if (!is_blank(line)) common = std::min(common, indentation(line));
  }
  std::string result;
  for (const std::string& line : lines) {
    if (!is_blank(line)) result += line.substr(common);
    result += '\n';
  }
  return result;
}

std::string indented(std::string_view source, std::size_t spaces) {
  std::string result;
  for (const std::string& line : source_lines(source)) {
    if (!is_blank(line)) result += std::string(spaces, ' ') + line;
    result += '\n';
  }
  return result;
}

bool calls(std::string_view source, std::string_view name) {
  return find_call(source, name, 0) != std::string_view::npos;
}

std::string with_renamed(std::string_view source, std::string_view from,
                         std::string_view to) {
  std::string result;
  std::size_t done = 0;
  for (std::size_t at = find_call(source, from, 0);
       at != std::string_view::npos;
       at = find_call(source, from, at + from.size())) {
    result += source.substr(done, at - done);
    result += to;
    done = at + from.size();
  }
  result += source.substr(done);
  return result;
}

std::string find_header(std::string_view function_text) {
  const std::size_t begin = function_text.find("def ");
  if (begin == std::string_view::npos) return "";
  Nesting nesting;
  for (std::size_t i = begin; i < function_text.size(); ++i) {
    nesting.feed(function_text[i], function_text.substr(i));
    if (function_text[i] == ':' && nesting.is_bare_code()) {
      return std::string(function_text.substr(begin, i + 1 - begin));
    }
  }
  return "";
}

}  // namespace lamarck::archipelago
