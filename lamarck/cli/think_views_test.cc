#include "lamarck/cli/think_views.h"

#include <gtest/gtest.h>

namespace lamarck::cli {
namespace {

TEST(ThinkViews, ASessionIsShownWithoutSecrets) {
  thought::Session session;
  session.id = "sess_1";
  session.goal = "Ask me@example.org";
  session.success_criteria = {"password=hunter22 works"};
  session.alerts.push_back(
      {.kind = "budget", .message = "told you@example.org"});
  thought::Branch branch;
  branch.id = "branch_1";
  branch.name = "it@example.org";
  session.branches.emplace(branch.id, branch);

  const std::string text = session_text(session, {});

  for (const char* secret :
       {"me@example", "hunter22", "you@example", "it@example"}) {
    EXPECT_EQ(text.find(secret), std::string::npos) << secret << "\n" << text;
  }
  EXPECT_NE(text.find("done when"), std::string::npos);
}

}  // namespace
}  // namespace lamarck::cli
