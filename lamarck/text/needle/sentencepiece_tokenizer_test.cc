#include "lamarck/text/needle/sentencepiece_tokenizer.h"

#include <gtest/gtest.h>

#include "lamarck/base/rng.h"
#include "lamarck/text/needle/tiny_needle_fixture.h"

namespace lamarck::text {
namespace {

const std::string kMark = "\xE2\x96\x81";  // U+2581.

SentencePieceTokenizer tokenizer() {
  return SentencePieceTokenizer::parse(
             make_tiny_pieces({"ab", "bc", kMark + "a", "a", "b", "c", kMark}))
      .value();
}

std::vector<std::string> pieces_of(std::string_view text) {
  const SentencePieceTokenizer pieces = tokenizer();
  std::vector<std::string> found;
  for (const std::int32_t token : pieces.encode(text)) {
    found.push_back(pieces.bytes(token));
  }
  return found;
}

using Pieces = std::vector<std::string>;

TEST(SentencePieceTokenizer, MergesThePairWithTheBestScoreFirst) {
  EXPECT_EQ(pieces_of("abc"), (Pieces{" ", "ab", "c"}));
  EXPECT_EQ(pieces_of("ac"), (Pieces{" a", "c"}));
  EXPECT_EQ(pieces_of("ababa"), (Pieces{" ", "ab", "ab", "a"}));
}

TEST(SentencePieceTokenizer, JoinsSpacesAndDropsThoseAtTheEnds) {
  EXPECT_EQ(pieces_of("  c   a  "), (Pieces{" ", "c", " a"}));
  EXPECT_EQ(pieces_of(""), Pieces{});
  EXPECT_EQ(pieces_of("   "), Pieces{});
}

TEST(SentencePieceTokenizer, WritesUnknownCharactersAsBytes) {
  EXPECT_EQ(pieces_of("\xC3\xA9"), (Pieces{" ", "\xC3", "\xA9"}));
  EXPECT_EQ(pieces_of("\xFF"), (Pieces{" ", "\xEF", "\xBF", "\xBD"}));
}

TEST(SentencePieceTokenizer, KeepsUserDefinedPiecesWhole) {
  const SentencePieceTokenizer pieces = tokenizer();
  EXPECT_EQ(pieces.find("<tools>"), 5);
  const auto tokens = pieces.encode("a<tools>b");
  ASSERT_EQ(tokens.size(), 3u);
  EXPECT_EQ(tokens[1], 5);
  EXPECT_EQ(pieces.find("</s>"), 1);
  EXPECT_EQ(pieces.find("nothing"), -1);
}

TEST(SentencePieceTokenizer, DecodesWhatItEncoded) {
  const SentencePieceTokenizer pieces = tokenizer();
  for (const std::string text : {"abc a", "caf\xC3\xA9 b", "x<tools>y", ""}) {
    EXPECT_EQ(pieces.decode(pieces.encode(text)), text);
  }
  EXPECT_EQ(pieces.decode({0, 1, -5, 100'000}), "");
}

TEST(SentencePieceTokenizer, RefusesOtherModelsAndSurvivesDamage) {
  EXPECT_FALSE(SentencePieceTokenizer::parse(""));
  const std::string file = make_tiny_pieces({"a", "b"});
  EXPECT_FALSE(SentencePieceTokenizer::parse(
      file + protobuf_bytes(2, protobuf_number(3, 1))));
  EXPECT_FALSE(SentencePieceTokenizer::parse(
      file + protobuf_bytes(3, protobuf_bytes(2, "table"))));
  Rng rng(3);
  for (int i = 0; i < 2000; ++i) {
    std::string damaged = file;
    if (rng.below(4) == 0) damaged.resize(rng.below(damaged.size()));
    for (auto n = 1 + rng.below(4); n > 0 && !damaged.empty(); --n) {
      damaged[rng.below(damaged.size())] = static_cast<char>(rng.below(256));
    }
    const auto pieces = SentencePieceTokenizer::parse(damaged);
    if (pieces) pieces->encode("ab <tools> \xC3\xA9 c");
  }
}

}  // namespace
}  // namespace lamarck::text
