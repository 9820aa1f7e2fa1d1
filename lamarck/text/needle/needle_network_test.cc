#include "lamarck/text/needle/needle_network.h"

#include <gtest/gtest.h>

#include <cmath>

#include "lamarck/base/rng.h"
#include "lamarck/text/needle/tiny_needle_fixture.h"

namespace lamarck::text {
namespace {

Result<NeedleNetwork> load(const TinyNeedleFiles& files) {
  const auto encoder = OnnxWeights::parse(files.encoder);
  const auto decoder = OnnxWeights::parse(files.decoder);
  if (!encoder) return encoder.error();
  if (!decoder) return decoder.error();
  return NeedleNetwork::make(*encoder, *decoder);
}

std::vector<float> scores_after(const NeedleNetwork& network,
                                const NeedleNetwork::Memory& memory,
                                const std::vector<std::int32_t>& tokens) {
  NeedleNetwork::Writer writer(network, memory);
  std::vector<float> scores;
  for (const std::int32_t token : tokens) {
    const auto last = writer.write(token);
    scores.assign(last.begin(), last.end());
  }
  return scores;
}

TEST(NeedleNetwork, ScoresDependOnWhatWasReadAndWrittenBefore) {
  const NeedleNetwork network = load(make_tiny_needle(20)).value();
  const auto memory = network.read(std::vector<std::int32_t>{3, 7, 7}, {});
  const auto other = network.read(std::vector<std::int32_t>{3, 7, 8}, {});
  const auto scores = scores_after(network, *memory, {1, 4, 5});
  ASSERT_EQ(scores.size(), 20u);
  for (const float score : scores) EXPECT_TRUE(std::isfinite(score));
  EXPECT_NE(scores, scores_after(network, *other, {1, 4, 5}));
  EXPECT_NE(scores, scores_after(network, *memory, {1, 5, 5}));
  EXPECT_EQ(scores, scores_after(network, *memory, {1, 4, 5}));
}

TEST(NeedleNetwork, RewindingForgetsTheLastTokensOnly) {
  const NeedleNetwork network = load(make_tiny_needle(20)).value();
  const auto memory = network.read(std::vector<std::int32_t>{3, 7, 7}, {});
  NeedleNetwork::Writer writer(network, *memory);
  for (const std::int32_t token : {1, 4, 9, 9}) writer.write(token);
  writer.rewind(2);
  const auto scores = writer.write(5);
  EXPECT_EQ(std::vector<float>(scores.begin(), scores.end()),
            scores_after(network, *memory, {1, 4, 5}));
  EXPECT_THROW(writer.rewind(4), LogicError);
  EXPECT_THROW(writer.write(20), LogicError);
}

TEST(NeedleNetwork, RefusesTokensItCannotRead) {
  const NeedleNetwork network = load(make_tiny_needle(20)).value();
  const auto fails = [&](const std::vector<std::int32_t>& tokens) {
    return !network.read(tokens, {});
  };
  EXPECT_TRUE(fails({}));
  EXPECT_TRUE(fails({20}));
  EXPECT_TRUE(fails({-1}));
  EXPECT_TRUE(fails({1, 1, 1, 1, 1, 1, 1}));
  EXPECT_FALSE(fails({1, 1, 1, 1, 1, 1}));
}

TEST(NeedleNetwork, RefusesFilesWhosePartsDoNotFit) {
  const TinyNeedleFiles files = make_tiny_needle(20);
  EXPECT_FALSE(load({.encoder = files.decoder, .decoder = files.decoder}));
  EXPECT_FALSE(load({.encoder = files.encoder, .decoder = files.encoder}));
  EXPECT_FALSE(load(
      {.encoder = files.encoder, .decoder = make_tiny_needle(21).decoder}));
}

// Whatever is damaged, loading either fails or yields a network that runs.
TEST(NeedleNetwork, SurvivesDamagedFiles) {
  const TinyNeedleFiles files = make_tiny_needle(20);
  Rng rng(7);
  for (int i = 0; i < 2000; ++i) {
    TinyNeedleFiles damaged = files;
    std::string& file = rng.below(2) == 0 ? damaged.encoder : damaged.decoder;
    if (rng.below(4) == 0) file.resize(rng.below(file.size()));
    for (auto n = 1 + rng.below(4); n > 0 && !file.empty(); --n) {
      file[rng.below(file.size())] = static_cast<char>(rng.below(256));
    }
    const auto network = load(damaged);
    if (!network) {
      EXPECT_FALSE(network.error().message().empty());
      continue;
    }
    const auto memory = network->read(std::vector<std::int32_t>{0, 1}, {});
    if (!memory) continue;
    NeedleNetwork::Writer writer(*network, *memory);
    EXPECT_EQ(writer.write(1).size(), network->vocabulary());
  }
}

TEST(OnnxWeights, ReadsHalfFloats) {
  const std::string raw = {'\x00', '\x3C', '\x00', '\xC0',
                           '\x01', '\x00', '\x00', '\x7C'};
  const std::string tensor = protobuf_bytes(1, {"\x02\x02", 2}) +
                             protobuf_number(2, 10) + protobuf_bytes(8, "w") +
                             protobuf_bytes(9, raw);
  const std::string file = protobuf_bytes(7, protobuf_bytes(5, tensor));
  const auto weights = OnnxWeights::parse(file).value();
  const auto values = weights.tensor("w", {2, -1}).value().values;
  EXPECT_EQ(values[0], 1.0f);
  EXPECT_EQ(values[1], -2.0f);
  EXPECT_EQ(values[2], 0x1p-24f);
  EXPECT_TRUE(std::isinf(values[3]));
  EXPECT_FALSE(weights.tensor("w", {4}));
  EXPECT_FALSE(weights.tensor("v", {2, 2}));
  EXPECT_FALSE(weights.tensor_for("y", {2, 2}));
}

TEST(OnnxWeights, RefusesTensorsThatClaimToBeHuge) {
  const std::string tensor = protobuf_number(1, std::uint64_t{1} << 31) +
                             protobuf_number(1, std::uint64_t{1} << 31) +
                             protobuf_number(1, std::uint64_t{1} << 31) +
                             protobuf_bytes(8, "w");
  EXPECT_FALSE(
      OnnxWeights::parse(protobuf_bytes(7, protobuf_bytes(5, tensor))));
  EXPECT_FALSE(OnnxWeights::parse(""));
  EXPECT_FALSE(OnnxWeights::parse("\x3A\x7F"));
}

}  // namespace
}  // namespace lamarck::text
