#include "lamarck/text/make_embedder.h"

#include <gtest/gtest.h>

#include <cmath>

#include "lamarck/text/endpoint_embedder.h"

namespace lamarck::text {
namespace {

// Returns (length of the text, 1) for each text and counts the calls.
class LengthModel : public llm::EmbeddingModel {
 public:
  const std::string& name() const override { return name_; }
  Result<llm::EmbeddingReply> embed(const std::vector<std::string>& texts,
                                    const CancelToken&) override {
    ++calls;
    llm::EmbeddingReply reply;
    for (const std::string& text : texts) {
      reply.vectors.push_back({static_cast<float>(text.size()), 1});
      reply.vectors.back().resize(dimensions, 0);
    }
    return reply;
  }

  int calls = 0;
  std::size_t dimensions = 2;

 private:
  std::string name_ = "length";
};

TEST(MakeEmbedder, MakesEveryKnownEmbedderOrSaysWhatIsMissing) {
  for (const EmbedderInfo& info : known_embedders()) {
    EmbedderSettings settings;
    settings.name = info.name;
    settings.model = std::make_shared<LengthModel>();
    const auto embedder = make_embedder(settings);
    if (embedder) {
      EXPECT_GT((*embedder)->dimensions(), 0u);
    } else {
      EXPECT_EQ(embedder.error().code(), ErrorCode::NotFound) << info.name;
    }
  }
  EXPECT_EQ(make_embedder({.name = "lexical"}).value()->id(), "lexical-1");
  EXPECT_EQ(make_embedder({.name = "endpoint"}).error().code(),
            ErrorCode::InvalidArgument);
  EXPECT_NE(make_embedder({.name = "fun"})
                .error()
                .message()
                .find("Unknown embedder 'fun'; use lexical"),
            std::string::npos);
}

TEST(EndpointEmbedder, NormalizesAndKeepsTheOrderOfBatches) {
  const auto model = std::make_shared<LengthModel>();
  const auto embedder = EndpointEmbedder::open(model, {}, {}).value();
  EXPECT_EQ(embedder->id(), "endpoint:length");
  EXPECT_EQ(embedder->dimensions(), 2u);
  std::vector<std::string> texts;
  for (std::size_t i = 0; i < 600; ++i) texts.emplace_back(i % 7, 'x');
  const auto vectors = embedder->embed(texts, {}).value();
  EXPECT_EQ(model->calls, 1 + 3);
  ASSERT_EQ(vectors.size(), texts.size());
  for (std::size_t i = 0; i < texts.size(); ++i) {
    const auto size = static_cast<double>(i % 7);
    if (i % 7 == 0) {
      EXPECT_EQ(vectors[i], (std::vector<float>{0, 0}));
    } else {
      EXPECT_NEAR(vectors[i][0], size / std::sqrt(size * size + 1), 1e-6);
    }
  }
}

TEST(EndpointEmbedder, RefusesVectorsOfAnotherSize) {
  const auto model = std::make_shared<LengthModel>();
  const auto embedder = EndpointEmbedder::open(model, {}, {}).value();
  model->dimensions = 3;
  EXPECT_NE(
      embedder->embed({"a"}, {}).error().message().find("2 dimensions, got 3"),
      std::string::npos);
}

}  // namespace
}  // namespace lamarck::text
