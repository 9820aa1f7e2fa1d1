#include "lamarck/store/journal_watch.h"

#include <unistd.h>

#include <filesystem>
#include <fmt/format.h>
#include <gtest/gtest.h>

#include "lamarck/store/sqlite_journal.h"

namespace lamarck::store {
namespace {

class JournalWatchTest : public testing::Test {
 protected:
  void SetUp() override {
    folder_ = std::filesystem::path(testing::TempDir()) /
              fmt::format("journal_watch_{}", ::getpid());
    std::filesystem::remove_all(folder_);
    path_ = folder_ / "j.db";
    own_ = open();
    other_ = open();
    watch_ = std::move(open_journal_watch(path_)).value();
  }
  void TearDown() override { std::filesystem::remove_all(folder_); }

  std::unique_ptr<Journal> open() const {
    return std::move(open_sqlite_journal({.path = path_, .durable = false}))
        .value();
  }

  // Appends an event, creating the run if needed. Returns the new head.
  std::uint64_t append(Journal& journal, const std::string& run) {
    Append request{.run = run};
    request.events.push_back(
        {.id = fmt::format("evt_{}", ++ids_), .type = "plan_step"});
    if (!journal.run(run)) {
      request.new_run = store::Run{.id = run, .kind = "thought"};
      request.expected_head = 0;
    }
    return journal.append(std::move(request)).value().head;
  }

  // The changes of two polls: the second one returns what the first one saw.
  std::vector<JournalWatch::Change> poll_twice() {
    auto changes = watch_->poll().value();
    const auto more = watch_->poll().value();
    changes.insert(changes.end(), more.begin(), more.end());
    return changes;
  }

  using Changes = std::vector<JournalWatch::Change>;

  std::filesystem::path folder_;
  std::string path_;
  int ids_ = 0;
  std::unique_ptr<Journal> own_;
  std::unique_ptr<Journal> other_;
  std::unique_ptr<JournalWatch> watch_;
};

TEST_F(JournalWatchTest, ReportsAppendsOfOthersOnce) {
  EXPECT_EQ(poll_twice(), Changes{});
  append(*other_, "a");
  EXPECT_EQ(poll_twice(), (Changes{{"a", true}}));
  EXPECT_EQ(poll_twice(), Changes{});
  append(*other_, "a");
  append(*other_, "b");
  EXPECT_EQ(poll_twice(), (Changes{{"a", false}, {"b", true}}));
}

TEST_F(JournalWatchTest, OmitsOwnAppends) {
  watch_->note_own("a", append(*own_, "a"));
  EXPECT_EQ(poll_twice(), Changes{});
  append(*other_, "a");
  watch_->note_own("b", append(*own_, "b"));
  EXPECT_EQ(poll_twice(), (Changes{{"a", false}}));
}

TEST_F(JournalWatchTest, AllowsOwnAppendsToBeNotedLate) {
  const std::uint64_t head = append(*own_, "a");
  EXPECT_EQ(watch_->poll().value(), Changes{});
  watch_->note_own("a", head);
  EXPECT_EQ(poll_twice(), Changes{});
}

TEST_F(JournalWatchTest, DetectsDeletedFile) {
  append(*own_, "a");
  std::filesystem::rename(path_, path_ + ".old");
  EXPECT_EQ(watch_->poll().error().code(), ErrorCode::Unavailable);
}

}  // namespace
}  // namespace lamarck::store
