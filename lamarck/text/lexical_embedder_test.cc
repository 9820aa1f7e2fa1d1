#include "lamarck/text/lexical_embedder.h"

#include <gtest/gtest.h>

#include <cmath>

#include "lamarck/text/similarity_cases_fixture.h"
#include "lamarck/text/similarity_scores_fixture.h"

namespace lamarck::text {
namespace {

using Words = std::vector<std::string>;

std::vector<float> lexical_vector(const std::string& text) {
  LexicalEmbedder embedder;
  return embedder.embed({text}, {}).value().front();
}

TEST(LexicalWords, DropStopWordsEndingsAndAccents) {
  EXPECT_EQ(lexical_words("The reading_files"), (Words{"read", "fil"}));
  EXPECT_EQ(lexical_words("convertCsvFile"), (Words{"convert", "csv", "fil"}));
  EXPECT_EQ(lexical_words("stopped queries"), (Words{"stop", "query"}));
  EXPECT_EQ(lexical_words("CAFÉ über"), (Words{"caf", "uber"}));
  EXPECT_EQ(lexical_words("ЗАГРУЗИТЬ файл"), (Words{"загрузить", "фаил"}));
  EXPECT_EQ(lexical_words("天气 42"), (Words{"天", "气", "天气", "#"}));
  EXPECT_EQ(lexical_words("날 씨"), (Words{"날", "씨"}));
  EXPECT_TRUE(lexical_words(" \n… the !").empty());
}

TEST(LexicalEmbedder, VectorsHaveUnitLengthAndDependOnTheTextOnly) {
  const std::vector<float> vector =
      lexical_vector("Convert a CSV file to JSON");
  ASSERT_EQ(vector.size(), LexicalEmbedder::kDimensions);
  EXPECT_NEAR(inner_product(vector, vector), 1, 1e-5);
  EXPECT_EQ(vector, lexical_vector("convert: csv FILES to json!"));
  EXPECT_NE(vector, lexical_vector("Convert a CSV file to XML"));
}

TEST(LexicalEmbedder, TextsWithoutWordsYieldZeros) {
  for (const char* text : {"", "  ", "the", "\xff\xfe"}) {
    for (const float x : lexical_vector(text)) EXPECT_EQ(x, 0) << text;
  }
}

TEST(LexicalEmbedder, ThresholdsHoldOnCasesTheyWereNotMeasuredOn) {
  LexicalEmbedder embedder;
  const SimilarityScores scores = similarity_scores(embedder);
  // The figures of docs/decisions/vectors.md.
  EXPECT_GE(scores.found, 13) << "of " << scores.requests;
  EXPECT_GE(scores.abstained, 19) << "of " << scores.unrelated;
  EXPECT_GE(scores.duplicates_found, 9) << "of " << scores.requests;
  EXPECT_EQ(scores.false_duplicates, 0);
}

TEST(LexicalEmbedder, StopsWhenCancelled) {
  CancelSource source;
  source.cancel("Stop.");
  LexicalEmbedder embedder;
  EXPECT_EQ(embedder.embed({"a file"}, source.token()).error().code(),
            ErrorCode::Cancelled);
}

}  // namespace
}  // namespace lamarck::text
