// Normalizes error messages: what remains is the same on another machine, at
// another place in a file and at another time.

#include <algorithm>
#include <array>
#include <string>
#include <string_view>
#include <vector>

#include "lamarck/base/ascii.h"
#include "lamarck/thought/failure.h"
#include "lamarck/thought/internal/failure_words.h"

namespace lamarck::thought {
namespace {

constexpr std::size_t kLines = 100;  // At the beginning and at the end.
constexpr std::size_t kLineBytes = 64 * 1024;  // Read per line.
constexpr std::size_t kLineKept = 1000;        // Bytes of the result.
constexpr std::size_t kMaxPath = 4096;

using ascii::is_blank;
using ascii::is_digit;
using ascii::is_letter;
using ascii::is_word;
using internal::is_ascii_path_char;
using internal::is_calendar_word;
using internal::is_hex_id;
using internal::is_path;
using internal::is_path_char;
using internal::is_quoted_path;
using internal::is_temporary;
using internal::is_uuid;
using internal::lowered;
using internal::starts_like_path;

// Normalizes one line in a single pass from left to right.
class LineNormalizer {
 public:
  explicit LineNormalizer(std::string_view line)
      : line_(line.substr(0, kLineBytes)) {}

  std::string normalized() {
    while (at_ < line_.size() && result_.size() < kLineKept) take_one();
    while (result_.ends_with(' ')) result_.pop_back();
    // Lines of compiler markers ("  ^~~~") carry no information.
    if (result_.find_first_not_of("^~ |") == std::string::npos) return "";
    return std::move(result_);
  }

 private:
  std::string_view rest() const { return line_.substr(at_); }

  void take_one() {
    const char c = line_[at_];
    if (c == '\x1b') return skip_escape();
    if (ascii::is_blank(c)) return take_space();
    if (take_quoted_path() || take_path()) return;
    if (ascii::is_word(c)) return take_word();
    result_ += c;
    ++at_;
  }

  // Skips a terminal escape sequence such as "\x1b[31m".
  void skip_escape() {
    ++at_;
    if (at_ >= line_.size() || line_[at_] != '[') return;
    while (at_ < line_.size() && !ascii::is_letter(line_[at_])) ++at_;
    if (at_ < line_.size()) ++at_;
  }

  void take_space() {
    if (!result_.empty() && !result_.ends_with(' ')) result_ += ' ';
    ++at_;
  }

  bool take_quoted_path() {
    static constexpr std::array<std::array<std::string_view, 2>, 6> kQuotes = {
        {{"\"", "\""},
         {"'", "'"},
         {"`", "`"},
         {"`", "'"},
         {"\u2018", "\u2019"},
         {"\u201c", "\u201d"}}};
    for (const auto& [open, close] : kQuotes) {
      if (!rest().starts_with(open)) continue;
      const std::string_view inside = rest().substr(open.size(), kMaxPath);
      const std::size_t end = inside.find(close);
      if (end == std::string_view::npos) continue;
      if (!is_quoted_path(inside.substr(0, end))) continue;
      at_ += open.size() + end + close.size();
      emit_path();
      return true;
    }
    return false;
  }

  bool take_path() {
    if (!is_ascii_path_char(line_[at_])) return false;
    if (at_ > 0 && is_ascii_path_char(line_[at_ - 1])) return false;
    std::size_t end = end_of_run();
    if (rest().substr(end - at_).starts_with("://")) return take_url(end);
    while (end > at_ && line_[end - 1] == '.') --end;
    const std::string_view run = line_.substr(at_, end - at_);
    if (run.starts_with("HTTP/")) return take_protocol(end);
    if (run.size() < 2 || !is_path(run)) return false;
    at_ = end;
    emit_path();
    return true;
  }

  std::size_t end_of_run() const {
    const std::size_t max = std::min(line_.size(), at_ + kMaxPath);
    std::size_t end = at_;
    // Skips a drive letter: its ':' is not a path character.
    if (ascii::is_letter(line_[at_]) && starts_like_path(rest())) end += 2;
    while (end < max && is_path_char(line_[end])) ++end;
    return end;
  }

  bool take_protocol(std::size_t end) {
    result_ += "HTTP";
    at_ = end;
    return true;
  }

  bool take_url(std::size_t end) {
    static constexpr std::string_view kEnds = " \t\"'`<>)],;";
    end = std::min(line_.find_first_of(kEnds, end), line_.size());
    at_ = end;
    result_ += "<url>";
    return true;
  }

  // Also consumes a position such as ":12:5" after the path.
  void emit_path() {
    result_ += "<path>";
    while (at_ + 1 < line_.size() && line_[at_] == ':' &&
           ascii::is_digit(line_[at_ + 1])) {
      ++at_;
      while (at_ < line_.size() && ascii::is_digit(line_[at_])) ++at_;
    }
  }

  void take_word() {
    if (is_uuid(rest())) {
      at_ += 36;
      return emit_number();
    }
    if (ascii::is_digit(line_[at_])) return take_number();
    std::size_t end = at_;
    while (end < line_.size() && ascii::is_word(line_[end])) ++end;
    const std::string_view word = line_.substr(at_, end - at_);
    at_ = end;
    if (is_hex_id(word) || (is_calendar_word(word) && number_follows())) {
      return emit_number();
    }
    if (is_temporary(word)) {
      result_ += "<path>";
    } else {
      result_ += word;
    }
  }

  bool number_follows() const {
    std::size_t next = at_;
    while (next < line_.size() && next < at_ + 3 &&
           (line_[next] == ' ' || line_[next] == ',')) {
      ++next;
    }
    return next < line_.size() && ascii::is_digit(line_[next]);
  }

  // A number, a date, a time, a version or an amount with its unit.
  void take_number() {
    const std::size_t begin = at_;
    while (at_ < line_.size() && is_part_of_number(at_)) ++at_;
    const std::string_view number = line_.substr(begin, at_ - begin);
    if (number.size() <= 6 && std::ranges::all_of(number, ascii::is_digit) &&
        names_error()) {
      result_ += number;
    } else {
      emit_number();
    }
  }

  bool is_part_of_number(std::size_t at) const {
    if (ascii::is_word(line_[at])) return true;
    const bool joins =
        std::string_view(".,:-+").find(line_[at]) != std::string_view::npos;
    return joins && at + 1 < line_.size() && ascii::is_digit(line_[at + 1]);
  }

  // Returns whether the word before the number makes it part of the error:
  // "errno 13", "status=404".
  bool names_error() const {
    const std::string_view before = result_;
    const std::size_t last = before.find_last_not_of(" =:[(#");
    if (last == std::string_view::npos) return false;
    const std::size_t gap = before.size() - last - 1;
    std::size_t first = last + 1;
    while (first > 0 && ascii::is_letter(before[first - 1])) --first;
    const std::string word = lowered(before.substr(first, last + 1 - first));
    if (word == "error") return gap == 1 && before.ends_with(' ');
    static constexpr std::array<std::string_view, 6> kWords = {
        "errno", "code", "status", "exit", "signal", "http"};
    return gap > 0 && gap <= 3 &&
           std::ranges::find(kWords, word) != kWords.end();
  }

  // Merges "# #" into "#", so that a date followed by a time counts as one
  // value.
  void emit_number() {
    if (result_.ends_with("# ") || result_.ends_with("#, ")) {
      result_.erase(result_.rfind('#'));
    }
    result_ += '#';
  }

  std::string_view line_;
  std::size_t at_ = 0;
  std::string result_;
};

// The first and the last lines. Reads from both ends, so the time does not
// depend on the length of the text.
std::vector<std::string_view> chosen_lines(std::string_view text) {
  std::vector<std::string_view> first;
  while (!text.empty() && first.size() < kLines) {
    const std::size_t end = std::min(text.find('\n'), text.size());
    first.push_back(text.substr(0, end));
    text.remove_prefix(std::min(end + 1, text.size()));
  }
  std::vector<std::string_view> last;
  while (!text.empty() && last.size() < kLines) {
    if (text.ends_with('\n')) text.remove_suffix(1);
    const std::size_t end = text.rfind('\n');
    const std::size_t begin = end == std::string_view::npos ? 0 : end + 1;
    last.push_back(text.substr(begin));
    text = text.substr(0, begin);
  }
  first.insert(first.end(), last.rbegin(), last.rend());
  return first;
}

}  // namespace

std::string normalized_failure(std::string_view stderr_text) {
  std::string result;
  for (const std::string_view line : chosen_lines(stderr_text)) {
    const std::string normalized = LineNormalizer(line).normalized();
    if (normalized.empty()) continue;
    if (!result.empty()) result += '\n';
    result += normalized;
  }
  return result;
}

}  // namespace lamarck::thought
