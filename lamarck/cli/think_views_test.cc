#include "lamarck/cli/think_views.h"

#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

namespace lamarck::cli {
namespace {

TEST(ThinkViews, SessionTextContainsNoSecrets) {
  thought::Session session;
  session.id = "sess_1";
  session.goal = "Ask me@example.org";
  session.success_criteria = {"password=hunter22 works"};
  session.alerts.push_back(
      {.kind = "budget", .message = "mail you@example.org"});
  thought::Branch branch;
  branch.id = "branch_1";
  branch.name = "it@example.org";
  branch.outcome = "why@example.org <private>hush</private>";
  session.branches.emplace(branch.id, branch);
  store::Event event;
  event.type = "type@example.org";
  event.role = "role@example.org";
  event.content = "content@example.org";

  const std::string text = session_text(session, {event});

  for (const char* secret :
       {"me@example", "hunter22", "you@example", "it@example", "why@example",
        "hush", "type@example", "role@example", "content@example"}) {
    EXPECT_EQ(text.find(secret), std::string::npos) << secret << "\n" << text;
  }
  EXPECT_NE(text.find("done when"), std::string::npos);
}

TEST(ThinkViews, EventJsonRedactsSecretsInKeys) {
  store::Event event;
  event.constraints = R"({"plan": {"of@example.org": 1}})";
  event.vector_clock = {{"me@example.org", 1}, {"you@example.org", 2}};

  const Json json = event_json(event, false);

  EXPECT_EQ(json["vector_clock"], Json({{"[email]", 1}, {"[email] (2)", 2}}));
  EXPECT_EQ(json["constraints"]["plan"], Json({{"[email]", 1}}));
  EXPECT_EQ(event_json(event, true)["vector_clock"]["me@example.org"], 1);
}

}  // namespace
}  // namespace lamarck::cli
