#include "lamarck/server/mcp/internal/mcp_tasks.h"

#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include "lamarck/server/mcp/internal/mcp_fixture.h"
#include "lamarck/store/memory_journal.h"

namespace lamarck::mcp {
namespace {

const Json kCan = {{"extensions", {{"io.modelcontextprotocol/tasks", kNone}}},
                   {"elicitation", kNone}};

class McpTasksOverHttp : public testing::Test {
 protected:
  explicit McpTasksOverHttp() : journal_(store::make_memory_journal()) {
    restart();
  }

  void restart() {
    client_ = nullptr;
    client_ = std::make_unique<McpFixture>(McpOptions{}, journal_.get(),
                                           next_seed_++);
  }

  Json start(std::string_view kind) {
    return client_->modern("tools/call",
                           {{"name", "job"}, {"arguments", {{"kind", kind}}}},
                           kCan)["result"];
  }
  Json find(const Json& id) {
    return client_->modern("tasks/get", {{"taskId", id}}, kCan);
  }
  // Waits until the task leaves `status`, and returns it.
  Json after(const Json& id, std::string_view status) {
    Json task = find(id)["result"];
    for (int i = 0; i < 10'000 && task["status"] == status; ++i) {
      CancelToken().wait_for(std::chrono::milliseconds(1));
      task = find(id)["result"];
    }
    return task;
  }

  std::uint64_t next_seed_ = 1;
  std::unique_ptr<store::Journal> journal_;
  std::unique_ptr<McpFixture> client_;
};

TEST_F(McpTasksOverHttp, StartReturnsTaskMembers) {
  const Json task = start("quick");
  EXPECT_EQ(task["resultType"], "task");
  EXPECT_EQ(task["status"], "working");
  EXPECT_EQ(task["createdAt"], "1970-01-01T00:00:00.000Z");
  EXPECT_EQ(task["ttlMs"], 600000);
  EXPECT_EQ(task["pollIntervalMs"], 500);
  EXPECT_EQ(task.size(), 8u) << task;
}

TEST_F(McpTasksOverHttp, CompletesWithResult) {
  const Json task = after(start("quick")["taskId"], "working");
  EXPECT_EQ(task["resultType"], "complete");
  EXPECT_EQ(task["status"], "completed");
  EXPECT_EQ(task["result"],
            Json({{"content", {{{"type", "text"}, {"text", "worked"}}}}}));
}

TEST_F(McpTasksOverHttp, FailsWithError) {
  const Json task = after(start("fail")["taskId"], "working");
  EXPECT_EQ(task["status"], "failed");
  EXPECT_EQ(task["error"], Json({{"code", -32603}, {"message", "It broke."}}));
  EXPECT_FALSE(task.contains("result"));
}

TEST_F(McpTasksOverHttp, RunsSynchronouslyWithoutExtension) {
  const auto call = [&](std::string_view kind) {
    return client_->modern("tools/call",
                           {{"name", "job"}, {"arguments", {{"kind", kind}}}});
  };
  EXPECT_EQ(call("quick")["result"]["content"][0]["text"], "worked");
  EXPECT_EQ(call("required")["error"]["code"], -32021);
  EXPECT_EQ(
      call("required")["error"]["data"],
      Json({{"requiredCapabilities",
             {{"extensions", {{"io.modelcontextprotocol/tasks", kNone}}}}}}));
  const std::string session = client_->initialize("2025-11-25");
  EXPECT_EQ(client_->legacy(session, "tools/call",
                            {{"name", "job"}})["result"]["content"][0]["text"],
            "worked");
}

TEST_F(McpTasksOverHttp, WaitsForAnswers) {
  const Json id = start("ask")["taskId"];
  const Json waiting = after(id, "working");
  EXPECT_EQ(waiting["status"], "input_required");
  EXPECT_TRUE(waiting["inputRequests"].contains("user_name"));
  const auto update = [&](const Json& answers) {
    return client_->modern("tasks/update",
                           {{"taskId", id}, {"inputResponses", answers}}, kCan);
  };
  EXPECT_EQ(update({{"unknown", {{"action", "accept"}}}})["result"].size(), 2u);
  EXPECT_EQ(update({{"user_name", 1}})["result"]["resultType"], "complete");
  EXPECT_EQ(find(id)["result"]["status"], "input_required");

  // After a declined answer the work asks again, under another key.
  update({{"user_name", {{"action", "decline"}}}});
  const Json again = after(id, "working");
  EXPECT_TRUE(again["inputRequests"].contains("user_name-2")) << again;
  update({{"user_name-2",
           {{"action", "accept"}, {"content", {{"name", "Ada"}}}}}});
  EXPECT_EQ(after(id, "working")["result"]["content"][0]["text"],
            "Hello, Ada! round-1");
}

TEST_F(McpTasksOverHttp, CanBeCancelled) {
  const Json id = start("wait")["taskId"];
  for (int i = 0; i < 2; ++i) {
    EXPECT_EQ(client_->modern("tasks/cancel", {{"taskId", id}},
                              kCan)["result"]["resultType"],
              "complete");
    EXPECT_EQ(find(id)["result"]["status"], "cancelled");
  }
}

TEST_F(McpTasksOverHttp, NotifiesListeners) {
  const Json id = start("wait")["taskId"];
  const auto listen = client_->post_modern(
      "subscriptions/listen", {{"notifications", {{"taskIds", {id}}}}}, kCan);
  client_->modern("tasks/cancel", {{"taskId", id}}, kCan);
  ASSERT_TRUE(listen->wait_for_text("notifications/tasks\""));
  EXPECT_EQ(listen->messages()[1]["params"]["status"], "cancelled");
}

TEST_F(McpTasksOverHttp, ExpiredAndMissingTasksAreUnknown) {
  const Json id = start("quick")["taskId"];
  after(id, "working");
  client_->clock().advance(std::chrono::hours(1));
  for (const char* method : {"tasks/get", "tasks/cancel"}) {
    for (const Json& unknown : {id, Json("nothing")}) {
      EXPECT_EQ(
          client_->modern(method, {{"taskId", unknown}}, kCan)["error"]["code"],
          -32602)
          << method << unknown;
    }
    EXPECT_EQ(client_->modern(method, kNone, kCan)["error"]["code"], -32602);
  }
}

TEST_F(McpTasksOverHttp, SurvivesRestart) {
  const Json done = start("quick")["taskId"];
  const Json asking = start("ask")["taskId"];
  const Json ended = after(done, "working");
  after(asking, "working");
  restart();
  EXPECT_EQ(find(done)["result"]["result"], ended["result"]);
  const Json lost = find(asking)["result"];
  EXPECT_EQ(lost["status"], "failed");
  EXPECT_EQ(lost["error"]["message"],
            "The server stopped while the task was running; start it again.");
  EXPECT_EQ(client_->modern("tasks/cancel", {{"taskId", done}},
                            kCan)["result"]["resultType"],
            "complete");
}

TEST_F(McpTasksOverHttp, LimitsNumberOfTasks) {
  McpFixture small({.max_tasks = 1});
  const auto start_in = [&](std::string_view kind) {
    return small.modern(
        "tools/call", {{"name", "job"}, {"arguments", {{"kind", kind}}}}, kCan);
  };
  const Json first = start_in("wait");
  EXPECT_EQ(start_in("wait")["error"]["code"], -32603);
  small.modern("tasks/cancel", {{"taskId", first["result"]["taskId"]}}, kCan);
  EXPECT_EQ(start_in("wait")["result"]["resultType"], "task");
}

}  // namespace
}  // namespace lamarck::mcp
