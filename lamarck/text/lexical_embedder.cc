#include "lamarck/text/lexical_embedder.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <map>
#include <utility>

#include "lamarck/base/hash.h"
#include "lamarck/text/internal/characters.h"
#include "lamarck/text/internal/unit_length.h"

namespace lamarck::text {
namespace {

// Chosen on the first set of similarity_cases_fixture.cc; see
// docs/decisions/vectors.md.
constexpr float kGramWeight = 1.0f;
constexpr float kNumberWeight = 0.25f;
constexpr std::string_view kNumber = "#";

// Words that occur in requests of any kind.
constexpr std::array<std::string_view, 92> kStopWords = {
    "a",     "about", "after",  "all",   "also",  "am",   "an",   "and",
    "any",   "are",   "as",     "at",    "be",    "been", "but",  "by",
    "can",   "could", "did",    "do",    "does",  "each", "for",  "from",
    "get",   "give",  "had",    "has",   "have",  "he",   "her",  "his",
    "how",   "i",     "if",     "in",    "into",  "is",   "it",   "its",
    "just",  "let",   "like",   "me",    "more",  "my",   "need", "no",
    "not",   "of",    "on",     "one",   "or",    "our",  "out",  "please",
    "s",     "she",   "should", "so",    "some",  "t",    "that", "the",
    "their", "them",  "then",   "there", "these", "they", "this", "those",
    "to",    "up",    "use",    "used",  "using", "want", "was",  "we",
    "were",  "what",  "when",   "where", "which", "who",  "will", "with",
    "would", "you",   "your",   "given"};

bool is_stop_word(std::string_view word) {
  return std::ranges::find(kStopWords, word) != kStopWords.end();
}

bool ends_with_any(std::string_view word,
                   std::initializer_list<std::string_view> endings) {
  return std::ranges::any_of(
      endings, [&](std::string_view end) { return word.ends_with(end); });
}

bool is_vowel(char c) {
  return c == 'a' || c == 'e' || c == 'i' || c == 'o' || c == 'u' || c == 'y';
}

// Drops an ending, if at least three letters and a vowel remain.
bool drop_ending(std::string& word, std::string_view ending) {
  if (word.size() < ending.size() + 3 || !word.ends_with(ending)) return false;
  const std::string_view rest =
      std::string_view(word).substr(0, word.size() - ending.size());
  if (!std::ranges::any_of(rest, is_vowel)) return false;
  word.resize(rest.size());
  return true;
}

// A light stemmer for English, after the first steps of Porter's: it maps
// "files" and "file", "converting" and "convert" to one stem.
std::string stem(std::string word) {
  if (word.ends_with("ies") && word.size() > 4) {
    word.replace(word.size() - 3, 3, "y");
  } else if (ends_with_any(word, {"sses", "shes", "ches", "xes"})) {
    word.resize(word.size() - 2);
  } else if (!ends_with_any(word, {"ss", "us", "is"})) {
    drop_ending(word, "s");
  }
  if (drop_ending(word, "ing") || drop_ending(word, "ed")) {
    const std::size_t size = word.size();
    const bool is_doubled = size > 3 && word[size - 1] == word[size - 2] &&
                            !is_vowel(word.back()) &&
                            !ends_with_any(word, {"l", "s", "z"});
    if (is_doubled) word.pop_back();
  }
  drop_ending(word, "ation");
  drop_ending(word, "ion");
  drop_ending(word, "e");
  return word;
}

// Splits a text into words. A word ends where camelCase changes its case.
class WordSplitter {
 public:
  void add(char32_t code) {
    if (is_ideograph(code) || is_kana_or_hangul(code)) {
      flush();
      words.push_back({code});
      // These scripts have no spaces; pairs of characters replace words.
      if (pair_begin_ != 0) words.push_back({pair_begin_, code});
      pair_begin_ = code;
      return;
    }
    pair_begin_ = 0;
    if (code < 0x80) {
      add_letter(code);
      return;
    }
    for (const char32_t part : decompose({&code, 1})) {
      if (!is_nonspacing_mark(part)) add_letter(part);
    }
  }

  void flush() {
    if (!word_.empty()) words.push_back(std::exchange(word_, {}));
    was_lower_ = false;
  }

  std::vector<std::u32string> words;

 private:
  void add_letter(char32_t code) {
    const bool is_upper = is_upper_case(code);
    if (!is_letter_or_digit(code) || (is_upper && was_lower_)) flush();
    if (!is_letter_or_digit(code)) return;
    word_.push_back(lower_case(code));
    was_lower_ = !is_upper;
  }

  std::u32string word_;
  char32_t pair_begin_ = 0;  // 0 after a character of another script.
  bool was_lower_ = false;
};

std::vector<std::u32string> raw_words(std::string_view text) {
  WordSplitter splitter;
  for (const char32_t code : decode_utf8(text)) splitter.add(code);
  splitter.flush();
  return std::move(splitter.words);
}

bool has_digit(std::u32string_view word) {
  return std::ranges::any_of(
      word, [](char32_t code) { return code >= U'0' && code <= U'9'; });
}

// Adds to one dimension or subtracts from it, so that collisions cancel out on
// average.
class FeatureHasher {
 public:
  explicit FeatureHasher(std::vector<float>& vector) : vector_(vector) {}

  void add(std::string_view kind, std::string_view feature, float weight) {
    const std::uint64_t hash =
        stable_hash(std::string(kind) + std::string(feature));
    const float sign = (hash >> 63) != 0 ? -1.0f : 1.0f;
    vector_[hash % vector_.size()] += sign * weight;
  }

 private:
  std::vector<float>& vector_;
};

// Character trigrams, so that spellings, compounds and derived forms of a word
// are alike. All trigrams of a word together have the length kGramWeight.
void add_grams(std::string_view word, float weight, FeatureHasher& hasher) {
  const std::u32string padded = U'^' + decode_utf8(word) + U'$';
  if (padded.size() < 4) return;
  const auto count = static_cast<float>(padded.size() - 2);
  for (std::size_t i = 0; i + 3 <= padded.size(); ++i) {
    hasher.add("g", encode_utf8(std::u32string_view(padded).substr(i, 3)),
               weight * kGramWeight / std::sqrt(count));
  }
}

std::vector<float> embed_one(std::string_view text) {
  std::vector<float> vector(LexicalEmbedder::kDimensions, 0.0f);
  FeatureHasher hasher(vector);
  std::map<std::string, int> counts;
  for (const std::string& word : lexical_words(text)) ++counts[word];
  for (const auto& [word, count] : counts) {
    const float weight = 1 + std::log(static_cast<float>(count));
    if (word == kNumber) {
      hasher.add("w", word, kNumberWeight);
      continue;
    }
    hasher.add("w", word, weight);
    add_grams(word, weight, hasher);
  }
  make_unit_length(vector);
  return vector;
}

}  // namespace

SimilarityThresholds LexicalEmbedder::thresholds() const {
  return {.duplicate = 0.5, .fits = 0.31};
}

std::vector<std::string> lexical_words(std::string_view text) {
  std::vector<std::string> words;
  for (const std::u32string& raw : raw_words(text)) {
    if (has_digit(raw)) {
      // Numbers and codes are arguments; that there is one says little.
      words.emplace_back(kNumber);
      continue;
    }
    std::string word = encode_utf8(raw);
    if (!is_stop_word(word)) words.push_back(stem(std::move(word)));
  }
  return words;
}

Result<std::vector<std::vector<float>>> LexicalEmbedder::embed(
    const std::vector<std::string>& texts, const CancelToken& cancel) {
  std::vector<std::vector<float>> vectors;
  vectors.reserve(texts.size());
  for (const std::string& text : texts) {
    if (Result<void> still = cancel.check(); !still) return still.error();
    vectors.push_back(embed_one(text));
  }
  return vectors;
}

}  // namespace lamarck::text
