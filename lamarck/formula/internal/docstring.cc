#include "lamarck/formula/internal/docstring.h"

#include <algorithm>
#include <vector>

namespace lamarck::formula {
namespace {

// Splits into lines, with tabs expanded to four spaces.
std::vector<std::string> split_lines(std::string_view text) {
  std::vector<std::string> lines(1);
  for (const char c : text) {
    if (c == '\n') {
      lines.emplace_back();
    } else if (c != '\r') {
      lines.back() += c == '\t' ? std::string(4, ' ') : std::string(1, c);
    }
  }
  return lines;
}

void trim_end(std::string& text) {
  text.erase(text.find_last_not_of(" \n") + 1);
}

}  // namespace

std::string clean_docstring(std::string_view raw) {
  std::vector<std::string> lines = split_lines(raw);
  std::size_t shared = std::string::npos;
  for (std::size_t i = 1; i < lines.size(); ++i) {
    shared = std::min(shared, lines[i].find_first_not_of(' '));
  }
  std::string result;
  for (std::size_t i = 0; i < lines.size(); ++i) {
    // The first line follows the quotes and has no indentation.
    trim_end(lines[i]);
    const std::size_t skipped =
        i == 0 ? lines[0].find_first_not_of(' ') : shared;
    result += lines[i].substr(std::min(skipped, lines[i].size())) + "\n";
  }
  trim_end(result);
  result.erase(0, std::min(result.find_first_not_of('\n'), result.size()));
  return result;
}

std::string quoted_docstring(std::string_view docstring,
                             std::string_view indentation) {
  std::string result = "\"\"\"";
  for (std::size_t i = 0; i < docstring.size(); ++i) {
    const char c = docstring[i];
    // A quote at the end or before another quote could close the string early.
    const bool may_end =
        c == '"' && (i + 1 == docstring.size() || docstring[i + 1] == '"');
    if (c == '\\' || may_end) result += '\\';
    result += c;
    if (c == '\n') result += indentation;
  }
  return result + "\"\"\"";
}

}  // namespace lamarck::formula
