#include "lamarck/store/internal/delta_compression.h"

#include <gtest/gtest.h>

#include "lamarck/base/rng.h"

namespace lamarck::store::internal {
namespace {

std::string random_text(Rng& rng, std::size_t max_size) {
  std::string text;
  const std::size_t size = rng.below(max_size + 1);
  const std::uint64_t letters = rng.chance(0.5) ? 3 : 256;
  while (text.size() < size) {
    text.push_back(static_cast<char>(rng.below(letters)));
  }
  return text;
}

TEST(Likeness, CompressesSimilarAnswers) {
  const std::string first =
      R"({"event_id":"evt_018f3c6e-7d2a-7b41-9c55-3f0e8d1a2b4c","seq":7,)"
      R"("status":"open","budget":{"tokens_used":9500,"tokens_left":40500}})";
  const std::string second =
      R"({"event_id":"evt_018f3c6e-8e11-7c02-8a10-00aa11bb22cc","seq":8,)"
      R"("status":"open","budget":{"tokens_used":9600,"tokens_left":40400}})";
  const std::string packed = pack_like(second, first);

  EXPECT_LT(packed.size(), 60u);
  EXPECT_EQ(unpack_like(packed, first), second);
}

TEST(Likeness, RoundTripsEveryText) {
  for (std::uint64_t seed = 0; seed < 400; ++seed) {
    Rng rng(seed);
    const std::string pattern = random_text(rng, seed % 10 == 0 ? 70000 : 300);
    std::string text = random_text(rng, seed % 10 == 1 ? 200000 : 300);
    if (rng.chance(0.5)) text += pattern + random_text(rng, 20) + pattern;
    const std::string packed = pack_like(text, pattern);
    ASSERT_EQ(unpack_like(packed, pattern), text) << "seed " << seed;
    EXPECT_LE(packed.size(), text.size() + text.size() / 64 + 1)
        << "seed " << seed;
  }
}

TEST(Likeness, RejectsInvalidBytes) {
  EXPECT_EQ(unpack_like("\x05"
                        "abc",
                        ""),
            std::nullopt);
  EXPECT_EQ(unpack_like("\x80", "pattern"), std::nullopt);
  EXPECT_EQ(unpack_like("\x80\xff\xff", "pattern"), std::nullopt);
  for (std::uint64_t seed = 0; seed < 2000; ++seed) {
    Rng rng(seed);
    const auto text = unpack_like(random_text(rng, 40), "some pattern");
    EXPECT_LE(text.value_or("").size(), 40u * 131u);
  }
}

}  // namespace
}  // namespace lamarck::store::internal
