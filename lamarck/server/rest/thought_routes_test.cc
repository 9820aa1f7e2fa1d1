// Reading thought sessions and tasks of agents over HTTP.

#include <gtest/gtest.h>

#include <string>

#include "lamarck/server/rest/rest_fixture.h"

namespace lamarck::server {
namespace {

class ThoughtRoutes : public testing::Test {
 protected:
  thought::ThoughtEngine& engine() {
    return rest_.organizations->find(skills::kLocalOrganization)
        .value()
        ->engine();
  }

  std::string start(const std::string& goal) {
    const std::string text = engine().start_session({.goal = goal}, {}).value();
    return parse_json(text).value().at("session").get<std::string>();
  }
  void add_step(const std::string& session, const std::string& content) {
    (void)engine()
        .add_step({.session = session, .content = content}, {})
        .value();
  }
  Json data(const std::string& path) {
    const RestAnswer answer = rest_.call("GET", path);
    EXPECT_EQ(answer.status, 200) << path << answer.body;
    return answer.body.value("data", Json());
  }

  RestFixture rest_;
};

TEST_F(ThoughtRoutes, ListsNewestFirstInPagesAndFindsGoals) {
  for (const char* goal : {"alpha one", "beta", "ALPHA two"}) start(goal);
  const Json first = data("/thoughts?limit=2");
  ASSERT_EQ(first["items"].size(), 2U);
  EXPECT_EQ(first["items"][0]["goal"], "ALPHA two");
  const Json rest = data("/thoughts?limit=2&cursor=" +
                         first["next_cursor"].get<std::string>());
  ASSERT_EQ(rest["items"].size(), 1U);
  EXPECT_EQ(rest["items"][0]["goal"], "alpha one");
  EXPECT_TRUE(rest["next_cursor"].is_null());
  EXPECT_EQ(data("/thoughts?q=alpha")["items"].size(), 2U);
  // A full last page has no next one.
  EXPECT_TRUE(data("/thoughts?q=alpha&limit=2")["next_cursor"].is_null());
}

TEST_F(ThoughtRoutes, EventsAreReadByCursorWithoutGapOrRepeat) {
  const std::string session = start("count");
  for (int i = 0; i < 7; ++i) add_step(session, "step");
  std::uint64_t after = 0;
  std::uint64_t expected = 1;
  for (;;) {
    const Json page = data("/thoughts/" + session +
                           "/events?limit=3&after=" + std::to_string(after));
    if (page["events"].empty()) break;
    for (const Json& event : page["events"]) {
      EXPECT_EQ(event["seq"], expected++);
    }
    after = page["next"].get<std::uint64_t>();
  }
  EXPECT_EQ(data("/thoughts/" + session)["as_of"], expected - 1);
}

TEST_F(ThoughtRoutes, StateAfterAnEventIsWhatWasThen) {
  const std::string session = start("travel");
  add_step(session, "first");
  const Json then = data("/thoughts/" + session);
  for (int i = 0; i < 5; ++i) add_step(session, "later");
  const Json past = data("/thoughts/" + session + "?at=" + then["at"].dump());
  EXPECT_EQ(past["tokens"], then["tokens"]);
  EXPECT_EQ(past["branches"], then["branches"]);
  EXPECT_EQ(past["at"], then["at"]);
  EXPECT_GT(past["as_of"], then["as_of"]);
}

TEST_F(ThoughtRoutes, UnknownSessionIsNotFound) {
  EXPECT_EQ(rest_.call("GET", "/thoughts/sess_none").status, 404);
  EXPECT_EQ(rest_.call("GET", "/thoughts/sess_none/events").status, 404);
  EXPECT_EQ(rest_.call("GET", "/agent-tasks/none").status, 404);
}

TEST_F(ThoughtRoutes, SessionIsNotATask) {
  const std::string session = start("x");
  EXPECT_EQ(rest_.call("GET", "/agent-tasks/" + session).status, 404);
  EXPECT_TRUE(data("/agent-tasks")["items"].empty());
}

}  // namespace
}  // namespace lamarck::server
