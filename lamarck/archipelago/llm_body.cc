#include "lamarck/archipelago/llm_body.h"

#include <algorithm>
#include <cstddef>
#include <vector>

#include "lamarck/archipelago/llm_source.h"

namespace lamarck::archipelago {
namespace {

bool looks_like_statement(std::string_view line) {
  line.remove_prefix(indentation(line));
  for (const std::string_view start :
       {"return ", "return(", "if ", "for ", "while ", "\"\"\"", "'''", "#"}) {
    if (line.starts_with(start)) return true;
  }
  // An assignment. Prose that contains an equals sign usually has punctuation
  // or more words before it.
  const std::size_t equals = line.find('=');
  return equals != std::string_view::npos &&
         line.substr(0, equals).find_first_of("(.:!?'") ==
             std::string_view::npos &&
         std::ranges::count(line.substr(0, equals), ' ') <= 2;
}

// The index after the last return statement, including lines that continue it:
// those indented further, or starting with a closing bracket.
std::size_t end_of_code(const std::vector<std::string>& lines) {
  std::size_t end = 0;
  for (std::size_t i = 0; i < lines.size(); ++i) {
    const std::size_t depth = indentation(lines[i]);
    if (lines[i].substr(depth, 6) != "return") continue;
    end = i + 1;
    while (end < lines.size() && !is_blank(lines[end]) &&
           (indentation(lines[end]) > depth ||
            std::string_view(")]}").find(lines[end][0]) !=
                std::string_view::npos)) {
      ++end;
    }
  }
  return end;
}

std::string code_lines(std::string_view text) {
  const std::vector<std::string> lines = source_lines(text);
  const auto first = std::ranges::find_if(lines, looks_like_statement);
  const std::size_t end = end_of_code(lines);
  std::string code;
  for (auto i = static_cast<std::size_t>(first - lines.begin()); i < end; ++i) {
    code += lines[i] + "\n";
  }
  return code;
}

// A model that continues after the header often indents all lines but the
// first.
std::string with_even_indentation(const std::string& code) {
  const std::vector<std::string> lines = source_lines(code);
  if (lines.size() < 2 || lines[0].ends_with(':') ||
      lines[0].find_first_of("([{") != std::string::npos ||
      indentation(lines[1]) <= indentation(lines[0])) {
    return code;
  }
  return std::string(indentation(lines[1]) - indentation(lines[0]), ' ') + code;
}

// Where the value begins in "y = ...", "f = lambda x: ..." or a bare value.
std::size_t value_begin(std::string_view line) {
  if (const auto lambda = line.find("lambda"); lambda < line.size()) {
    return std::min(line.find(':', lambda), line.size() - 1) + 1;
  }
  const std::size_t equals = line.find('=');
  if (equals == std::string_view::npos || equals == 0 ||
      line.substr(equals, 2) == "==" ||
      std::string_view("<>!").find(line[equals - 1]) !=
          std::string_view::npos) {
    return 0;
  }
  return equals + 1;
}

std::string only_line_returned(std::string_view text) {
  std::string only;
  for (const std::string& line : source_lines(text)) {
    if (is_blank(line)) continue;
    if (!only.empty()) return "";
    only = line;
  }
  const std::string value = dedented(only.substr(value_begin(only)));
  return is_blank(only) ? "" : "return " + value;
}

}  // namespace

std::string function_body(std::string_view text) {
  std::string code = code_lines(text);
  if (code.empty()) code = only_line_returned(text);
  return indented(dedented(with_even_indentation(code)), 4);
}

}  // namespace lamarck::archipelago
