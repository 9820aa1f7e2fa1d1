#include "lamarck/crew/byte_stream.h"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>

#include "lamarck/base/rng.h"
#include "lamarck/crew/crew_message.h"

namespace lamarck::crew {
namespace {

TEST(ByteStream, ReadsWhatWasWritten) {
  constexpr std::uint64_t kMax = std::numeric_limits<std::uint64_t>::max();
  constexpr std::int64_t kMin = std::numeric_limits<std::int64_t>::min();
  ByteWriter out;
  out.add_count(kMax);
  out.add_count(0);
  out.add_integer(kMin);
  out.add_integer(-1);
  out.add_flag(true);
  out.add_number(-INFINITY);
  out.add_text("text");
  out.add_floats(std::vector<float>{1.5f, -0.0f});

  ByteReader in(out.bytes());

  EXPECT_EQ(in.count(), kMax);
  EXPECT_EQ(in.count(), 0u);
  EXPECT_EQ(in.integer(), kMin);
  EXPECT_EQ(in.integer(), -1);
  EXPECT_TRUE(in.flag());
  EXPECT_EQ(in.number(), -INFINITY);
  EXPECT_EQ(in.text(), "text");
  EXPECT_EQ(in.floats(), (std::vector<float>{1.5f, -0.0f}));
  EXPECT_TRUE(in.check("It"));
}

TEST(ByteStream, DamagedMessagesAreErrors) {
  const std::string good = encode(Results{
      .step = 300,
      .results = {{.index = 7, .bytes = "abc"}, {.index = 8, .bytes = "de"}}});
  ASSERT_TRUE(decode_message(good));
  for (std::size_t size = 0; size < good.size(); ++size) {
    EXPECT_FALSE(decode_message(good.substr(0, size))) << size;
  }
  for (std::uint64_t seed = 0; seed < 500; ++seed) {
    Rng rng(seed);
    std::string bytes = good;
    bytes[rng.below(bytes.size())] = static_cast<char>(rng.below(256));
    const auto message = decode_message(bytes);  // Must not crash.
    EXPECT_TRUE(!message || !encode(*message).empty());
  }
}

}  // namespace
}  // namespace lamarck::crew
