#include "lamarck/base/hash.h"

#include <gtest/gtest.h>

#include <set>
#include <string>

#include "lamarck/base/error.h"

namespace lamarck {
namespace {

TEST(Sha256, MatchesPublishedVectors) {
  EXPECT_EQ(sha256_hex(""),
            "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855");
  EXPECT_EQ(sha256_hex("abc"),
            "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad");
  EXPECT_EQ(
      sha256_hex("abcdbcdecdefdefgefghfghighijhijkijkljklmklmnlmnomnopnopq"),
      "248d6a61d20638b8e5c026930c3e6039a33ce45964ff2167f6ecedd419db06c1");
}

TEST(Sha256, DoesNotDependOnChunkSizes) {
  const std::string text(10'000, 'x');
  for (std::size_t piece : {1u, 7u, 64u, 9'999u}) {
    Sha256 digest;
    for (std::size_t i = 0; i < text.size(); i += piece) {
      digest.update(std::string_view(text).substr(i, piece));
    }
    EXPECT_EQ(digest.finish(), sha256_hex(text)) << piece;
  }
}

TEST(HmacSha256, MatchesRfc4231Case2) {
  EXPECT_EQ(hmac_sha256_hex("Jefe", "what do ya want for nothing?"),
            "5bdcc146bf60754e6a042426089575c75a003f089d2739839dec58b964ec3843");
}

TEST(HmacSha256, AcceptsEmptyKeyAndMessage) {
  EXPECT_EQ(hmac_sha256_hex({}, {}),
            "b613679a0814d9ec772f95d778c35fc5ff1697c493715653c6c712144292c5ad");
}

TEST(Sha256, RejectsUseAfterFinish) {
  Sha256 digest;
  digest.finish();
  EXPECT_THROW(digest.finish(), LogicError);
  EXPECT_THROW(digest.update("x"), LogicError);
}

TEST(StableHash, IsStableAcrossVersions) {
  EXPECT_EQ(to_hex64(stable_hash("")), "f52a15e9a9b5e89b");
  EXPECT_EQ(to_hex64(stable_hash("lamarck")), "4165c2d21e9f2e85");
}

TEST(StableHash, HasNoCollisionsAmongShortNames) {
  std::set<std::uint64_t> seen;
  for (int i = 0; i < 100'000; ++i) seen.insert(stable_hash(std::to_string(i)));
  EXPECT_EQ(seen.size(), 100'000u);
}

}  // namespace
}  // namespace lamarck
