#include "lamarck/skills/internal/request_text.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>
#include <optional>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "lamarck/base/ascii.h"
#include "lamarck/base/string_split.h"
#include "lamarck/base/unicode.h"

namespace lamarck::skills::internal {
namespace {

constexpr std::size_t kMaxDescription = 300;

constexpr std::array<std::string_view, 106> kVerbs = {
    "add",       "analyse",  "analyze",  "answer",   "archive",   "arrange",
    "assign",    "attach",   "average",  "book",     "build",     "calculate",
    "call",      "cancel",   "change",   "check",    "classify",  "clean",
    "close",     "collect",  "combine",  "compare",  "compile",   "compress",
    "compute",   "convert",  "copy",     "correct",  "count",     "create",
    "delete",    "deploy",   "describe", "detect",   "download",  "draft",
    "draw",      "edit",     "estimate", "evaluate", "exchange",  "export",
    "extract",   "fetch",    "fill",     "filter",   "find",      "fix",
    "format",    "generate", "get",      "give",     "group",     "import",
    "insert",    "install",  "invite",   "list",     "locate",    "look",
    "make",      "measure",  "merge",    "modify",   "move",      "notify",
    "open",      "order",    "pay",      "plan",     "plot",      "post",
    "prepare",   "print",    "publish",  "query",    "rank",      "read",
    "record",    "refund",   "register", "remove",   "rename",    "replace",
    "report",    "reserve",  "resize",   "return",   "review",    "run",
    "save",      "schedule", "search",   "send",     "show",      "sort",
    "split",     "start",    "submit",   "sum",      "summarize", "test",
    "translate", "update",   "upload",   "write"};

constexpr std::array<std::string_view, 46> kStopWords = {
    "a",    "an",    "and",  "are",    "as",    "at",   "be",  "by",
    "can",  "for",   "from", "has",    "have",  "his",  "her", "i",
    "in",   "into",  "is",   "it",     "its",   "me",   "my",  "of",
    "on",   "or",    "our",  "please", "so",    "that", "the", "their",
    "them", "then",  "this", "to",     "up",    "us",   "was", "we",
    "what", "which", "will", "with",   "would", "you"};

// What people put before the verb.
constexpr std::array<std::string_view, 14> kPoliteness = {
    "please ",          "can you ",
    "could you ",       "would you ",
    "i want you to ",   "i want to ",
    "i would like to ", "i'd like to ",
    "i need to ",       "i need you to ",
    "help me ",         "help me to ",
    "let us ",          "now "};

std::string lower_text(std::string_view text) {
  std::string lower(text);
  for (char& c : lower) c = ascii::lower(c);
  return lower;
}

template <class List>
bool contains(const List& list, std::string_view word) {
  return std::find(list.begin(), list.end(), word) != list.end();
}

std::string_view without_politeness(std::string_view text) {
  for (bool changed = true; changed;) {
    changed = false;
    for (const std::string_view words : kPoliteness) {
      if (lower_text(text.substr(0, words.size())) == words) {
        text.remove_prefix(words.size());
        changed = true;
      }
    }
  }
  return text;
}

// The words outside of the placeholders.
std::vector<std::string> plain_words(std::string_view generalized) {
  std::vector<std::string> words;
  std::string word;
  int depth = 0;
  for (std::size_t at = 0; at <= generalized.size(); ++at) {
    const char c = at < generalized.size() ? generalized[at] : ' ';
    if (c == '(') ++depth;
    const bool is_part =
        depth == 0 && (ascii::is_word(c) || c == '-' || c == '\'' ||
                       static_cast<unsigned char>(c) >= 0x80);
    if (is_part) {
      word += c;
    } else if (!word.empty()) {
      words.push_back(std::move(word));
      word.clear();
    }
    if (c == ')' && depth > 0) --depth;
  }
  return words;
}

std::optional<double> number_at(std::string_view text, std::size_t at,
                                std::size_t& end) {
  std::string digits;
  end = at;
  while (end < text.size()) {
    const char c = text[end];
    const bool groups =
        c == ',' && end + 3 < text.size() && ascii::is_digit(text[end + 1]) &&
        ascii::is_digit(text[end + 2]) && ascii::is_digit(text[end + 3]);
    const bool is_point =
        c == '.' && end + 1 < text.size() && ascii::is_digit(text[end + 1]);
    if (!ascii::is_digit(c) && !groups && !is_point) break;
    if (!groups) digits += c;
    ++end;
  }
  double value = 0;
  const auto parsed =
      std::from_chars(digits.data(), digits.data() + digits.size(), value);
  if (parsed.ptr != digits.data() + digits.size()) return std::nullopt;
  return value;
}

bool contains_number(std::string_view request, double value) {
  for (std::size_t at = 0; at < request.size();) {
    const bool starts = ascii::is_digit(request[at]) &&
                        (at == 0 || !ascii::is_word(request[at - 1]));
    if (!starts) {
      ++at;
      continue;
    }
    std::size_t end = at;
    const auto number = number_at(request, at, end);
    const bool is_negative = at > 0 && request[at - 1] == '-';
    if (number && (*number == value || (is_negative && -*number == value))) {
      return end == request.size() || !ascii::is_word(request[end]);
    }
    at = std::max(end, at + 1);
  }
  return false;
}

}  // namespace

std::size_t find_literal(std::string_view text, std::string_view literal,
                         std::size_t from) {
  if (literal.empty()) return std::string_view::npos;
  const auto equals = [](char a, char b) {
    return ascii::lower(a) == ascii::lower(b);
  };
  for (auto at = text.begin() +
                 static_cast<std::ptrdiff_t>(std::min(from, text.size()));
       ; ++at) {
    at = std::search(at, text.end(), literal.begin(), literal.end(), equals);
    if (at == text.end()) return std::string_view::npos;
    const auto end = at + static_cast<std::ptrdiff_t>(literal.size());
    const bool begins = at == text.begin() || !ascii::is_word(*(at - 1)) ||
                        !ascii::is_word(literal.front());
    const bool ends = end == text.end() || !ascii::is_word(*end) ||
                      !ascii::is_word(literal.back());
    if (begins && ends) return static_cast<std::size_t>(at - text.begin());
  }
}

bool request_contains(std::string_view request, const Json& value) {
  if (value.is_number()) return contains_number(request, value.get<double>());
  if (!value.is_string()) return false;
  const std::string& text = value.get_ref<const std::string&>();
  if (text.size() < 2 && !(text.size() == 1 && ascii::is_digit(text[0]))) {
    return false;
  }
  for (std::size_t at = find_literal(request, text);
       at != std::string_view::npos; at = find_literal(request, text, at + 1)) {
    // The "json" of "report.json" is a part of that name.
    const bool is_suffix =
        at > 1 && request[at - 1] == '.' && ascii::is_word(request[at - 2]);
    if (!is_suffix) return true;
  }
  return false;
}

std::string generalized_request(std::string_view request,
                                std::vector<NamedLiteral> literals) {
  // Longer ones first, because one literal may contain another.
  std::stable_sort(literals.begin(), literals.end(),
                   [](const NamedLiteral& a, const NamedLiteral& b) {
                     return a.literal.size() > b.literal.size();
                   });
  std::string text;
  for (const char c : without_politeness(request)) {
    const bool is_bracket = c == '(' || c == ')';
    const bool is_control = static_cast<unsigned char>(c) < 0x20;
    text += is_bracket || is_control ? ' ' : c;
  }
  for (const NamedLiteral& named : literals) {
    const std::string placeholder =
        fmt::format("({})", spaced_words(named.parameter));
    for (std::size_t at = find_literal(text, named.literal);
         at != std::string::npos;
         at = find_literal(text, named.literal, at + placeholder.size())) {
      const std::size_t open = text.rfind('(', at);
      const bool is_inside =
          open != std::string::npos && text.find(')', open) > at;
      if (is_inside) {
        at = text.find(')', open);
        at = at > placeholder.size() ? at - placeholder.size() : 0;
        continue;
      }
      text.replace(at, named.literal.size(), placeholder);
    }
  }
  while (!text.empty() && (ascii::is_space(text.back()) || text.back() == '.' ||
                           text.back() == '?' || text.back() == '!')) {
    text.pop_back();
  }
  if (text.empty()) return text;
  text[0] = ascii::upper(text[0]);
  return truncate_characters(text, kMaxDescription) + ".";
}

bool is_verb(std::string_view word) {
  return contains(kVerbs, lower_text(word));
}

std::string skill_name(std::string_view generalized,
                       std::string_view last_tool) {
  std::vector<std::string> words = plain_words(generalized);
  const auto verb =
      std::find_if(words.begin(), words.end(),
                   [](const auto& word) { return is_verb(word); });
  // A verb soon after the start is the task; later ones are details.
  if (verb != words.end() && verb - words.begin() <= 4) {
    words.erase(words.begin(), verb);
  } else {
    const std::string tool = spaced_words(last_tool);
    const std::string first(split_text(tool, ' ').front());
    words.insert(words.begin(), is_verb(first) ? first : "do");
  }
  if (words.size() > 8) words.resize(8);
  while (words.size() > 1 && contains(kStopWords, lower_text(words.back()))) {
    words.pop_back();
  }
  std::string name = lower_text(join_text(words, " "));
  name[0] = ascii::upper(name[0]);
  return truncate_characters(name, 100, "");
}

std::vector<std::string> request_keywords(std::string_view generalized) {
  std::vector<std::string> keywords;
  for (const std::string& word : plain_words(generalized)) {
    const std::string lower = lower_text(word);
    const bool is_short = lower.size() < 3;
    if (is_short || contains(kStopWords, lower) || contains(keywords, lower)) {
      continue;
    }
    keywords.push_back(lower);
    if (keywords.size() == 12) break;
  }
  return keywords;
}

std::string spaced_words(std::string_view identifier) {
  std::string words;
  for (std::size_t i = 0; i < identifier.size(); ++i) {
    const char c = identifier[i];
    const bool is_capital = c >= 'A' && c <= 'Z';
    const bool follows_small =
        i > 0 && identifier[i - 1] >= 'a' && identifier[i - 1] <= 'z';
    if (is_capital && follows_small) words += ' ';
    words += ascii::is_alphanumeric(c) ? ascii::lower(c) : ' ';
  }
  return words;
}

}  // namespace lamarck::skills::internal
