#include "lamarck/store/journal_watch.h"

#include <unistd.h>

#include <atomic>
#include <filesystem>
#include <map>
#include <string_view>
#include <thread>
#include <fmt/format.h>
#include <gtest/gtest.h>

#include "lamarck/store/journal_place.h"
#include "lamarck/store/postgres/postgres_server_fixture.h"

namespace lamarck::store {
namespace {

class JournalWatchTest : public testing::TestWithParam<const char*> {
 protected:
  bool is_file() const { return GetParam() == std::string_view("sqlite"); }

  void SetUp() override {
    folder_ = std::filesystem::path(testing::TempDir()) /
              fmt::format("journal_watch_{}", ::getpid());
    std::filesystem::remove_all(folder_);
    path_ = is_file() ? (folder_ / "j.db").string()
                      : PostgresServer::shared().url();
    own_ = open();
    other_ = open();
    watch_ = std::move(open_journal_watch(path_)).value();
  }
  void TearDown() override {
    std::filesystem::remove_all(folder_);
    if (!is_file()) PostgresServer::shared().clear();
  }

  std::unique_ptr<Journal> open() const {
    return std::move(open_journal_at({.place = path_, .durable = false}))
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

TEST_P(JournalWatchTest, ReportsAppendsOfOthersOnce) {
  EXPECT_EQ(poll_twice(), Changes{});
  append(*other_, "a");
  EXPECT_EQ(poll_twice(), (Changes{{"a", true}}));
  EXPECT_EQ(poll_twice(), Changes{});
  append(*other_, "a");
  append(*other_, "b");
  EXPECT_EQ(poll_twice(), (Changes{{"a", false}, {"b", true}}));
}

TEST_P(JournalWatchTest, OmitsOwnAppends) {
  watch_->note_own("a", append(*own_, "a"));
  EXPECT_EQ(poll_twice(), Changes{});
  append(*other_, "a");
  watch_->note_own("b", append(*own_, "b"));
  EXPECT_EQ(poll_twice(), (Changes{{"a", false}}));
}

TEST_P(JournalWatchTest, AllowsOwnAppendsToBeNotedLate) {
  const std::uint64_t head = append(*own_, "a");
  EXPECT_EQ(watch_->poll().value(), Changes{});
  watch_->note_own("a", head);
  EXPECT_EQ(poll_twice(), Changes{});
}

// Several transactions are open at once, and end in another order.
TEST_P(JournalWatchTest, ReportsEveryRunOfManyWriters) {
  std::vector<std::jthread> threads;
  std::atomic<int> running = 4;
  for (int t = 0; t < 4; ++t) {
    threads.emplace_back([&, t] {
      const auto journal = open();
      for (int i = 0; i < 10; ++i) {
        const std::string run = fmt::format("run {}.{}", t, i);
        journal
            ->append({.run = run,
                      .events = {{.id = "evt of " + run, .type = "plan_step"}},
                      .new_run = store::Run{.id = run, .kind = "thought"}})
            .value();
      }
      --running;
    });
  }
  std::map<std::string, int> reported;
  while (running > 0) {
    const Changes changes = watch_->poll().value();
    for (const auto& change : changes) ++reported[change.run];
  }
  threads.clear();
  const Changes last = poll_twice();
  for (const auto& change : last) ++reported[change.run];

  EXPECT_EQ(reported.size(), 40u);
  for (const auto& [run, count] : reported) EXPECT_EQ(count, 1) << run;
}

INSTANTIATE_TEST_SUITE_P(Files, JournalWatchTest, testing::Values("sqlite"));
INSTANTIATE_TEST_SUITE_P(Postgres, JournalWatchTest,
                         testing::Values("postgres"));

class FileWatchTest : public JournalWatchTest {};
INSTANTIATE_TEST_SUITE_P(Files, FileWatchTest, testing::Values("sqlite"));

TEST_P(FileWatchTest, DetectsDeletedFile) {
  append(*own_, "a");
  std::filesystem::rename(path_, path_ + ".old");
  EXPECT_EQ(watch_->poll().error().code(), ErrorCode::Unavailable);
}

}  // namespace
}  // namespace lamarck::store
