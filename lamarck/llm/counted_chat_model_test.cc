#include "lamarck/llm/counted_chat_model.h"

#include <gtest/gtest.h>

#include "lamarck/llm/scripted_chat_model_fixture.h"

namespace lamarck::llm {
namespace {

CountedChatModel counted_model(std::vector<Result<std::string>> answers) {
  return CountedChatModel(
      std::make_shared<ScriptedChatModel>(std::move(answers)));
}

const Error kBusy(ErrorCode::Unavailable, "The server is busy.");

TEST(CountedChatModel, ReportsModelThatNeverAnswered) {
  auto model = counted_model({kBusy});
  EXPECT_TRUE(model.check_answered());  // It was not asked.

  EXPECT_FALSE(model.complete({}, {}));
  EXPECT_FALSE(model.complete({}, {}));

  EXPECT_EQ(model.counts().calls, 2);
  EXPECT_EQ(model.check_answered().error().message(),
            "The model scripted never answered: The server is busy.");
}

TEST(CountedChatModel, OneAnswerIsEnough) {
  auto model = counted_model({kBusy, std::string("Hello."), kBusy});
  EXPECT_FALSE(model.complete({}, {}));
  EXPECT_TRUE(model.complete({}, {}));
  EXPECT_FALSE(model.complete({}, {}));
  EXPECT_EQ(model.counts().answers, 1);
  EXPECT_TRUE(model.check_answered());
}

TEST(CountedChatModel, CancelledCallIsNotAFailureOfTheModel) {
  auto model = counted_model({Error(ErrorCode::Cancelled, "Stopped.")});
  EXPECT_FALSE(model.complete({}, {}));
  EXPECT_EQ(model.counts().last_failure, "");
  EXPECT_NE(model.check_answered().error().message().find("--budget"),
            std::string::npos);
}

TEST(CountedChatModel, RemembersFailureBeforeCallWasCancelled) {
  auto model = counted_model({Error(ErrorCode::Cancelled, "Stopped.",
                                    {{"last_failure", "Status 500."}})});
  EXPECT_FALSE(model.complete({}, {}));
  EXPECT_EQ(model.check_answered().error().message(),
            "The model scripted never answered: Status 500.");
}

}  // namespace
}  // namespace lamarck::llm
