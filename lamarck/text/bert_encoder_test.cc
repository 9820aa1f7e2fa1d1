#include "lamarck/text/bert_encoder.h"

#include <gtest/gtest.h>

#include <cmath>

#include "lamarck/base/rng.h"
#include "lamarck/text/internal/unit_length.h"

namespace lamarck::text {
namespace {

constexpr std::string_view kSmallConfig = R"({
  "model_type": "bert", "hidden_act": "gelu", "hidden_size": 8,
  "num_attention_heads": 2, "num_hidden_layers": 1, "intermediate_size": 12,
  "max_position_embeddings": 6, "layer_norm_eps": 1e-12})";

NamedTensors small_weights() {
  Rng rng(3);
  NamedTensors tensors;
  const auto add = [&](const std::string& name, const Shape& shape) {
    tensors[name] = Tensor::randn(shape, rng);
  };
  const auto add_linear = [&](const std::string& name, std::int64_t outputs,
                              std::int64_t inputs) {
    add(name + ".weight", {outputs, inputs});
    add(name + ".bias", {outputs});
  };
  const auto add_norm = [&](const std::string& name) {
    add(name + ".weight", {8});
    add(name + ".bias", {8});
  };
  add("embeddings.word_embeddings.weight", {5, 8});
  add("embeddings.position_embeddings.weight", {6, 8});
  add("embeddings.token_type_embeddings.weight", {2, 8});
  add_norm("embeddings.LayerNorm");
  const std::string layer = "encoder.layer.0.";
  for (const char* part : {"query", "key", "value"}) {
    add_linear(layer + "attention.self." + part, 8, 8);
  }
  add_linear(layer + "attention.output.dense", 8, 8);
  add_norm(layer + "attention.output.LayerNorm");
  add_linear(layer + "intermediate.dense", 12, 8);
  add_linear(layer + "output.dense", 8, 12);
  add_norm(layer + "output.LayerNorm");
  return tensors;
}

BertEncoder small_encoder() {
  return BertEncoder::make(BertConfig::parse(kSmallConfig).value(),
                           small_weights())
      .value();
}

using Texts = std::vector<std::vector<std::int32_t>>;

TEST(BertEncoder, GivesTheSameVectorAloneAndInABatch) {
  const BertEncoder encoder = small_encoder();
  const Texts texts = {{1, 2, 3}, {4}, {0, 0, 1, 2, 3, 4}, {3, 2, 1}};
  const auto together = encoder.encode(texts).value();
  for (std::size_t i = 0; i < texts.size(); ++i) {
    const auto alone = encoder.encode(Texts{texts[i]}).value().front();
    EXPECT_NEAR(inner_product(alone, together[i]), 1, 1e-5);
  }
  // Positions count, so the order of tokens does.
  EXPECT_LT(inner_product(together[0], together[3]), 0.9999);
}

TEST(BertEncoder, RefusesUnknownTokensAndLongTexts) {
  const BertEncoder encoder = small_encoder();
  for (const Texts& texts :
       {Texts{{5}}, Texts{{-1}}, Texts{{0, 0, 0, 0, 0, 0, 0}}}) {
    EXPECT_FALSE(encoder.encode(texts));
  }
}

TEST(BertEncoder, RefusesWeightsThatAreMissingOrHaveAnotherShape) {
  const BertConfig config = BertConfig::parse(kSmallConfig).value();
  for (const auto& [name, tensor] : small_weights()) {
    NamedTensors weights = small_weights();
    weights.erase(name);
    EXPECT_FALSE(BertEncoder::make(config, weights)) << name;
    weights[name] = Tensor::zeros({3, 3});
    EXPECT_FALSE(BertEncoder::make(config, weights)) << name;
  }
}

TEST(BertConfig, RefusesWhatItCannotRun) {
  for (const auto& [from, to] :
       {std::pair{"\"bert\"", "\"gpt2\""}, std::pair{"gelu", "relu"},
        std::pair{"\"num_attention_heads\": 2", "\"num_attention_heads\": 3"},
        std::pair{"\"hidden_size\": 8", "\"hidden_size\": 0"},
        std::pair{"1e-12", "null"}}) {
    std::string json(kSmallConfig);
    json.replace(json.find(from), std::string_view(from).size(), to);
    EXPECT_FALSE(BertConfig::parse(json)) << to;
  }
}

TEST(PackedMatrix, MultipliesAnyNumberOfRowsAndColumns) {
  Rng rng(5);
  for (const std::size_t outputs : {1, 31, 32, 70}) {
    for (const std::size_t rows : {1, 2, 7, 8, 9, 20}) {
      const std::size_t inputs = 13;
      const auto random = [&](std::size_t count) {
        std::vector<float> values(count);
        for (float& x : values) x = static_cast<float>(rng.normal());
        return values;
      };
      const auto weights = random(outputs * inputs);
      const auto x = random(rows * inputs);
      const auto bias = random(outputs);
      std::vector<float> y(rows * outputs);
      PackedMatrix(weights.data(), outputs, inputs)
          .multiply(x.data(), rows, bias.data(), y.data());
      for (std::size_t r = 0; r < rows; ++r) {
        for (std::size_t o = 0; o < outputs; ++o) {
          double sum = bias[o];
          for (std::size_t i = 0; i < inputs; ++i) {
            sum += double{x[r * inputs + i]} * weights[o * inputs + i];
          }
          EXPECT_NEAR(y[r * outputs + o], sum, 1e-4);
        }
      }
    }
  }
}

TEST(GeluInPlace, MatchesTheErrorFunction) {
  std::vector<float> x;
  for (float value = -30; value <= 30; value += 0.037f) x.push_back(value);
  std::vector<float> y = x;
  gelu_in_place(y.data(), y.size());
  for (std::size_t i = 0; i < x.size(); ++i) {
    const double expected =
        0.5 * x[i] * std::erfc(-double{x[i]} / std::sqrt(2));
    EXPECT_NEAR(y[i], expected, 1e-6 * (1 + std::abs(x[i])));
  }
}

}  // namespace
}  // namespace lamarck::text
