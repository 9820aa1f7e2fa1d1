#include "lamarck/text/wordpiece_tokenizer.h"

#include <algorithm>
#include <utility>
#include <nlohmann/json.hpp>

#include "lamarck/base/ensure.h"
#include "lamarck/base/json.h"
#include "lamarck/base/macros.h"
#include "lamarck/base/one_line.h"
#include "lamarck/text/internal/characters.h"

namespace lamarck::text {
namespace {

constexpr std::size_t kMaxWordSize = 100;  // Longer words are unknown.
constexpr std::string_view kContinuation = "##";

bool is_bert_space(char32_t code) {
  return code == U' ' || code == U'\t' || code == U'\n' || code == U'\r' ||
         code == 0x2028 || code == 0x2029 || is_space_separator(code);
}

bool is_bert_punctuation(char32_t code) {
  const bool is_ascii =
      (code >= 33 && code <= 47) || (code >= 58 && code <= 64) ||
      (code >= 91 && code <= 96) || (code >= 123 && code <= 126);
  return is_ascii || is_punctuation_category(code);
}

std::u32string clean_text(std::string_view text) {
  std::u32string cleaned;
  for (const char32_t code : decode_utf8(text)) {
    if (is_bert_space(code)) {
      cleaned.push_back(U' ');
    } else if (is_ideograph(code)) {
      cleaned.append({U' ', code, U' '});
    } else if (code != U'\uFFFD' && !is_control(code)) {
      cleaned.push_back(code);
    }
  }
  return cleaned;
}

std::u32string normalize_text(std::string_view text) {
  std::u32string normalized;
  for (const char32_t code : decompose(clean_text(text))) {
    if (!is_nonspacing_mark(code)) normalized.push_back(lower_case(code));
  }
  return normalized;
}

// Words and single punctuation marks.
std::vector<std::u32string> split_words(const std::u32string& text) {
  std::vector<std::u32string> words;
  std::u32string word;
  for (const char32_t code : text) {
    const bool is_mark = is_bert_punctuation(code);
    if (!is_mark && !is_bert_space(code)) {
      word.push_back(code);
      continue;
    }
    if (!word.empty()) words.push_back(std::exchange(word, {}));
    if (is_mark) words.push_back({code});
  }
  if (!word.empty()) words.push_back(std::move(word));
  return words;
}

Error wrong_tokenizer(const std::string& what) {
  return Error(ErrorCode::Unsupported,
               "tokenizer.json must describe an uncased WordPiece tokenizer: " +
                   what + ".");
}

Result<void> check_field(const Json& object, std::string_view part,
                         std::string_view field, const Json& expected) {
  const Json& found = object.value(std::string(part), Json::object());
  const Json value =
      found.is_object() ? found.value(std::string(field), Json()) : Json();
  if (value == expected) return {};
  return wrong_tokenizer(std::string(part) + "." + std::string(field) +
                         " must be " + expected.dump() + ", got " +
                         one_line(value.dump(), 40));
}

}  // namespace

Result<WordPieceTokenizer> WordPieceTokenizer::parse(std::string_view json) {
  ASSIGN_OR_RETURN(const Json root,
                   parse_json(json, {.size_bytes = 64 << 20, .depth = 16}));
  if (!root.is_object()) return wrong_tokenizer("it is not a JSON object");
  RETURN_IF_ERROR(check_field(root, "model", "type", "WordPiece"));
  RETURN_IF_ERROR(
      check_field(root, "model", "continuing_subword_prefix", kContinuation));
  RETURN_IF_ERROR(check_field(root, "normalizer", "type", "BertNormalizer"));
  RETURN_IF_ERROR(check_field(root, "normalizer", "lowercase", true));
  RETURN_IF_ERROR(
      check_field(root, "pre_tokenizer", "type", "BertPreTokenizer"));
  const Json vocabulary = root["model"].value("vocab", Json());
  if (!vocabulary.is_object()) return wrong_tokenizer("it has no vocabulary");
  WordPieceTokenizer tokenizer;
  for (const auto& [piece, id] : vocabulary.items()) {
    if (!id.is_number_unsigned() || id.get<std::uint64_t>() >= 1u << 30) {
      return wrong_tokenizer("a number of its vocabulary is out of range");
    }
    tokenizer.pieces_.emplace(piece, id.get<std::int32_t>());
  }
  for (const auto& [name, id] : {std::pair{"[UNK]", &tokenizer.unknown_},
                                 std::pair{"[CLS]", &tokenizer.begin_},
                                 std::pair{"[SEP]", &tokenizer.end_}}) {
    const auto found = tokenizer.pieces_.find(name);
    if (found == tokenizer.pieces_.end()) {
      return wrong_tokenizer(std::string("its vocabulary has no ") + name);
    }
    *id = found->second;
  }
  return tokenizer;
}

void WordPieceTokenizer::append_word(std::u32string_view word,
                                     std::vector<std::int32_t>& tokens) const {
  const std::size_t first = tokens.size();
  const auto give_up = [&] {
    tokens.resize(first);
    tokens.push_back(unknown_);
  };
  if (word.size() > kMaxWordSize) return give_up();
  std::size_t begin = 0;
  while (begin < word.size()) {
    std::size_t end = word.size();
    for (; end > begin; --end) {
      std::string piece(begin > 0 ? kContinuation : "");
      piece += encode_utf8(word.substr(begin, end - begin));
      if (const auto found = pieces_.find(piece); found != pieces_.end()) {
        tokens.push_back(found->second);
        break;
      }
    }
    if (end == begin) return give_up();
    begin = end;
  }
}

std::vector<std::int32_t> WordPieceTokenizer::encode(
    std::string_view text, std::size_t max_tokens) const {
  REQUIRE(max_tokens >= 2,
          "WordPieceTokenizer: max_tokens must be at least 2, got {}.",
          max_tokens);
  std::vector<std::int32_t> tokens = {begin_};
  for (const std::u32string& word : split_words(normalize_text(text))) {
    append_word(word, tokens);
    if (tokens.size() >= max_tokens) break;
  }
  tokens.resize(std::min(tokens.size(), max_tokens - 1));
  tokens.push_back(end_);
  return tokens;
}

}  // namespace lamarck::text
