#include "lamarck/thought/thinker.h"

#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include "lamarck/llm/scripted_chat_model_fixture.h"
#include "lamarck/thought/internal/engine_scene_fixture.h"

namespace lamarck::thought {
namespace {

using internal::EngineScene;

TEST(ModelThinker, SendsPromptAndCountsTokens) {
  llm::ScriptedChatModel model({std::string("A thought")});
  ModelThinker thinker(model);

  const ThoughtReply reply =
      thinker
          .think({.system = "You plan.", .prompt = "Goal: x", .max_tokens = 50},
                 CancelToken())
          .value();

  EXPECT_EQ(reply.text, "A thought");
  EXPECT_EQ(reply.model, "scripted");
  EXPECT_GT(reply.tokens, 0);
  const auto requests = model.requests();
  ASSERT_EQ(requests.size(), 1u);
  EXPECT_EQ(requests[0].max_tokens, 50);
  ASSERT_EQ(requests[0].messages.size(), 2u);
  EXPECT_EQ(requests[0].messages[0].role, llm::Role::System);
  EXPECT_EQ(requests[0].messages[1].text, "Goal: x");
}

TEST(ModelThinker, PropagatesErrors) {
  llm::ScriptedChatModel model(
      {Result<std::string>(Error(ErrorCode::Unavailable, "It is down."))});
  ModelThinker thinker(model);

  EXPECT_EQ(thinker.think({.prompt = "x"}, CancelToken()).error().code(),
            ErrorCode::Unavailable);
}

TEST(ModelThinker, WinsARace) {
  llm::ScriptedChatModel model(
      {std::string("Sure!\n```json\n") + internal::good_plan() + "\n```"});
  ModelThinker thinker(model);
  EngineScene scene;
  const std::string id = scene.start();
  scene.fork(id, {"a", "b"});

  const Json answer = EngineScene::parsed(
      scene.engine.run_parallel({.session = id}, thinker, {}, CancelToken()));

  EXPECT_FALSE(answer["winner"].get<std::string>().empty());
  EXPECT_GT(scene.engine.session(id)->tokens_used, 0);
}

}  // namespace
}  // namespace lamarck::thought
