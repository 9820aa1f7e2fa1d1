#include "lamarck/text/needle/value_literals.h"

#include <algorithm>
#include <array>
#include <nlohmann/json.hpp>

#include "lamarck/base/ascii.h"

namespace lamarck::text {
namespace {

constexpr std::size_t kMaxWords = 12;
constexpr std::size_t kMaxLiterals = 1000;
constexpr std::size_t kMaxTextBytes = 400;
constexpr std::size_t kMaxDepth = 32;

constexpr std::string_view kOpening = "\"'([{<`";
constexpr std::string_view kClosing = "\"')]}>`.,;:!?";

bool is_space(char c) {
  return c == ' ' || c == '\t' || c == '\n' || c == '\r';
}

// The part of a word that a value can consist of: [begin, end).
struct Word {
  std::size_t begin = 0;
  std::size_t end = 0;
  bool ends_phrase = false;  // A value does not continue behind it.
  bool is_function = false;  // A preposition, a conjunction or the like.
  bool joins_names = false;  // Can be inside of a name.
  bool is_upper = false;     // Begins with a capital.
};

// Words that join values and are seldom a part of them.
constexpr std::array<std::string_view, 51> kFunctionWords = {
    "because", "so",   "if",   "when", "while", "are",  "was",   "be",    "not",
    "a",       "an",   "and",  "as",   "at",    "by",   "for",   "from",  "he",
    "her",     "him",  "his",  "i",    "in",    "into", "is",    "it",    "its",
    "me",      "my",   "of",   "on",   "or",    "our",  "she",   "that",  "the",
    "their",   "them", "then", "they", "this",  "to",   "under", "until", "us",
    "via",     "we",   "with", "you",  "your",  "about"};
constexpr std::array<std::string_view, 3> kNameJoints = {"and", "of", "the"};
constexpr std::size_t kMinClauseWords = 3;

std::string lower_word(std::string_view word) {
  std::string lower(word);
  std::ranges::transform(lower, lower.begin(), ascii::lower);
  return lower;
}

Word trimmed_word(std::string_view text, std::size_t begin, std::size_t end) {
  Word word{.begin = begin, .end = end};
  while (word.begin < word.end &&
         kOpening.find(text[word.begin]) != std::string_view::npos) {
    ++word.begin;
  }
  while (word.end > word.begin &&
         kClosing.find(text[word.end - 1]) != std::string_view::npos) {
    --word.end;
  }
  constexpr std::string_view kPossessive = "'s";
  if (text.substr(word.begin, word.end - word.begin).ends_with(kPossessive)) {
    word.end -= kPossessive.size();
    word.ends_phrase = true;
  }
  for (std::size_t i = word.end; i < end; ++i) {
    if (text[i] != '\'') word.ends_phrase = true;
  }
  const std::string_view kept = text.substr(word.begin, word.end - word.begin);
  word.is_function = std::ranges::find(kFunctionWords, lower_word(kept)) !=
                     kFunctionWords.end();
  word.is_upper = !kept.empty() && kept[0] >= 'A' && kept[0] <= 'Z';
  word.joins_names =
      std::ranges::find(kNameJoints, lower_word(kept)) != kNameJoints.end();
  return word;
}

std::vector<Word> split_words(std::string_view text) {
  std::vector<Word> words;
  for (std::size_t at = 0; at < text.size();) {
    while (at < text.size() && is_space(text[at])) ++at;
    const std::size_t begin = at;
    while (at < text.size() && !is_space(text[at])) ++at;
    if (at > begin) words.push_back(trimmed_word(text, begin, at));
  }
  if (!words.empty()) words.back().ends_phrase = true;
  return words;
}

constexpr std::array<std::string_view, 13> kNumberWords = {
    "zero",  "one",   "two",  "three", "four",   "five",  "six",
    "seven", "eight", "nine", "ten",   "eleven", "twelve"};

// "1,200.50" -> "1200.50"; empty if it is not a number.
std::string plain_number(std::string_view word) {
  std::string digits;
  bool has_point = false;
  for (std::size_t i = 0; i < word.size(); ++i) {
    const char c = word[i];
    const bool is_last = i + 1 == word.size();
    if (ascii::is_digit(c) || (c == '-' && i == 0 && !is_last)) {
      digits += c;
    } else if (c == '.' && !has_point && i > 0 && !is_last) {
      has_point = true;
      digits += c;
    } else if (c != ',' || i == 0 || is_last) {
      return "";
    }
  }
  // JSON does not allow leading zeros.
  const std::size_t first = digits.starts_with('-') ? 1 : 0;
  if (digits.size() > first + 1 && digits[first] == '0' &&
      digits[first + 1] != '.') {
    return "";
  }
  return digits.size() > first && digits.size() < 18 ? digits : "";
}

void add_word_numbers(std::string_view word, ValueLiterals& literals) {
  const std::string lower = lower_word(word);
  const auto named = std::ranges::find(kNumberWords, lower);
  if (named != kNumberWords.end()) {
    literals.add_number(std::to_string(named - kNumberWords.begin()));
  }
  // "$45", "20%", "30min": the digits in front or behind.
  std::size_t begin = 0;
  while (begin < word.size() && !ascii::is_digit(word[begin]) &&
         word[begin] != '-') {
    ++begin;
  }
  std::size_t end = word.size();
  while (end > begin && !ascii::is_digit(word[end - 1])) --end;
  std::string number = plain_number(word.substr(begin, end - begin));
  if (!number.empty()) literals.add_number(std::move(number));
}

// Whether words [first, last] can be a value: words without function words,
// names such as "Bank of America", or a clause up to the end of its phrase.
bool is_value(const std::vector<Word>& words, std::size_t first,
              std::size_t last) {
  if (words[first].begin >= words[first].end ||
      words[last].begin >= words[last].end || words[last].is_function) {
    return false;
  }
  bool has_joint = words[first].is_function;
  for (std::size_t i = first + 1; i < last; ++i) {
    const bool is_name =
        words[i].joins_names && words[i - 1].is_upper && words[i + 1].is_upper;
    has_joint = has_joint || (words[i].is_function && !is_name);
  }
  if (!has_joint) return true;
  return words[last].ends_phrase && last - first + 1 >= kMinClauseWords;
}

void add_quoted(std::string_view text, ValueLiterals& literals) {
  for (const char quote : {'"', '\'', '`'}) {
    for (std::size_t at = 0;;) {
      const std::size_t begin = text.find(quote, at);
      if (begin == std::string_view::npos) break;
      const std::size_t end = text.find(quote, begin + 1);
      if (end == std::string_view::npos) break;
      const bool is_inside_word =
          begin > 0 && !is_space(text[begin - 1]) &&
          kOpening.find(text[begin - 1]) == std::string_view::npos;
      at = is_inside_word ? begin + 1 : end + 1;
      if (is_inside_word) continue;
      literals.add_text(std::string(text.substr(begin + 1, end - begin - 1)));
    }
  }
}

void add_leaves(const Json& value, std::size_t depth, ValueLiterals& literals) {
  if (value.is_string()) {
    literals.add_text(value.get<std::string>());
  } else if (value.is_number()) {
    literals.add_number(dump_json(value));
    literals.add_text(dump_json(value));
  } else if (value.is_structured() && depth < kMaxDepth) {
    for (const Json& one : value) add_leaves(one, depth + 1, literals);
  }
}

}  // namespace

void ValueLiterals::add_text(std::string text) {
  if (text.empty() || text.size() > kMaxTextBytes ||
      texts.size() == kMaxLiterals) {
    return;
  }
  if (std::ranges::find(texts, text) == texts.end()) {
    texts.push_back(std::move(text));
  }
}

void ValueLiterals::add_number(std::string number) {
  if (numbers.size() == kMaxLiterals) return;
  if (std::ranges::find(numbers, number) == numbers.end()) {
    numbers.push_back(std::move(number));
  }
}

void ValueLiterals::add_request(std::string_view request) {
  add_quoted(request, *this);
  const std::vector<Word> words = split_words(request);
  for (std::size_t i = 0; i < words.size(); ++i) {
    const std::size_t begin = words[i].begin;
    add_word_numbers(request.substr(begin, words[i].end - begin), *this);
    for (std::size_t j = i; j < std::min(words.size(), i + kMaxWords); ++j) {
      if (is_value(words, i, j)) {
        add_text(std::string(request.substr(begin, words[j].end - begin)));
      }
      if (words[j].ends_phrase) break;
    }
  }
}

void ValueLiterals::add_result(const Json& result) {
  add_leaves(result, 0, *this);
}

}  // namespace lamarck::text
