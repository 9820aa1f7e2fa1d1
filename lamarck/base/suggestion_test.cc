#include "lamarck/base/suggestion.h"

#include <gtest/gtest.h>

#include <string>
#include <vector>

namespace lamarck {
namespace {

TEST(Suggestion, CountsEdits) {
  EXPECT_EQ(edit_distance("", ""), 0u);
  EXPECT_EQ(edit_distance("doctor", "doctor"), 0u);
  EXPECT_EQ(edit_distance("doctor", "docter"), 1u);
  EXPECT_EQ(edit_distance("doctor", "dcotor"), 1u);
  EXPECT_EQ(edit_distance("doctor", "doctors"), 1u);
  EXPECT_EQ(edit_distance("kitten", "sitting"), 3u);
  EXPECT_EQ(edit_distance("", "abc"), 3u);
}

TEST(Suggestion, FindsNearestWordOrNone) {
  const std::vector<std::string> words = {"doctor", "evolve", "predict"};
  EXPECT_EQ(nearest_word("docter", words), "doctor");
  EXPECT_EQ(nearest_word("evlove", words), "evolve");
  EXPECT_EQ(nearest_word("banana", words), std::nullopt);
  EXPECT_EQ(nearest_word("", words), std::nullopt);
  EXPECT_EQ(nearest_word(std::string(10'000, 'x'), words), std::nullopt);
}

}  // namespace
}  // namespace lamarck
