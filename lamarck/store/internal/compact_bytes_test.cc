#include "lamarck/store/internal/compact_bytes.h"

#include <gtest/gtest.h>

namespace lamarck::store::internal {
namespace {

TEST(CompactBytes, PacksEventIdIntoSixteenBytes) {
  const std::string id = "evt_018f3c6e-7d2a-7b41-9c55-3f0e8d1a2b4c";
  const auto bytes = pack_event_id(id);

  ASSERT_TRUE(bytes);
  EXPECT_EQ(bytes->size(), 16u);
  EXPECT_EQ(unpack_event_id({bytes->data(), bytes->size()}), id);
}

TEST(CompactBytes, DoesNotPackOtherIds) {
  for (const char* id :
       {"", "evt_", "evt_1", "018f3c6e-7d2a-7b41-9c55-3f0e8d1a",
        "evt_018F3C6E-7d2a-7b41-9c55-3f0e8d1a2b4c",
        "evt_018f3c6e07d2a-7b41-9c55-3f0e8d1a2b4c",
        "evt_018f3c6e-7d2a-7b41-9c55-3f0e8d1a2b4g",
        "run_018f3c6e-7d2a-7b41-9c55-3f0e8d1a2b4c"}) {
    EXPECT_EQ(pack_event_id(id), std::nullopt) << id;
  }
}

TEST(CompactBytes, PacksHexDigitsIntoHalf) {
  EXPECT_EQ(pack_hex("00ff7a"), std::string("\0\xff\x7a", 3));
  EXPECT_EQ(unpack_hex(*pack_hex("00ff7a")), "00ff7a");
  for (const char* text : {"", "0", "0g", "0F", "123"}) {
    EXPECT_EQ(pack_hex(text), std::nullopt) << text;
  }
}

}  // namespace
}  // namespace lamarck::store::internal
