// Backward compatibility: a journal of every version migrates to the current
// one.
//
// tests/data/journals/version_N.sql recreates a journal of version N. These
// files never change; a new version of the tables gets its own file.

#include <unistd.h>
#include <gtest/gtest.h>
#include <sqlite3.h>

#include <filesystem>

#include <fmt/format.h>

#include "lamarck/base/file.h"
#include "lamarck/store/sqlite_journal.h"

namespace lamarck::store {
namespace {

namespace fs = std::filesystem;

// Views whose contents have not changed since version 1.
constexpr const char* kViews[] = {
    "SELECT id, kind, title, state, head, created, updated "
    "FROM readable_runs ORDER BY id",
    "SELECT id, session_id, seq, idempotency_key, type, parent_ids, "
    "vector_clock, role, content, constraints, score, status, "
    "early_stop_reason, failure_signature, retry_count, token_cost, "
    "walltime_ms, ts, version FROM readable_events ORDER BY id",
    "SELECT session_id, from_id, to_id, type FROM readable_edges "
    "ORDER BY to_id, from_id",
    "SELECT session_id, seq, last_event_id, state_snapshot, ts "
    "FROM readable_checkpoints ORDER BY session_id",
    "SELECT id, session_id, seq FROM event_names ORDER BY id"};

class JournalVersions : public testing::Test {
 protected:
  void SetUp() override {
    folder_ = fs::path(testing::TempDir()) /
              fmt::format("journal_versions_{}", ::getpid());
    fs::create_directories(folder_);
    path_ = folder_ / "j.db";
  }
  void TearDown() override { fs::remove_all(folder_); }

  // Recreates the journal from its SQL text.
  void make(const fs::path& sample) const {
    fs::remove(path_);
    with_file([&](sqlite3* file) {
      const std::string sql = read_file(sample).value();
      ASSERT_EQ(sqlite3_exec(file, sql.c_str(), nullptr, nullptr, nullptr),
                SQLITE_OK)
          << sqlite3_errmsg(file);
    });
  }

  // The contents of each view, with one row per line.
  std::vector<std::string> read_views() const {
    std::vector<std::string> texts;
    with_file([&](sqlite3* file) {
      for (const char* view : kViews) texts.push_back(rows(file, view));
    });
    return texts;
  }

  template <class Body>
  void with_file(const Body& body) const {
    sqlite3* file = nullptr;
    ASSERT_EQ(sqlite3_open(path_.c_str(), &file), SQLITE_OK);
    body(file);
    sqlite3_close(file);
  }

  static std::string rows(sqlite3* file, const char* view) {
    std::string text;
    const auto add = [](void* to, int count, char** values, char**) {
      for (int i = 0; i < count; ++i) {
        static_cast<std::string*>(to)
            ->append(values[i] == nullptr ? "NULL" : values[i])
            .append(i + 1 < count ? "|" : "\n");
      }
      return 0;
    };
    EXPECT_EQ(sqlite3_exec(file, view, add, &text, nullptr), SQLITE_OK)
        << sqlite3_errmsg(file);
    return text;
  }

  fs::path folder_;
  fs::path path_;
};

TEST_F(JournalVersions, MigrationPreservesContents) {
  int count = 0;
  for (const auto& sample :
       fs::directory_iterator(fs::path(LAMARCK_DATA) / "journals")) {
    SCOPED_TRACE(sample.path());
    ++count;
    make(sample.path());
    const std::vector<std::string> before = read_views();
    for (const std::string& text : before) EXPECT_GT(text.size(), 100u);
    {
      const auto journal =
          std::move(open_sqlite_journal({.path = path_})).value();
      EXPECT_EQ(journal->verify().value(), std::vector<std::string>());
    }
    EXPECT_EQ(read_views(), before);
  }
  EXPECT_GE(count, 1);
}

TEST_F(JournalVersions, AcceptsEventsAfterMigration) {
  make(fs::path(LAMARCK_DATA) / "journals" / "version_1.sql");
  const auto journal = std::move(open_sqlite_journal({.path = path_})).value();
  const std::vector<store::Run> runs = journal->runs({}).value();
  for (const store::Run& run : runs) {
    const std::vector<Event> events = journal->events(run.id).value();
    Event next{.id = "evt_next_" + run.id, .type = "plan_step"};
    next.parents = {{events.back().id}};
    const auto appended =
        journal->append({.run = run.id, .events = {next}}).value();
    EXPECT_EQ(appended.head, run.head + 1);
    EXPECT_EQ(journal->event(next.id)->parents, next.parents);
  }
  EXPECT_EQ(journal->verify().value(), std::vector<std::string>());
}

}  // namespace
}  // namespace lamarck::store
