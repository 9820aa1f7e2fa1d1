// What a journal in PostgreSQL survives: cut connections, a killed server,
// several processes.

#include <unistd.h>
#include <gtest/gtest.h>

#include <atomic>
#include <set>
#include <thread>

#include "lamarck/store/journal_suite_fixture.h"
#include "lamarck/store/postgres/postgres_pool.h"
#include "lamarck/store/postgres/postgres_relay_fixture.h"

namespace lamarck::store {
namespace {

class PostgresFaults : public testing::Test {
 protected:
  void TearDown() override { PostgresServer::shared().clear(); }

  static std::unique_ptr<Journal> open(const std::string& url) {
    return std::move(open_postgres_journal({.server = {.url = url}})).value();
  }
  static std::unique_ptr<Journal> open() {
    return open(PostgresServer::shared().url());
  }

  static std::set<std::string> stored_ids(Journal& journal) {
    std::set<std::string> ids;
    const auto events = journal.events("run").value();
    for (std::size_t i = 0; i < events.size(); ++i) {
      EXPECT_EQ(events[i].seq, i + 1);
      EXPECT_TRUE(ids.insert(events[i].id).second);
    }
    return ids;
  }
};

// Every message of every operation is lost once, on its way to the server and
// on its way back. The caller must not notice.
TEST_F(PostgresFaults, CutAtEachMessageLosesAndDoublesNothing) {
  PostgresRelay relay(PostgresServer::shared());
  const auto journal = open(relay.url());
  const auto model = make_memory_journal();
  int number = 0;
  const auto both = [&](const Append& request) {
    const auto expected = model->append(request);
    const auto actual = journal->append(request);
    ASSERT_TRUE(actual) << actual.error().message();
    EXPECT_EQ(actual->head, expected->head);
    EXPECT_EQ(actual->is_repeat, expected->is_repeat);
    EXPECT_EQ(actual->answer, expected->answer);
  };
  both(new_run("run"));
  const auto operations = [&] {
    const std::uint64_t head = model->run("run")->head;
    const std::string id = event_id(static_cast<std::uint64_t>(++number));
    both({.run = "run",
          .expected_head = head,
          .events = {plain_event(id)},
          .new_state = "state " + id,
          .answer = {"key " + id, "00", "answer " + id}});
    const Checkpoint checkpoint = {"run", head + 1, id, "{}"};
    ASSERT_TRUE(journal->save_checkpoint(checkpoint));
    ASSERT_TRUE(model->save_checkpoint(checkpoint));
    const auto keep = [](const Event&) { return Result<void>(); };
    if (number % 5 == 0) {
      ASSERT_TRUE(journal->prune("run", keep));
      ASSERT_TRUE(model->prune("run", keep));
    }
    EXPECT_EQ(journal->events("run").value(), model->events("run").value());
  };

  for (const auto cut :
       {PostgresRelay::Cut::BeforeRequest, PostgresRelay::Cut::BeforeReply}) {
    int cuts = 0;
    for (bool was_cut = true; was_cut; ++cuts) {
      SCOPED_TRACE(cuts);
      relay.cut_after(cuts, cut);
      operations();
      was_cut = relay.has_cut();
      if (HasFatalFailure()) return;
    }
    EXPECT_GT(cuts, 6);
  }
  EXPECT_EQ(journal->run("run").value(), model->run("run").value());
  EXPECT_EQ(journal->verify().value(), std::vector<std::string>());
}

// Each writer appends with a key, and repeats a request that failed until it is
// acknowledged.
TEST_F(PostgresFaults, KilledServerLosesAndDoublesNothingAcknowledged) {
  constexpr int kWriters = 8;
  constexpr int kKills = 3;
  PostgresServer& server = PostgresServer::shared();
  std::vector<std::unique_ptr<Journal>> journals;
  journals.push_back(open());
  journals.push_back(open());
  ASSERT_TRUE(journals[0]->append(new_run("run")));
  std::atomic<bool> is_stopping = false;
  std::atomic<std::uint64_t> acknowledged = 0;
  std::vector<std::jthread> writers;
  for (int w = 0; w < kWriters; ++w) {
    writers.emplace_back([&, w] {
      Journal& journal = *journals[static_cast<std::size_t>(w % 2)];
      for (int i = 0; !is_stopping; ++i) {
        const std::string id = fmt::format("event {}.{}", w, i);
        const Append request = {.run = "run",
                                .events = {plain_event(id)},
                                .answer = {"key " + id, "00", id}};
        while (!journal.append(request)) {
        }
        ++acknowledged;
      }
    });
  }
  for (int i = 0; i < kKills; ++i) {
    const std::uint64_t before = acknowledged;
    while (acknowledged < before + 50) std::this_thread::yield();
    server.kill_all();
    server.start();
  }
  is_stopping = true;
  writers.clear();

  EXPECT_EQ(stored_ids(*journals[0]).size(), acknowledged);
  EXPECT_EQ(journals[1]->run("run")->head, acknowledged);
  EXPECT_EQ(journals[0]->verify().value(), std::vector<std::string>());
}

TEST_F(PostgresFaults, TwoJournalsAppendToTheSameRunsWithoutGaps) {
  const auto first = open();
  const auto second = open();
  constexpr int kThreads = 4;
  constexpr int kEach = 20;
  for (const char* run : {"run", "other"}) {
    ASSERT_TRUE(first->append(new_run(run)));
  }
  std::vector<std::jthread> threads;
  for (int t = 0; t < kThreads; ++t) {
    threads.emplace_back([&, t] {
      Journal& journal = t % 2 == 0 ? *first : *second;
      for (int i = 0; i < kEach; ++i) {
        for (const char* run : {"run", "other"}) {
          const std::string id = fmt::format("{} {}.{}", run, t, i);
          ASSERT_TRUE(
              journal.append({.run = run, .events = {plain_event(id)}}));
        }
      }
    });
  }
  threads.clear();

  EXPECT_EQ(stored_ids(*first).size(), std::size_t{kThreads} * kEach);
  EXPECT_EQ(second->run("other")->head, std::uint64_t{kThreads} * kEach);
  EXPECT_EQ(second->verify().value(), std::vector<std::string>());
}

TEST_F(PostgresFaults, OneKeySentToTwoJournalsIsStoredOnce) {
  const auto first = open();
  const auto second = open();
  ASSERT_TRUE(first->append(new_run("run")));
  ASSERT_TRUE(first->append(new_run("other")));
  for (int round = 0; round < 20; ++round) {
    const std::string key = fmt::format("key {}", round);
    std::atomic<int> firsts = 0;
    std::vector<std::jthread> threads;
    for (int t = 0; t < 4; ++t) {
      threads.emplace_back([&, t] {
        Journal& journal = t % 2 == 0 ? *first : *second;
        const auto outcome = journal.append(
            {.run = t < 2 ? "run" : "other",
             .events = {plain_event(fmt::format("event {}.{}", round, t))},
             .answer = {key, "00", std::to_string(t)}});
        ASSERT_TRUE(outcome) << outcome.error().message();
        if (!outcome->is_repeat) ++firsts;
      });
    }
    threads.clear();
    EXPECT_EQ(firsts, 1);
  }
  EXPECT_EQ(first->run("run")->head + first->run("other")->head, 20u);
}

TEST_F(PostgresFaults, OpensWhileOthersMigrate) {
  std::vector<std::jthread> threads;
  for (int t = 0; t < 6; ++t) {
    threads.emplace_back([] {
      const auto journal = open_postgres_journal(
          {.server = {.url = PostgresServer::shared().url()}});
      ASSERT_TRUE(journal) << journal.error().message();
      EXPECT_TRUE((*journal)->runs());
    });
  }
}

TEST_F(PostgresFaults, RejectsTablesOfANewerVersion) {
  open();
  PostgresServer::shared().run(
      "UPDATE lamarck.versions SET version = 1000 WHERE tables = 'journal'");

  const auto journal = open_postgres_journal(
      {.server = {.url = PostgresServer::shared().url()}});
  ASSERT_FALSE(journal);
  EXPECT_EQ(journal.error().code(), ErrorCode::Unsupported);
  EXPECT_NE(journal.error().message().find("version 1000"), std::string::npos);
}

TEST_F(PostgresFaults, KeepsSchemasApart) {
  const std::string url = PostgresServer::shared().url();
  const auto first = open(url);
  const auto second = open(url + "&schema=lamarck_acme.x");
  ASSERT_TRUE(first->append(new_run("run", {plain_event("1")})));
  ASSERT_TRUE(second->append(new_run("run", {plain_event("1")})));
  ASSERT_TRUE(second->append({.run = "run", .events = {plain_event("2")}}));

  EXPECT_EQ(first->run("run")->head, 1u);
  EXPECT_EQ(second->run("run")->head, 2u);
  PostgresServer::shared().run("DROP SCHEMA \"lamarck_acme.x\" CASCADE");
}

TEST_F(PostgresFaults, ExplainsWhyItCannotConnect) {
  struct Case {
    std::string url;
    ErrorCode code;
    std::string part;  // Of the message.
  };
  PostgresServer& server = PostgresServer::shared();
  const std::string folder = server.folder().string();
  for (const Case& wrong : std::vector<Case>{
           {"postgresql://u:secret@localhost:1/x", ErrorCode::Unavailable,
            "Connection refused"},
           {"postgresql://u:secret@/x?host=/nowhere", ErrorCode::Unavailable,
            "Check that the server runs"},
           {"postgresql://u:secret@local%host/x", ErrorCode::InvalidArgument,
            "must be a URL"},
           {"postgresql://u:secret@localhost:port/x", ErrorCode::Unavailable,
            "port"},
           {"postgresql://u:secret@[::1/x", ErrorCode::InvalidArgument,
            "must be a URL"},
           {server.url("missing"), ErrorCode::NotFound, "does not exist"},
           {server.url("postgres", "nobody:secret"), ErrorCode::NotFound,
            "role \"nobody\" does not exist"}}) {
    const auto journal = open_postgres_journal({.server = {.url = wrong.url}});
    ASSERT_FALSE(journal) << wrong.url;
    const std::string& message = journal.error().message();
    EXPECT_EQ(journal.error().code(), wrong.code) << message;
    EXPECT_NE(message.find(wrong.part), std::string::npos) << message;
    EXPECT_EQ(message.find("secret"), std::string::npos) << message;
  }
}

TEST_F(PostgresFaults, StoppedServerIsUnavailableUntilItIsBack) {
  PostgresServer& server = PostgresServer::shared();
  const auto journal =
      std::move(
          open_postgres_journal(
              {.server = {.url = server.url(),
                          .reconnect_for = std::chrono::milliseconds(100)}}))
          .value();
  ASSERT_TRUE(journal->append(new_run("run")));
  server.stop();
  EXPECT_EQ(journal->run("run").error().code(), ErrorCode::Unavailable);
  EXPECT_EQ(journal->append({.run = "run", .events = {plain_event("1")}})
                .error()
                .code(),
            ErrorCode::Unavailable);
  server.start();
  ASSERT_TRUE(journal->append({.run = "run", .events = {plain_event("1")}}));
  EXPECT_EQ(journal->run("run")->head, 1u);
}

TEST_F(PostgresFaults, ManyThreadsShareFewConnections) {
  const auto pool =
      std::move(PostgresPool::open({.url = PostgresServer::shared().url(),
                                    .max_connections = 2}))
          .value();
  std::atomic<int> done = 0;
  std::vector<std::jthread> threads;
  for (int t = 0; t < 16; ++t) {
    threads.emplace_back([&] {
      for (int i = 0; i < 20; ++i) {
        const auto outcome =
            pool->read([](PostgresConnection& connection) -> Result<void> {
              const auto rows = connection.query("SELECT 1");
              return rows ? Result<void>() : rows.error();
            });
        if (outcome) ++done;
      }
    });
  }
  threads.clear();
  EXPECT_EQ(done, 320);
}

}  // namespace
}  // namespace lamarck::store
