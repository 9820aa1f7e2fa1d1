#include "lamarck/server/thought_service.h"

#include <unistd.h>

#include <array>
#include <filesystem>
#include <set>
#include <thread>
#include <fmt/format.h>
#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include "lamarck/server/mcp/internal/mcp_lines.h"

namespace lamarck::server {
namespace {

// A client that is connected to a service by two pipes.
class PipedClient {
 public:
  explicit PipedClient(ThoughtService& service) {
    std::array<int, 2> to_server{};
    std::array<int, 2> from_server{};
    EXPECT_EQ(pipe(to_server.data()), 0);
    EXPECT_EQ(pipe(from_server.data()), 0);
    in_ = to_server[1];
    out_ = from_server[0];
    reader_.emplace(out_, std::size_t{1} << 20);
    thread_ = std::thread([&service, in = to_server[0], out = from_server[1]] {
      EXPECT_TRUE(service.protocol().serve_stdio(in, out, CancelToken()));
      close(in);
      close(out);
    });
  }
  ~PipedClient() {
    close(in_);
    thread_.join();
    close(out_);
  }
  PipedClient(const PipedClient&) = delete;
  PipedClient& operator=(const PipedClient&) = delete;

  void send(const Json& message) const {
    const std::string line = dump_json(message) + "\n";
    EXPECT_EQ(write(in_, line.data(), line.size()),
              static_cast<ssize_t>(line.size()));
  }
  Json next() {
    const auto line = reader_->next().value();
    return line.has_value() ? Json::parse(line->text) : Json();
  }
  Json ask(int id, const char* method, const Json& params) {
    send({{"jsonrpc", "2.0"},
          {"id", id},
          {"method", method},
          {"params", params}});
    return next();
  }

 private:
  int in_ = -1;
  int out_ = -1;
  std::optional<mcp::LineReader> reader_;
  std::thread thread_;
};

class ThoughtServiceTest : public testing::Test {
 protected:
  void SetUp() override {
    folder_ = std::filesystem::path(testing::TempDir()) /
              fmt::format("thought_service_{}", ::getpid());
    std::filesystem::remove_all(folder_);
  }
  void TearDown() override { std::filesystem::remove_all(folder_); }

  std::unique_ptr<ThoughtService> open() {
    return std::move(
               ThoughtService::open(
                   {.journal = folder_ / "j.db", .durable = false}, clock_))
        .value();
  }

  SystemClock clock_;
  std::filesystem::path folder_;
};

TEST_F(ThoughtServiceTest, NotifiesSubscribersOfOtherProcesses) {
  const auto service = open();
  const auto other = open();
  PipedClient client(*service);
  client.ask(
      1, "initialize",
      {{"protocolVersion", "2025-11-25"}, {"capabilities", Json::object()}});
  client.send({{"jsonrpc", "2.0"}, {"method", "notifications/initialized"}});
  client.ask(2, "resources/subscribe", {{"uri", "thought://sessions"}});

  other->engine().start_session({.goal = "Think elsewhere"}, {}).value();

  EXPECT_EQ(client.next()["method"], "notifications/resources/list_changed");
  const Json updated = client.next();
  EXPECT_EQ(updated["method"], "notifications/resources/updated");
  EXPECT_EQ(updated["params"]["uri"], "thought://sessions");
}

// With a message to every client for each of them, a flood of sessions would
// slow down all.
TEST_F(ThoughtServiceTest, AnnouncesManyNewSessionsTogether) {
  ManualClock clock;
  const auto service =
      std::move(ThoughtService::open({.journal = ""}, clock)).value();
  PipedClient client(*service);
  client.ask(
      1, "initialize",
      {{"protocolVersion", "2025-11-25"}, {"capabilities", Json::object()}});
  client.send({{"jsonrpc", "2.0"}, {"method", "notifications/initialized"}});
  client.ask(2, "ping", Json::object());
  for (int i = 0; i < 100; ++i) {
    service->engine().start_session({.goal = "Think"}, {}).value();
  }
  // The first one at once, the others a moment later.
  EXPECT_EQ(client.next()["method"], "notifications/resources/list_changed");
  Json message = client.next();
  client.send({{"jsonrpc", "2.0"}, {"id", 3}, {"method", "ping"}});
  int count = 1;
  for (; !message.contains("id"); message = client.next()) ++count;
  EXPECT_GE(count, 2);
  EXPECT_LE(count, 10);
}

TEST_F(ThoughtServiceTest, SubscriptionRequiresExistingSession) {
  const auto service = open();
  const std::string id = Json::parse(service->engine()
                                         .start_session({.goal = "Think"}, {})
                                         .value())["session"];
  PipedClient client(*service);
  client.ask(
      1, "initialize",
      {{"protocolVersion", "2025-11-25"}, {"capabilities", Json::object()}});
  const auto code = [&](const std::string& uri) {
    const Json reply = client.ask(2, "resources/subscribe", {{"uri", uri}});
    return reply.contains("error") ? reply["error"]["code"].get<int>() : 0;
  };
  const std::string session = "thought://session/" + id;
  for (const char* view :
       {"", "/graph", "/events", "/metrics", "/branch/main"}) {
    EXPECT_EQ(code(session + view), 0) << view;
    EXPECT_EQ(code(std::string("thought://session/nope") + view), -32002)
        << view;
  }
  EXPECT_EQ(code(session + "/branch/nope"), -32002);
  EXPECT_EQ(code(session + "/nope"), -32002);
}

TEST_F(ThoughtServiceTest, NotifiesAllViewsOfChangedSession) {
  const auto service = open();
  const auto start = [&] {
    return Json::parse(service->engine()
                           .start_session({.goal = "Think"}, {})
                           .value())["session"]
        .get<std::string>();
  };
  const std::string id = start();
  const std::string other = start();
  PipedClient client(*service);
  client.ask(
      1, "initialize",
      {{"protocolVersion", "2025-11-25"}, {"capabilities", Json::object()}});
  client.send({{"jsonrpc", "2.0"}, {"method", "notifications/initialized"}});
  std::set<std::string> subscribed;
  for (const char* view : {"", "/graph", "/events", "/branch/main"}) {
    const std::string uri = "thought://session/" + id + view;
    subscribed.insert(uri);
    client.ask(2, "resources/subscribe", {{"uri", uri}});
  }
  for (const std::string& session : {other, id}) {
    service->engine()
        .add_step({.session = session, .content = "A thought."}, {})
        .value();
  }
  std::set<std::string> received;
  for (std::size_t i = 0; i < subscribed.size(); ++i) {
    received.insert(client.next()["params"]["uri"].get<std::string>());
  }
  EXPECT_EQ(received, subscribed);
}

// A race of two branches that waits for the model of its client.
class WaitingRaceTest : public ThoughtServiceTest {
 protected:
  void begin(std::chrono::milliseconds time) {
    service_ = open();
    id_ = Json::parse(
        engine()
            .start_session({.goal = "Think", .budgets = {.wall_time = time}},
                           {})
            .value())["session"];
    engine()
        .fork(
            {.session = id_, .children = {{"a", "One way"}, {"b", "Another"}}},
            {})
        .value();
    client_.emplace(*service_);
    client_->ask(1, "initialize",
                 {{"protocolVersion", "2025-11-25"},
                  {"capabilities", {{"sampling", Json::object()}}}});
    asked_.push_back(client_->ask(
        2, "tools/call",
        {{"name", "think_parallel_run"}, {"arguments", {{"session", id_}}}}));
    asked_.push_back(client_->next());
  }

  thought::ThoughtEngine& engine() { return service_->engine(); }

  // Reads notifications until the call is answered; returns the result.
  Json read_result() {
    Json received = client_->next();
    for (; received.contains("method"); received = client_->next()) {
      EXPECT_EQ(received["method"], "notifications/cancelled");
      withdrawn_.insert(received["params"]["requestId"]);
    }
    EXPECT_EQ(received["id"], 2);
    return received["result"];
  }

  std::set<Json> asked_ids() const {
    return {asked_[0]["id"], asked_[1]["id"]};
  }

  std::unique_ptr<ThoughtService> service_;
  std::string id_;
  std::optional<PipedClient> client_;
  std::vector<Json> asked_;
  std::set<Json> withdrawn_;
};

TEST_F(WaitingRaceTest, EndsOnTimeout) {
  begin(std::chrono::milliseconds(700));
  const Json result = read_result();
  EXPECT_EQ(result["structuredContent"]["reason"], "timeout");
  EXPECT_EQ(withdrawn_, asked_ids());
  EXPECT_EQ(engine().session(id_)->state, thought::SessionState::Timeout);
}

TEST_F(WaitingRaceTest, EndsWhenAnotherProcessEndsTheSession) {
  begin(std::chrono::hours(1));
  open()
      ->engine()
      .control(id_, thought::SessionAction::Fail, "No use.", {})
      .value();
  const Json result = read_result();
  EXPECT_EQ(result["structuredContent"]["reason"], "failed");
  EXPECT_EQ(withdrawn_, asked_ids());
}

TEST_F(WaitingRaceTest, PauseAnswersCallAndRunResumesLater) {
  begin(std::chrono::hours(1));
  engine().control(id_, thought::SessionAction::Pause, "", {}).value();
  EXPECT_EQ(read_result()["isError"], true);
  EXPECT_EQ(withdrawn_, asked_ids());
  EXPECT_EQ(engine().session(id_)->parallel_runs.size(), 1u);
  const auto head = engine().session(id_)->head;

  engine().control(id_, thought::SessionAction::Resume, "", {}).value();
  const Json again = client_->ask(
      3, "tools/call",
      {{"name", "think_parallel_run"}, {"arguments", {{"session", id_}}}});
  EXPECT_EQ(again["method"], "sampling/createMessage");
  EXPECT_EQ(engine().session(id_)->head, head + 1);
  client_->send({{"jsonrpc", "2.0"},
                 {"method", "notifications/cancelled"},
                 {"params", {{"requestId", 3}}}});
}

TEST_F(WaitingRaceTest, DoesNotWaitForStoppedBranch) {
  begin(std::chrono::hours(1));
  engine()
      .stop_branch({.session = id_, .branch = "a", .reason = "No."}, {})
      .value();
  const Json received = client_->next();
  EXPECT_EQ(received["method"], "notifications/cancelled");
  engine()
      .stop_branch({.session = id_, .branch = "b", .reason = "No."}, {})
      .value();
  const Json result = read_result();
  EXPECT_EQ(result["structuredContent"]["winner"], "");
  withdrawn_.insert(received["params"]["requestId"]);
  EXPECT_EQ(withdrawn_, asked_ids());
  EXPECT_EQ(engine().session(id_)->tokens_reserved, 0);
}

TEST_F(WaitingRaceTest, DecidingRunDoesNotEndAwaitedRun) {
  begin(std::chrono::hours(1));
  const thought::ParallelRun decide{.session = id_, .max_rounds = 0};
  EXPECT_FALSE(engine().begin_parallel(decide, {}));
  // Another process does not know that a call waits here.
  EXPECT_TRUE(open()->engine().begin_parallel(decide, {}));
  EXPECT_EQ(read_result()["structuredContent"]["reason"], "abandoned");
  EXPECT_EQ(withdrawn_, asked_ids());
}

TEST_F(ThoughtServiceTest, CancelledRaceWithdrawsRequestsAndIsRecorded) {
  const auto service = open();
  thought::ThoughtEngine& engine = service->engine();
  const std::string id = Json::parse(
      engine.start_session({.goal = "Think"}, {}).value())["session"];
  engine
      .fork({.session = id, .children = {{"a", "One way"}, {"b", "Another"}}},
            {})
      .value();
  PipedClient client(*service);
  client.ask(1, "initialize",
             {{"protocolVersion", "2025-11-25"},
              {"capabilities", {{"sampling", Json::object()}}}});
  std::set<Json> asked;
  asked.insert(client.ask(2, "tools/call",
                          {{"name", "think_parallel_run"},
                           {"arguments", {{"session", id}}}})["id"]);
  asked.insert(client.next()["id"]);
  EXPECT_GT(engine.session(id)->tokens_reserved, 0);

  client.send({{"jsonrpc", "2.0"},
               {"method", "notifications/cancelled"},
               {"params", {{"requestId", 2}}}});

  std::set<Json> withdrawn;
  for (int i = 0; i < 2; ++i) {
    const Json received = client.next();
    EXPECT_EQ(received["method"], "notifications/cancelled");
    withdrawn.insert(received["params"]["requestId"]);
  }
  EXPECT_EQ(withdrawn, asked);
  while (!engine.session(id)->parallel_runs.empty()) std::this_thread::yield();
  EXPECT_EQ(engine.session(id)->tokens_reserved, 0);
  const auto events = service->journal().events(id).value();
  EXPECT_EQ(Json::parse(events.back().constraints)["reason"], "cancelled");
  EXPECT_EQ(client.ask(3, "ping", Json::object())["id"], 3);
}

}  // namespace
}  // namespace lamarck::server
