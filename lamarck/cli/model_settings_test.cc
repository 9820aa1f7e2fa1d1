#include "lamarck/cli/model_settings.h"

#include <gtest/gtest.h>

#include <map>
#include <string>

#include "lamarck/llm/scripted_server_fixture.h"

namespace lamarck::cli {
namespace {

using namespace std::chrono_literals;

Result<ModelSettings> with(
    std::map<std::string, std::string, std::less<>> flags) {
  const auto settings = Settings::resolve(
      {.flags = std::move(flags),
       .environment = [](const std::string&) { return std::nullopt; },
       .file = std::nullopt});
  return model_settings(settings.value());
}

TEST(ModelSettings, ErrorNamesMissingSetting) {
  const auto nothing = with({});
  EXPECT_EQ(nothing.error().code(), ErrorCode::FailedPrecondition);
  EXPECT_NE(nothing.error().message().find("LAMARCK_LLM_BASE_URL"),
            std::string::npos);
  const auto nameless = with({{"llm.base_url", "http://localhost/v1"}});
  EXPECT_NE(nameless.error().message().find("LAMARCK_LLM_MODEL"),
            std::string::npos);
  const auto half = with({{"llm.base_url", "http://localhost/v1"},
                          {"llm.model", "m"},
                          {"llm.price_in", "1"}});
  EXPECT_NE(half.error().message().find("llm.price_out"), std::string::npos);
}

TEST(ModelSettings, KeyAloneSelectsDefaultServer) {
  const auto model = with({{"llm.api_key", "sk-x"}, {"llm.model", "m"}});
  ASSERT_TRUE(model);
  EXPECT_EQ(model->endpoint.base_url, "https://api.openai.com/v1");
  EXPECT_FALSE(model->chat.price);
  EXPECT_FALSE(model->temperature);
}

TEST(ModelSettings, OpenedModelAnswers) {
  const llm::ScriptedServer server({llm::chat_scene("hi")});
  const auto settings = with({{"llm.base_url", server.base_url()},
                              {"llm.model", "small"},
                              {"llm.price_in", "1"},
                              {"llm.price_out", "2"},
                              {"llm.timeout", "7"},
                              {"llm.temperature", "0.5"}});
  ASSERT_TRUE(settings) << settings.error().message();
  EXPECT_EQ(settings->endpoint.timeout, 7s);
  EXPECT_EQ(settings->temperature, 0.5);
  SystemClock clock;
  const auto model = open_model(*settings, clock).value();
  const auto reply = model->complete({.messages = {{llm::Role::User, "hello"}},
                                      .max_tokens = settings->max_tokens},
                                     {});
  ASSERT_TRUE(reply) << reply.error().message();
  EXPECT_EQ(reply->text, "hi");
  EXPECT_EQ(reply->money_micros, 17);
}

}  // namespace
}  // namespace lamarck::cli
