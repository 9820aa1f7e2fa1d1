// The fixture of the tests that every implementation of Journal must pass.

#pragma once

#include <unistd.h>
#include <gtest/gtest.h>

#include <chrono>
#include <filesystem>
#include <memory>
#include <string>
#include <vector>

#include <fmt/format.h>

#include "lamarck/store/memory_journal.h"
#include "lamarck/store/postgres/postgres_journal.h"
#include "lamarck/store/postgres/postgres_server_fixture.h"
#include "lamarck/store/sqlite_journal.h"

namespace lamarck::store {

inline std::string event_id(std::uint64_t number) {
  return fmt::format("evt_018f3c6e-7d2a-7b41-9c55-{:012x}", number);
}

inline Clock::WallTime at_second(std::int64_t second) {
  return Clock::WallTime(std::chrono::seconds(second));
}

inline Event plain_event(std::string id, std::vector<Edge> parents = {}) {
  Event event;
  event.id = std::move(id);
  event.type = "plan_step";
  event.parents = std::move(parents);
  event.role = "planner";
  event.content = "Read the file.";
  event.ts = at_second(100);
  return event;
}

inline Event full_event(std::string id, std::vector<Edge> parents = {}) {
  Event event = plain_event(std::move(id), std::move(parents));
  event.vector_clock = {{"client \"a\"", 3}, {"server", 1ull << 40}};
  event.content = std::string("\u601d\u8003 \0 and more", 17);
  event.constraints = R"({"branch": "a"})";
  event.score = R"({"risk":0.25})";
  event.status = "early_stopped";
  event.early_stop_reason = "budget";
  event.failure_signature = "00ff00ff00ff00ff";
  event.retry_count = 2;
  event.token_cost = 120;
  event.walltime_ms = -1;
  event.ts = Clock::WallTime(std::chrono::microseconds(1785230123456789));
  event.version = 3;
  return event;
}

inline Append new_run(const std::string& id, std::vector<Event> events = {}) {
  return {.run = id,
          .events = std::move(events),
          .new_run = Run{.id = id,
                         .kind = "thought",
                         .title = "A title",
                         .state = "open",
                         .created = at_second(50)}};
}

// A journal of each implementation, empty at first.
class JournalSuite : public testing::TestWithParam<const char*> {
 protected:
  void SetUp() override {
    std::string name =
        testing::UnitTest::GetInstance()->current_test_info()->name();
    for (char& letter : name) {
      if (letter == '/') letter = '_';
    }
    folder_ = std::filesystem::path(testing::TempDir()) /
              fmt::format("journal_{}_{}", name, ::getpid());
    reopen();
  }

  void TearDown() override {
    journal_.reset();
    if (is_postgres()) PostgresServer::shared().clear();
    std::filesystem::remove_all(folder_);
  }

  bool is_postgres() const {
    return GetParam() == std::string_view("postgres") || is_pooled();
  }
  bool is_pooled() const { return GetParam() == std::string_view("pgbouncer"); }
  bool is_durable() const { return GetParam() != std::string_view("memory"); }

  // Simulates a restart. A memory journal cannot be reopened and stays as it
  // is.
  void reopen() {
    if (!is_durable()) {
      if (journal_ == nullptr) journal_ = make_memory_journal();
      return;
    }
    journal_.reset();
    journal_ = open_second();
  }

  std::string database_url() const {
    return is_pooled() ? PostgresPooler::shared().url()
                       : PostgresServer::shared().url();
  }

  // Opens the same journal once more, like another process. REQUIRES:
  // is_durable().
  std::unique_ptr<Journal> open_second() const {
    if (is_postgres()) {
      return std::move(open_postgres_journal({.server = {.url = database_url()},
                                              .durable = false}))
          .value();
    }
    return std::move(open_sqlite_journal(
                         {.path = folder_ / "j.db", .durable = false}))
        .value();
  }

  void append(Append request) {
    const Result<Appended> outcome = journal_->append(std::move(request));
    ASSERT_TRUE(outcome) << outcome.error().message();
  }
  Error refused(Append request) {
    return journal_->append(std::move(request)).error();
  }
  void expect_sound() {
    EXPECT_EQ(journal_->verify().value(), std::vector<std::string>());
  }

  std::filesystem::path folder_;
  std::unique_ptr<Journal> journal_;
};

}  // namespace lamarck::store
