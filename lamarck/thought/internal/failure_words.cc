#include "lamarck/thought/internal/failure_words.h"

#include <algorithm>
#include <array>

#include "lamarck/base/ascii.h"

namespace lamarck::thought::internal {

bool is_ascii_path_char(char c) {
  return ascii::is_word(c) ||
         std::string_view("./\\~+@%-").find(c) != std::string_view::npos;
}
bool is_path_char(char c) {
  return is_ascii_path_char(c) || static_cast<unsigned char>(c) >= 0x80;
}

std::string lowered(std::string_view text) {
  std::string result(text);
  std::ranges::transform(result, result.begin(), ascii::lower);
  return result;
}

namespace {

bool is_hex(char c) {
  return ascii::is_digit(c) || (c >= 'a' && c <= 'f') || (c >= 'A' && c <= 'F');
}

bool has_file_ending(std::string_view name) {
  // A list, because any dotted name ("os.path", "1.5") would otherwise be a
  // path.
  static constexpr std::array<std::string_view, 52> kEndings = {
      "py",  "pyc",  "ipynb", "js",  "mjs",  "cjs", "jsx", "ts",     "tsx",
      "c",   "cc",   "cpp",   "cxx", "h",    "hh",  "hpp", "rs",     "go",
      "kt",  "java", "class", "jar", "rb",   "php", "sh",  "md",     "txt",
      "rst", "json", "yaml",  "yml", "toml", "csv", "log", "so",     "o",
      "a",   "lock", "html",  "css", "xml",  "sql", "db",  "sqlite", "tmp",
      "cfg", "ini",  "conf",  "whl", "gz",   "zip", "pid"};
  const std::size_t dot = name.rfind('.');
  if (dot == std::string_view::npos || dot == 0) return false;
  return std::ranges::find(kEndings, lowered(name.substr(dot + 1))) !=
         kEndings.end();
}

}  // namespace

bool starts_like_path(std::string_view text) {
  if (text.size() >= 3 && ascii::is_letter(text[0]) && text[1] == ':' &&
      (text[2] == '\\' || text[2] == '/')) {
    return true;
  }
  return text.starts_with('/') || text.starts_with("./") ||
         text.starts_with("../") || text.starts_with("~/") ||
         text.starts_with("\\\\");
}

bool is_path(std::string_view run) {
  if (run.starts_with('@')) return false;
  return run.find_first_of("/\\") != std::string_view::npos ||
         has_file_ending(run);
}

bool is_quoted_path(std::string_view text) {
  if (text.empty()) return false;
  return starts_like_path(text) ||
         (text.find_first_of(" \t:") == std::string_view::npos &&
          is_path(text));
}

bool is_uuid(std::string_view text) {
  static constexpr std::string_view kShape =
      "xxxxxxxx-xxxx-xxxx-xxxx-xxxxxxxxxxxx";
  if (text.size() < kShape.size()) return false;
  for (std::size_t i = 0; i < kShape.size(); ++i) {
    const bool fits = kShape[i] == 'x' ? is_hex(text[i]) : text[i] == '-';
    if (!fits) return false;
  }
  return text.size() == kShape.size() || !ascii::is_word(text[kShape.size()]);
}

bool is_hex_id(std::string_view word) {
  return word.size() >= 7 && std::ranges::all_of(word, is_hex) &&
         std::ranges::any_of(word, ascii::is_digit);
}

bool is_temporary(std::string_view word) {
  if (word.starts_with("tmp")) return word.size() >= 7;
  return word.starts_with("temp") && word.size() > 5 &&
         (word[4] == '_' || ascii::is_digit(word[4]));
}

bool is_calendar_word(std::string_view word) {
  static constexpr std::array<std::string_view, 19> kWords = {
      "jan", "feb", "mar", "apr", "may", "jun", "jul", "aug", "sep", "oct",
      "nov", "dec", "mon", "tue", "wed", "thu", "fri", "sat", "sun"};
  return std::ranges::find(kWords, lowered(word)) != kWords.end();
}

}  // namespace lamarck::thought::internal
