// Tests specific to a journal in a file. journal_suite_test.cc has the rest.

#include "lamarck/store/sqlite_journal.h"

#include <unistd.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <thread>

#include <fmt/format.h>

#include "lamarck/base/file.h"
#include "lamarck/store/internal/journal_schema.h"
#include "lamarck/store/sqlite_connection.h"

namespace lamarck::store {
namespace {

class SqliteJournalTest : public testing::Test {
 protected:
  void SetUp() override {
    folder_ = std::filesystem::path(testing::TempDir()) /
              fmt::format("sqlite_journal_{}", ::getpid());
    std::filesystem::remove_all(folder_);
    std::filesystem::create_directories(folder_);
    path_ = folder_ / "j.db";
  }
  void TearDown() override { std::filesystem::remove_all(folder_); }

  std::unique_ptr<Journal> open() {
    return std::move(open_sqlite_journal({.path = path_, .durable = false}))
        .value();
  }
  Error refused() { return open_sqlite_journal({.path = path_}).error(); }

  // Changes the file like a user of the sqlite3 program.
  void execute(const char* sql) {
    const auto file = std::move(SqliteConnection::open(path_, "")).value();
    const Result<void> outcome = file->execute(sql);
    ASSERT_TRUE(outcome) << outcome.error().message();
  }
  std::vector<std::string> row(const char* sql, int columns) {
    const auto file = std::move(SqliteConnection::open(path_, "")).value();
    Query query = file->query(sql);
    EXPECT_TRUE(query.next().value());
    std::vector<std::string> values;
    for (int i = 0; i < columns; ++i) values.push_back(query.text_at(i));
    return values;
  }

  std::filesystem::path folder_;
  std::string path_;
};

// About 250 bytes that differ in a few places.
std::string answer_text(std::uint64_t number) {
  return fmt::format(
      R"({{"event_id":"evt_{:08x}-7d2a-7b41-9c55-000000000000","seq":{},)"
      R"("status":"open","budget":{{"tokens_used":{},"tokens_left":40500}}, )"
      R"("branch":"main","next":"validate","warnings":"{}"}})",
      number * 2654435761 % 4294967296, number, 95 * number,
      std::string(75, 'w'));
}

Append step(const std::string& run, std::uint64_t number) {
  const auto id = [](std::uint64_t n) {
    return fmt::format("evt_018f3c6e-7d2a-7b41-9c55-{:012x}", n);
  };
  Event event;
  event.id = id(number);
  event.type = "plan_step";
  event.role = "planner";
  event.content = std::string(380, 'x');
  event.vector_clock = {{"client-1", number}, {"server", number}};
  if (number > 1) event.parents = {{id(number - 1), "refines"}};
  event.failure_signature = number == 1 ? "00ff00ff00ff00ff" : "";
  event.ts = Clock::WallTime(std::chrono::seconds(1785230000 + number));
  return {.run = run,
          .events = {event},
          .answer = {fmt::format("{}:{:023}", run, number),
                     std::string(64, 'b'), answer_text(number)}};
}

const std::string kRun = "018f3c6e-7d2a-7b41-9c55-000000000000";

void fill(Journal& journal, std::uint64_t steps) {
  journal.append({.run = kRun, .new_run = Run{.kind = "thought"}}).value();
  for (std::uint64_t i = 1; i <= steps; ++i) {
    journal.append(step(kRun, i)).value();
  }
}

TEST_F(SqliteJournalTest, CreatesFileAndFolder) {
  path_ = folder_ / "a" / "b" / "j.db";
  fill(*open(), 1);

  EXPECT_EQ(open()->run(kRun)->head, 1u);
}

TEST_F(SqliteJournalTest, IsPrivateToItsOwner) {
  const auto journal = open();
  fill(*journal, 1);

  for (const char* ending : {"", "-wal", "-shm"}) {
    const auto rights = std::filesystem::status(path_ + ending).permissions();
    EXPECT_EQ(rights, std::filesystem::perms::owner_read |
                          std::filesystem::perms::owner_write)
        << ending;
  }
}

TEST_F(SqliteJournalTest, MakesEmptyFilePrivate) {
  using std::filesystem::perms;
  std::ofstream{path_};
  std::filesystem::permissions(path_, perms::owner_read | perms::owner_write |
                                          perms::group_read |
                                          perms::others_read);

  fill(*open(), 1);

  EXPECT_EQ(std::filesystem::status(path_).permissions(),
            perms::owner_read | perms::owner_write);
}

TEST_F(SqliteJournalTest, FileIsSlightlyLargerThanTwiceTheContent) {
  fill(*open(), 1000);

  EXPECT_LT(std::filesystem::file_size(path_), 23u * 38'000);
}

TEST_F(SqliteJournalTest, RestoresCompressedAnswers) {
  fill(*open(), 20);
  const auto journal = open();

  EXPECT_EQ(row("SELECT count(*) FROM answers WHERE pattern IS NOT NULL", 1)[0],
            "19");
  for (std::uint64_t i = 1; i <= 20; ++i) {
    EXPECT_EQ(journal->append(step(kRun, i))->answer, answer_text(i));
  }
}

TEST_F(SqliteJournalTest, MigratesFilesOfEveryVersion) {
  const auto newest =
      static_cast<std::int64_t>(internal::journal_migrations().size());
  for (std::int64_t version = 0; version <= newest; ++version) {
    SCOPED_TRACE(fmt::format("version {}", version));
    std::filesystem::remove(path_);
    {
      const auto file = std::move(SqliteConnection::open(path_, "")).value();
      if (version > 0) {
        ASSERT_TRUE(internal::migrate_journal(*file, version));
      }
    }
    fill(*open(), 2);
    EXPECT_TRUE(open()->verify()->empty());
    EXPECT_EQ(row("PRAGMA user_version", 1)[0], std::to_string(newest));
  }
}

TEST_F(SqliteJournalTest, RejectsNewerVersion) {
  open();
  execute("PRAGMA user_version = 9");

  EXPECT_EQ(refused().code(), ErrorCode::Unsupported);
  EXPECT_EQ(
      refused().message(),
      fmt::format(
          "Cannot open the journal {}: it has version 9, but this program "
          "supports versions up to 2; use a newer version of Lamarck.",
          path_));
}

TEST_F(SqliteJournalTest, RejectsOtherFiles) {
  ASSERT_TRUE(write_file(path_, std::string(5000, 'x')));
  EXPECT_EQ(
      refused().message(),
      fmt::format(
          "Cannot open the journal {}: it is not a journal; use another path.",
          path_));
  EXPECT_EQ(read_file(path_).value(), std::string(5000, 'x'));

  path_ = folder_ / "other.db";
  execute("CREATE TABLE t (x)");
  EXPECT_EQ(refused().message(),
            fmt::format("Cannot open the journal {}: it is a SQLite database "
                        "but not a journal; use another path.",
                        path_));

  path_ = folder_;
  EXPECT_EQ(refused().message(),
            fmt::format("Cannot open the journal {}: it is a folder; give the "
                        "path of a file.",
                        path_));

  path_ = "";
  EXPECT_EQ(refused().code(), ErrorCode::InvalidArgument);
}

TEST_F(SqliteJournalTest, RejectsUnwritablePaths) {
  ASSERT_TRUE(write_file(folder_ / "file", "x"));
  path_ = folder_ / "file" / "j.db";
  EXPECT_EQ(refused().code(), ErrorCode::IoFailed);

  if (::geteuid() == 0) GTEST_SKIP() << "root can write everywhere";
  path_ = folder_ / "j.db";
  open();
  std::filesystem::permissions(path_, std::filesystem::perms::owner_read);
  EXPECT_EQ(refused().code(), ErrorCode::PermissionDenied);
}

TEST_F(SqliteJournalTest, DetectsDamagedHeader) {
  fill(*open(), 10);
  std::string bytes = read_file(path_).value();
  bytes.replace(16, 40, std::string(40, '\x7f'));
  ASSERT_TRUE(write_file(path_, bytes));

  EXPECT_EQ(refused().code(), ErrorCode::DataDamaged);
  EXPECT_NE(refused().message().find(path_), std::string::npos);
}

TEST_F(SqliteJournalTest, VerifyDetectsDamagedPages) {
  fill(*open(), 100);
  std::string bytes = read_file(path_).value();
  for (std::size_t i = 1; i < 20'000; ++i) bytes[bytes.size() - i] = '\x55';
  ASSERT_TRUE(write_file(path_, bytes));
  const auto journal = open_sqlite_journal({.path = path_});

  ASSERT_TRUE(journal) << journal.error().message();
  EXPECT_FALSE((*journal)->verify()->empty());
}

TEST_F(SqliteJournalTest, VerifyDetectsInconsistencies) {
  const std::pair<const char*, const char*> cases[] = {
      {"DELETE FROM events WHERE seq = 2", "has 2 events, numbered 1 to 3"},
      {"UPDATE edges SET from_id = to_id + 1 WHERE to_id = 67108866",
       "has a parent"},
      {"UPDATE edges SET from_id = 77", "has a parent"},
      {"DELETE FROM runs", "does not belong to a run"},
      {"DELETE FROM answers WHERE number = 1", "The answer of event evt_018f"},
      {"DELETE FROM answers WHERE number = 1", "refers to an answer"},
      {"UPDATE answers SET idempotency_key = 'k'", "is stored 3 times"},
      {"INSERT INTO checkpoints VALUES (1, 1, 2, 67108865, '{}', 0)",
       "does not match an event"},
      {"INSERT INTO edges VALUES (100, 67108865, 100, 0)", "leads to an event"},
      {"INSERT INTO edges VALUES (100, 67108865, 67108867, 0)",
       "is outside the edges"},
      {"DELETE FROM edges WHERE id = 1", "should have 1 parents"},
      {"PRAGMA ignore_check_constraints = ON; "
       "UPDATE events SET content = printf('%401s', 'x')",
       "CHECK constraint failed in events"},
      {"PRAGMA ignore_check_constraints = ON; UPDATE edges SET type = 4",
       "CHECK constraint failed in edges"}};
  for (const auto& [sql, expected] : cases) {
    std::filesystem::remove(path_);
    fill(*open(), 3);
    execute(sql);
    const auto problems = open()->verify().value();
    ASSERT_FALSE(problems.empty()) << sql;
    bool is_reported = false;
    for (const std::string& sentence : problems) {
      is_reported = is_reported || sentence.find(expected) != std::string::npos;
    }
    EXPECT_TRUE(is_reported) << sql << ": " << problems[0];
  }
}

TEST_F(SqliteJournalTest, CheckConstraintsMatchAppendRules) {
  fill(*open(), 3);
  const auto file = std::move(SqliteConnection::open(path_, "")).value();
  for (const char* sql :
       {"UPDATE events SET content = printf('%401s', 'x')",
        "UPDATE events SET status = 4", "UPDATE edges SET type = 4"}) {
    const Result<void> outcome = file->execute(sql);
    ASSERT_FALSE(outcome) << sql;
    EXPECT_NE(outcome.error().message().find("CHECK"), std::string::npos);
  }
}

TEST_F(SqliteJournalTest, ViewsShowText) {
  {
    const auto journal = open();
    fill(*journal, 2);
    ASSERT_TRUE(journal->save_checkpoint(
        {kRun, 2, "evt_018f3c6e-7d2a-7b41-9c55-000000000002", "{}"}));
  }
  EXPECT_EQ(
      row("SELECT id, session_id, idempotency_key, parent_ids, "
          "vector_clock, status, ts FROM readable_events WHERE seq = 2",
          7),
      (std::vector<std::string>{
          "evt_018f3c6e-7d2a-7b41-9c55-000000000002", kRun,
          kRun + ":00000000000000000000002",
          R"(["evt_018f3c6e-7d2a-7b41-9c55-000000000001"])",
          R"({"client-1":2,"server":2})", "open", "2026-07-28T09:13:22.000Z"}));
  EXPECT_EQ(row("SELECT failure_signature FROM readable_events", 1)[0],
            "00ff00ff00ff00ff");
  EXPECT_EQ(row("SELECT from_id, to_id, type FROM readable_edges", 3),
            (std::vector<std::string>{
                "evt_018f3c6e-7d2a-7b41-9c55-000000000001",
                "evt_018f3c6e-7d2a-7b41-9c55-000000000002", "refines"}));
  EXPECT_EQ(
      row("SELECT session_id, last_event_id FROM readable_checkpoints", 2)[1],
      "evt_018f3c6e-7d2a-7b41-9c55-000000000002");
  EXPECT_EQ(row("SELECT id, head FROM readable_runs", 2)[1], "2");
}

TEST_F(SqliteJournalTest, DetectsDeletedOrReplacedFile) {
  const auto journal = open();
  Append first = step("run", 1);
  first.new_run = store::Run{.id = "run", .kind = "thought"};
  journal->append(first).value();
  const std::string kept = path_ + ".kept";
  std::filesystem::rename(path_, kept);

  const Error deleted = journal->append(step("run", 2)).error();
  EXPECT_EQ(deleted.code(), ErrorCode::Unavailable);
  EXPECT_NE(deleted.message().find("was deleted"), std::string::npos);
  EXPECT_FALSE(std::filesystem::exists(path_));
  std::filesystem::copy_file(kept, path_);
  const Error replaced = journal->append(step("run", 2)).error();
  EXPECT_NE(replaced.message().find("was replaced"), std::string::npos);
  std::filesystem::rename(kept, path_);
  EXPECT_TRUE(journal->append(step("run", 2)));
}

TEST_F(SqliteJournalTest, DetectsDeletedLog) {
  const auto journal = open();
  fill(*journal, 1);
  const std::string log = path_ + "-wal";
  std::filesystem::rename(log, log + ".kept");

  const Error deleted = journal->append(step(kRun, 2)).error();
  EXPECT_EQ(deleted.code(), ErrorCode::Unavailable);
  EXPECT_NE(deleted.message().find("-wal was deleted"), std::string::npos);
  std::filesystem::rename(log + ".kept", log);
  EXPECT_TRUE(journal->append(step(kRun, 2)));
}

TEST_F(SqliteJournalTest, LogOfReplacedFileDoesNotAffectNewFile) {
  const std::string path = path_;
  path_ = folder_ / "other.db";
  fill(*open(), 3);
  std::filesystem::rename(path_, folder_ / "new.db");
  path_ = path;
  auto journal = open();
  fill(*journal, 100);
  std::filesystem::rename(folder_ / "new.db", path_);

  const Error replaced = journal->append(step(kRun, 101)).error();
  EXPECT_NE(replaced.message().find("was replaced"), std::string::npos);
  journal.reset();
  EXPECT_TRUE(std::filesystem::exists(path_ + "-wal.replaced"));
  journal = open();
  EXPECT_EQ(journal->verify().value(), std::vector<std::string>());
  EXPECT_EQ(journal->run(kRun)->head, 3u);
}

TEST_F(SqliteJournalTest, DetectsEmptiedFile) {
  const auto journal = open();
  fill(*journal, 1);
  std::filesystem::resize_file(path_, 0);

  EXPECT_NE(journal->append(step(kRun, 2))
                .error()
                .message()
                .find("was emptied while in use"),
            std::string::npos);
}

TEST_F(SqliteJournalTest, TreatsSpecialSqliteNamesAsFiles) {
  const auto before = std::filesystem::current_path();
  std::filesystem::current_path(folder_);
  for (const char* name : {"file:y.db", ":memory:", "file:z.db?mode=memory"}) {
    path_ = name;
    fill(*open(), 1);
    EXPECT_TRUE(std::filesystem::exists(folder_ / name)) << name;
    EXPECT_EQ(open()->run(kRun)->head, 1u) << name;
  }
  EXPECT_FALSE(std::filesystem::exists(folder_ / "y.db"));
  std::filesystem::current_path(before);
}

TEST_F(SqliteJournalTest, SeveralJournalsShareOneFile) {
  constexpr std::uint64_t kEach = 40;
  fill(*open(), 0);
  std::vector<std::jthread> threads;
  for (std::uint64_t t = 0; t < 3; ++t) {
    threads.emplace_back([&, t] {
      const auto journal = open();
      for (std::uint64_t i = 0; i < kEach; ++i) {
        Append request = step(kRun, 1000 * (t + 1) + i);
        request.events[0].parents.clear();
        const auto appended = journal->append(std::move(request));
        ASSERT_TRUE(appended) << appended.error().message();
      }
    });
  }
  threads.clear();

  EXPECT_EQ(open()->events(kRun)->size(), 3 * kEach);
  EXPECT_TRUE(open()->verify()->empty());
}

TEST_F(SqliteJournalTest, SeesWritesOfOtherJournalsImmediately) {
  const auto one = open();
  const auto other = open();
  fill(*one, 2);
  for (std::uint64_t i = 3; i <= 20; ++i) {
    Journal& writer = i % 3 == 0 ? *one : *other;
    Append request = step(kRun, i);
    request.expected_head = i - 1;
    const auto appended = writer.append(std::move(request));
    ASSERT_TRUE(appended) << appended.error().message();
    EXPECT_EQ(appended->head, i);
  }
  Append again = step(kRun, 7);
  again.answer = {};
  EXPECT_EQ(one->append(again).error().code(), ErrorCode::AlreadyExists);
  EXPECT_EQ(other->run(kRun)->head, 20u);
  EXPECT_TRUE(open()->verify()->empty());
}

TEST_F(SqliteJournalTest, DurableLogIsPreallocatedAndReadCompletely) {
  const auto journal = std::move(open_sqlite_journal({.path = path_})).value();
  fill(*journal, 5);
  const std::string log = path_ + "-wal";
  const auto size = std::filesystem::file_size(log);
  EXPECT_GE(size, std::uintmax_t{1} << 20);
  ASSERT_TRUE(journal->append(step(kRun, 6)));
  EXPECT_EQ(std::filesystem::file_size(log), size);

  // As after a kill: the log holds the events, followed by zeros.
  const std::string copy = path_ + ".copy";
  std::filesystem::copy_file(path_, copy);
  std::filesystem::copy_file(log, copy + "-wal");
  const auto found = std::move(open_sqlite_journal({.path = copy})).value();
  EXPECT_EQ(found->events(kRun)->size(), 6u);
  EXPECT_TRUE(found->verify()->empty());
}

}  // namespace
}  // namespace lamarck::store
