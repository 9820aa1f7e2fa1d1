#include "lamarck/server/rest/reply_cache.h"

#include <gtest/gtest.h>

#include "lamarck/server/rest/rest_fixture.h"

namespace lamarck::server {
namespace {

TEST(ReplyCache, HoldsRepliesOfOneNumber) {
  ReplyCache cache(100);
  cache.insert("a", 1, {.route = "/r", .body = "body"});
  EXPECT_EQ(cache.find("a", 1)->body, "body");
  EXPECT_EQ(cache.find("a", 2), nullptr);
  EXPECT_EQ(cache.find("b", 1), nullptr);
  cache.insert("b", 2, {.body = "other"});
  EXPECT_EQ(cache.find("a", 1), nullptr);
  EXPECT_EQ(cache.find("a", 2), nullptr);
}

TEST(ReplyCache, StaysWithinItsMemory) {
  ReplyCache cache(100);
  cache.insert("big", 1, {.body = std::string(200, 'x')});
  EXPECT_EQ(cache.find("big", 1), nullptr);
  for (int i = 0; i < 50; ++i) {
    cache.insert("k" + std::to_string(i), 1, {.body = std::string(20, 'x')});
  }
  int held = 0;
  for (int i = 0; i < 50; ++i) {
    held += cache.find("k" + std::to_string(i), 1) != nullptr ? 1 : 0;
  }
  EXPECT_GE(held, 1);
  EXPECT_LE(held, 4);
}

TEST(ReplyCache, RepliesChangeWithTheStoreAndDifferByOrganization) {
  RestFixture rest;
  const std::string acme = rest.add_token("acme", "reviewer");
  const std::string other = rest.add_token("other", "reviewer");
  skills::SkillStore& store = rest.service->store();
  const auto agent =
      store.create_agent(skills::sample_agent("acme", "ada")).value();
  const auto skill =
      store.register_skill(skills::sample_registration(agent, "Find it"))
          .value();
  const std::string path = "/evolved-skills/" + skill.id;
  for (int i = 0; i < 3; ++i) {
    EXPECT_EQ(rest.call("GET", path, acme).body["data"]["status"],
              "pending_review");
    EXPECT_EQ(rest.call("GET", path, other).status, 404);
    EXPECT_EQ(rest.call("GET", path, "wrong").status, 401);
    EXPECT_EQ(
        rest.call("GET", "/evolved-skills", acme).body["data"]["items"].size(),
        1U);
  }
  ASSERT_TRUE(store.review("acme", skill.id, true, "r", ""));
  EXPECT_EQ(rest.call("GET", path, acme).body["data"]["status"], "approved");
  EXPECT_EQ(rest.call("GET", "/evolved-skills?status=pending_review", acme)
                .body["data"]["items"]
                .size(),
            0U);
  ASSERT_TRUE(
      store.register_skill(skills::sample_registration(agent, "Find more")));
  EXPECT_EQ(
      rest.call("GET", "/evolved-skills", acme).body["data"]["items"].size(),
      2U);
}

// Another process changes the file.
TEST(ReplyCache, NumberChangesWithCommitsOfOtherStores) {
  SystemClock clock;
  const std::string path =
      testing::TempDir() + "reply_cache_" + make_api_token() + ".db";
  const auto one = skills::open_sqlite_skill_store({.path = path}, clock);
  const auto two = skills::open_sqlite_skill_store({.path = path}, clock);
  ASSERT_TRUE(one && two);
  const std::int64_t before = (*one)->change_number().value();
  EXPECT_EQ((*one)->change_number().value(), before);
  ASSERT_TRUE((*two)->create_agent(skills::sample_agent("acme", "ada")));
  const std::int64_t after = (*one)->change_number().value();
  EXPECT_NE(after, before);
  ASSERT_TRUE((*one)->create_agent(skills::sample_agent("acme", "bob")));
  EXPECT_NE((*one)->change_number().value(), after);
}

}  // namespace
}  // namespace lamarck::server
