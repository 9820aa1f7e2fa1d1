#include "lamarck/runs/run_recorder.h"

#include <gtest/gtest.h>

#include "lamarck/base/eventually_fixture.h"
#include "lamarck/runs/run_catalog.h"
#include "lamarck/runs/run_control.h"
#include "lamarck/runs/run_folder_fixture.h"

namespace lamarck::runs {
namespace {

using std::chrono_literals::operator""ms;

class CountingSource final : public RunSource {
 public:
  void collect(std::vector<RunEvent>& events) override {
    if (limit_ == count_) return;
    events.push_back(
        {.type = "progress",
         .payload = {{"generation", ++count_}, {"score", count_ / 10.0}}});
  }
  void set_limit(int limit) { limit_ = limit; }

 private:
  int count_ = 0;
  int limit_ = 1'000'000;
};

RecorderOptions small_options(const RunFolder& folder, std::string id = "") {
  RecorderOptions options;
  options.journal = folder.journal_path();
  options.start.id = std::move(id);
  options.start.kind = "net";
  options.start.goal = "Predict y";
  options.start.options = {{"target", "y"}};
  options.start.seed = 3;
  options.facts = {{"score_name", "r2"}};
  options.interval = 1ms;
  return options;
}

TEST(RunRecorder, RecordsARunFromStartToEnd) {
  RunFolder folder;
  SystemClock clock;
  CountingSource source;
  std::string id;
  {
    RunRecorder recorder(small_options(folder), clock);
    id = recorder.id();
    recorder.set_source(&source);
    recorder.add({.type = "note", .payload = {{"text", "hello"}}});
    const auto journal = folder.open_journal();
    RunCatalog catalog(*journal, clock);
    ASSERT_TRUE(eventually("the run has progress", [&] {
      const auto run = catalog.find(id);
      return run && run->summary.generations >= 3;
    }));
    EXPECT_EQ(catalog.find(id)->state, kRunning);
    ASSERT_TRUE(recorder.finish(kDone, "Reached the goal.", {{"x", 1}}));
  }
  const auto journal = folder.open_journal();
  RunCatalog catalog(*journal, clock);
  const RunView run = catalog.find(id).value();
  EXPECT_EQ(run.state, kDone);
  EXPECT_EQ(run.summary.goal, "Predict y");
  EXPECT_EQ(run.summary.seed, 3u);
  EXPECT_EQ(run.summary.message, "Reached the goal.");
  EXPECT_EQ(run.summary.result.at("x"), 1);
  EXPECT_EQ(run.summary.score_name, "r2");
  // Lists need only the checkpoint.
  EXPECT_EQ(journal->latest_checkpoint(id)->value().seq, run.summary.seq);
  EXPECT_TRUE(journal->verify()->empty());
}

TEST(RunRecorder, StopsOnRequestOfAnotherProcess) {
  RunFolder folder;
  SystemClock clock;
  CountingSource source;
  source.set_limit(0);  // Nothing happens, so nothing is appended.
  RunRecorder recorder(small_options(folder), clock);
  recorder.set_source(&source);
  const auto journal = folder.open_journal();
  RunCatalog catalog(*journal, clock);
  ASSERT_TRUE(eventually("the run has started", [&] {
    const auto run = catalog.find(recorder.id());
    return run && run->state == kRunning;
  }));
  EXPECT_FALSE(recorder.cancel().is_cancelled());
  ASSERT_TRUE(request_stop(catalog, *catalog.find(recorder.id()), "test"));
  EXPECT_EQ(catalog.find(recorder.id())->state, kStopping);
  ASSERT_TRUE(eventually("the token is cancelled",
                         [&] { return recorder.cancel().is_cancelled(); }));
  ASSERT_TRUE(recorder.finish(kInterrupted, "Stopped.", nullptr));
  const RunView run = catalog.find(recorder.id()).value();
  EXPECT_EQ(run.state, kInterrupted);
  EXPECT_TRUE(run.can_resume());
}

TEST(RunRecorder, ContinuesAnExistingRun) {
  RunFolder folder;
  SystemClock clock;
  {
    RunRecorder first(small_options(folder, "net-abc"), clock);
    ASSERT_TRUE(first.finish(kInterrupted, "Stopped.", nullptr));
  }
  RunRecorder second(small_options(folder, "net-abc"), clock);
  ASSERT_TRUE(second.finish(kDone, "", nullptr));
  const auto journal = folder.open_journal();
  RunCatalog catalog(*journal, clock);
  const RunView run = catalog.find("net-abc").value();
  EXPECT_EQ(run.summary.sessions, 2);
  EXPECT_EQ(run.state, kDone);
}

TEST(RunRecorder, RecordsARunThatThrewAsFailed) {
  RunFolder folder;
  SystemClock clock;
  { RunRecorder recorder(small_options(folder, "net-bad"), clock); }
  const auto journal = folder.open_journal();
  RunCatalog catalog(*journal, clock);
  EXPECT_EQ(catalog.find("net-bad")->state, kFailed);
}

TEST(RunRecorder, ReportsAJournalThatCannotBeWritten) {
  RunFolder folder;
  SystemClock clock;
  RecorderOptions options = small_options(folder);
  options.journal = "/dev/null/journal.db";
  CountingSource source;
  RunRecorder recorder(std::move(options), clock);
  recorder.set_source(&source);
  const auto outcome = recorder.finish(kDone, "", nullptr);
  ASSERT_FALSE(outcome);
  EXPECT_NE(outcome.error().message().find("/dev/null/journal.db"),
            std::string::npos)
      << outcome.error().message();
}

TEST(RunId, IsShortAndHasTheKind) {
  EXPECT_EQ(make_run_id("net", 0), "net-22222222");
  EXPECT_NE(make_run_id("fn", 1), make_run_id("fn", 2));
}

}  // namespace
}  // namespace lamarck::runs
