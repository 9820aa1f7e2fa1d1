#include <gtest/gtest.h>

#include "lamarck/skills/skill_retrieval_fixture.h"

namespace lamarck::skills {
namespace {

// With MiniLM: tests/npm/retrieval_check.sh.
TEST(SkillRetrieval, FindsAtLeast18Of20AndAbstainsOnAtLeast18Of20) {
  const RetrievalScores scores = retrieval_scores(nullptr);
  EXPECT_EQ(scores.fitting, 20);
  EXPECT_EQ(scores.foreign, 20);
  EXPECT_GE(scores.found, 18) << scores.missed;
  EXPECT_GE(scores.abstained, 18) << scores.missed;
}

}  // namespace
}  // namespace lamarck::skills
