#include "lamarck/cli/think_views.h"

#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

namespace lamarck::cli {
namespace {

const Json kMetrics = {{"cumulative", {{"sessions", 2}, {"tokens", 30}}},
                       {"evidence_chain",
                        {{{"step", "execution"},
                          {"status", "failure"},
                          {"tool", "pytest"},
                          {"exit_code", 1},
                          {"stderr_tail", "one\nAssertionError\n"}},
                         {{"step", "tests"}, {"passed", 4}, {"failed", 1}}}}};

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

  const std::string text = session_text(session, kMetrics, {event}, false);

  for (const char* secret :
       {"me@example", "hunter22", "you@example", "it@example", "why@example",
        "hush", "type@example", "role@example", "content@example"}) {
    EXPECT_EQ(text.find(secret), std::string::npos) << secret << "\n" << text;
  }
  EXPECT_NE(text.find("done when"), std::string::npos);
  const std::string open = session_text(session, kMetrics, {event}, true);
  for (const char* secret :
       {"me@example", "hunter22", "you@example", "it@example", "why@example",
        "hush", "type@example", "role@example", "content@example"}) {
    EXPECT_NE(open.find(secret), std::string::npos) << secret << "\n" << open;
  }
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

TEST(ThinkViews, ShowEvidenceAndWhereEventsAre) {
  thought::Session session{.id = "sess_1"};
  session.branches["main"] = {.id = "main", .name = "main"};
  session.pruned_to = "/old.jsonl";
  session.pruned_seq = 7;

  const std::string text = session_text(session, kMetrics, {}, false);

  for (const char* part :
       {"execution  failure: pytest (exit code 1): AssertionError\n",
        "tests      4 passed, 1 failed\n", "all sessions: 2 with 30 tokens",
        "Events 1 to 7 are in /old.jsonl.\n"}) {
    EXPECT_NE(text.find(part), std::string::npos) << part << "\n" << text;
  }
}

TEST(ThinkViews, WatchMarksWinnerAndMergedBranches) {
  thought::Session session{.id = "sess_1", .winner = "branch_1"};
  session.tokens_used = 5000;
  session.branches["branch_1"] = {.id = "branch_1", .name = "fast"};
  session.branches["branch_2"] = {.id = "branch_2",
                                  .name = "slow",
                                  .state = thought::BranchState::EarlyStopped,
                                  .outcome = "merged"};

  const std::string text = watch_text(session, {}, false);

  EXPECT_NE(text.find("* fast"), std::string::npos) << text;
  EXPECT_NE(text.find("  slow           merged"), std::string::npos) << text;
  EXPECT_NE(text.find("5000 of 20000"), std::string::npos) << text;
}

}  // namespace
}  // namespace lamarck::cli
