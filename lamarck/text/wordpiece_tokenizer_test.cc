#include "lamarck/text/wordpiece_tokenizer.h"

#include <gtest/gtest.h>

#include "lamarck/base/error.h"

namespace lamarck::text {
namespace {

constexpr std::string_view kSmallTokenizer = R"({
  "normalizer": {"type": "BertNormalizer", "lowercase": true},
  "pre_tokenizer": {"type": "BertPreTokenizer"},
  "model": {"type": "WordPiece", "continuing_subword_prefix": "##",
    "vocab": {"[UNK]": 0, "[CLS]": 1, "[SEP]": 2, "un": 3, "##aff": 4,
      "##able": 5, "cafe": 6, ",": 7, "天": 8, "[": 9, "]": 10, "sep": 11}}})";

using Tokens = std::vector<std::int32_t>;

Tokens small_tokens(std::string_view text, std::size_t max_tokens = 16) {
  return WordPieceTokenizer::parse(kSmallTokenizer)
      .value()
      .encode(text, max_tokens);
}

TEST(WordPieceTokenizer, SplitsWordsIntoTheLongestKnownPieces) {
  EXPECT_EQ(small_tokens("Unaffable"), (Tokens{1, 3, 4, 5, 2}));
  EXPECT_EQ(small_tokens("un,  CAFÉ"), (Tokens{1, 3, 7, 6, 2}));
  EXPECT_EQ(small_tokens("un天un"), (Tokens{1, 3, 8, 3, 2}));
  EXPECT_EQ(small_tokens("unx un"), (Tokens{1, 0, 3, 2}));
  EXPECT_EQ(small_tokens("u\x01n\xff"), (Tokens{1, 3, 2}));
  EXPECT_EQ(small_tokens(""), (Tokens{1, 2}));
}

TEST(WordPieceTokenizer, TreatsSpecialTokensInTextAsText) {
  EXPECT_EQ(small_tokens("[SEP]"), (Tokens{1, 9, 11, 10, 2}));
}

TEST(WordPieceTokenizer, CutsLongTexts) {
  EXPECT_EQ(small_tokens("un un un un", 4), (Tokens{1, 3, 3, 2}));
  EXPECT_EQ(small_tokens("unaffable", 3), (Tokens{1, 3, 2}));
  EXPECT_EQ(small_tokens("un", 2), (Tokens{1, 2}));
  EXPECT_THROW(small_tokens("un", 1), LogicError);
  EXPECT_EQ(small_tokens(std::string(101, 'x')), (Tokens{1, 0, 2}));
}

TEST(WordPieceTokenizer, RefusesOtherTokenizers) {
  for (const auto& [from, to] :
       {std::pair{"WordPiece", "BPE"}, std::pair{"\"[CLS]\": 1,", ""},
        std::pair{"true", "false"}, std::pair{"\"un\": 3", "\"un\": -3"},
        std::pair{"\"vocab\"", "\"words\""}, std::pair{"{", "["}}) {
    std::string json(kSmallTokenizer);
    json.replace(json.find(from), std::string_view(from).size(), to);
    EXPECT_FALSE(WordPieceTokenizer::parse(json)) << to;
  }
}

}  // namespace
}  // namespace lamarck::text
