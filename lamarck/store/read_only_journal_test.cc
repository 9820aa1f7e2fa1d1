#include "lamarck/store/read_only_journal.h"

#include <unistd.h>

#include <filesystem>
#include <fmt/format.h>
#include <gtest/gtest.h>

#include "lamarck/store/internal/journal_schema.h"
#include "lamarck/store/sqlite_journal.h"

namespace lamarck::store {
namespace {

class ReadOnlyJournalTest : public testing::Test {
 protected:
  void SetUp() override {
    std::filesystem::remove_all(folder_);
    std::filesystem::create_directories(folder_);
  }
  void TearDown() override { std::filesystem::remove_all(folder_); }

  std::unique_ptr<Journal> open_writer() const {
    return std::move(open_sqlite_journal({.path = path_, .durable = false}))
        .value();
  }
  std::unique_ptr<Journal> open_reader() const {
    return std::move(open_read_only_journal(path_)).value();
  }
  bool has_log() const { return std::filesystem::exists(path_ + "-wal"); }

  static void append_run(Journal& journal, const std::string& id) {
    Append request{.run = id,
                   .new_run = store::Run{.id = id, .kind = "thought"}};
    request.events.push_back({.id = "evt_" + id, .type = "plan_step"});
    ASSERT_TRUE(journal.append(std::move(request)).has_value());
  }

  const std::filesystem::path folder_ =
      std::filesystem::path(testing::TempDir()) /
      fmt::format("read_only_journal_{}", ::getpid());
  const std::string path_ = folder_ / "50% of #1?.db";
};

TEST_F(ReadOnlyJournalTest, ReadsClosedFileAndCreatesNoOther) {
  append_run(*open_writer(), "a");
  ASSERT_FALSE(has_log());
  const auto reader = open_reader();
  EXPECT_EQ(reader->runs().value().size(), 1u);
  EXPECT_EQ(reader->events("a").value().front().id, "evt_a");
  EXPECT_EQ(reader->event("evt_a")->run, "a");
  EXPECT_EQ(reader->run_count("thought").value(), 1u);
  EXPECT_TRUE(reader->verify()->empty());
  EXPECT_FALSE(has_log());
}

TEST_F(ReadOnlyJournalTest, SeesWhatOtherProcessWrites) {
  append_run(*open_writer(), "a");
  const auto reader = open_reader();
  EXPECT_EQ(reader->runs().value().size(), 1u);
  const auto writer = open_writer();
  append_run(*writer, "b");
  ASSERT_TRUE(has_log());
  EXPECT_EQ(reader->runs().value().size(), 2u);
  append_run(*writer, "c");
  EXPECT_EQ(reader->runs().value().size(), 3u);
  EXPECT_EQ(open_reader()->runs().value().size(), 3u);
}

TEST_F(ReadOnlyJournalTest, RefusesToWrite) {
  append_run(*open_writer(), "a");
  const auto reader = open_reader();
  const auto appended = reader->append({.run = "a", .new_state = "done"});
  ASSERT_FALSE(appended.has_value());
  EXPECT_EQ(appended.error().code(), ErrorCode::PermissionDenied);
  EXPECT_EQ(appended.error().message(),
            "The journal " + path_ +
                " is read-only; copy it to a folder that you can write.");
  EXPECT_FALSE(reader->save_checkpoint({.run = "a"}).has_value());
  EXPECT_FALSE(
      reader->prune("a", [](const Event&) -> Result<void> { return {}; })
          .has_value());
}

TEST_F(ReadOnlyJournalTest, RejectsOlderVersionAndOtherFiles) {
  {
    auto file = std::move(SqliteConnection::open(path_, "")).value();
    ASSERT_TRUE(internal::migrate_journal(*file, 1).has_value());
  }
  EXPECT_EQ(open_read_only_journal(path_).error().message(),
            "Cannot open the journal " + path_ +
                ": it has version 1 and must be migrated to 2, but it is "
                "read-only; copy it to a folder that you can write.");
  EXPECT_EQ(open_read_only_journal(folder_ / "none.db").error().code(),
            ErrorCode::IoFailed);
}

}  // namespace
}  // namespace lamarck::store
