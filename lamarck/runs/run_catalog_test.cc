#include "lamarck/runs/run_catalog.h"

#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <set>

#include "lamarck/runs/record_file.h"
#include "lamarck/runs/run_control.h"
#include "lamarck/runs/run_recorder.h"
#include "lamarck/store/memory_journal.h"

namespace lamarck::runs {
namespace {

class RunCatalogTest : public testing::Test {
 protected:
  void add(const std::string& id, const std::string& kind,
           const std::string& goal, const std::vector<RunEvent>& events = {},
           std::string_view state = kDone) {
    RunStart start;
    start.id = id;
    start.kind = kind;
    start.goal = goal;
    clock_.advance(std::chrono::seconds(1));
    ASSERT_TRUE(journal_->append(
        make_new_run(start, "evt_" + id, clock_.wall_time(), state)));
    for (const RunEvent& event : events) {
      ASSERT_TRUE(append_to_run(catalog_, id, event));
    }
  }
  RunEvent ended(const char* state) {
    return {.type = "ended", .payload = {{"state", state}}};
  }

  ManualClock clock_{Clock::WallTime(std::chrono::hours(24 * 365))};
  std::unique_ptr<store::Journal> journal_ = store::make_memory_journal();
  RunCatalog catalog_{*journal_, clock_};
};

TEST_F(RunCatalogTest, ListsNewestFirstInPages) {
  for (int i = 0; i < 7; ++i) {
    add("net-" + std::to_string(i), "net", "Goal", {ended("done")});
  }
  std::vector<std::string> ids;
  RunQuery query{.limit = 3};
  do {
    const RunPage page = catalog_.list(query).value();
    for (const RunView& run : page.runs) ids.push_back(run.id);
    query.after = page.next;
  } while (!query.after.empty());
  EXPECT_EQ(ids, (std::vector<std::string>{"net-6", "net-5", "net-4", "net-3",
                                           "net-2", "net-1", "net-0"}));
}

TEST_F(RunCatalogTest, FiltersByKindStateAndText) {
  add("net-1", "net", "Predict Species", {ended("done")});
  add("fn-1", "fn", "Find a law", {ended("failed")});
  const auto ids = [&](const RunQuery& query) {
    std::set<std::string> found;
    const RunPage page = catalog_.list(query).value();
    for (const RunView& run : page.runs) found.insert(run.id);
    return found;
  };
  EXPECT_EQ(ids({.kind = "fn"}), std::set<std::string>{"fn-1"});
  EXPECT_EQ(ids({.state = "done"}), std::set<std::string>{"net-1"});
  EXPECT_EQ(ids({.text = "sPeCies"}), std::set<std::string>{"net-1"});
  EXPECT_EQ(ids({.text = "nothing"}), std::set<std::string>{});
}

TEST_F(RunCatalogTest, AgentTaskHasTheStateThatItEndedWith) {
  const std::pair<const char*, const char*> cases[] = {
      {"running", "running"}, {"done", "done"}, {"failed", "failed"}};
  for (const auto& [stored, shown] : cases) {
    const std::string id = std::string("agent_") + stored;
    add(id, "agent", "A task", {}, stored);
    EXPECT_EQ(catalog_.find(id)->state, shown);
  }
}

TEST_F(RunCatalogTest, SeesThatAProcessOfThisMachineIsGone) {
  ProcessIdentity gone = this_process();
  const auto started = [](const ProcessIdentity& process) {
    return RunEvent{.type = "started",
                    .payload = {{"pid", process.pid},
                                {"start", process.start},
                                {"host", process.host}}};
  };
  add("net-1", "net", "Alive", {started(gone)});
  gone.start += 1;  // An earlier process with the same number.
  add("net-2", "net", "Dead", {started(gone)});
  EXPECT_EQ(catalog_.find("net-1")->state, kRunning);
  const RunView dead = catalog_.find("net-2").value();
  EXPECT_EQ(dead.state, kDead);
  EXPECT_TRUE(dead.can_resume());
  EXPECT_FALSE(dead.can_stop());
}

TEST_F(RunCatalogTest, TaskOfAnAgentHasTheStateOfItsProcess) {
  ProcessIdentity process = this_process();
  const auto add_task = [&](const std::string& id, const char* state) {
    const Json started = {{"process",
                           {{"pid", process.pid},
                            {"start", process.start},
                            {"host", process.host}}}};
    store::Append append;
    append.run = id;
    append.new_run = store::Run{.id = id, .kind = "agent", .state = state};
    append.events = {store::Event{.id = "evt_" + id,
                                  .type = "agent_started",
                                  .constraints = dump_json(started)}};
    ASSERT_TRUE(journal_->append(append));
  };
  add_task("agent_1", "running");
  add_task("agent_2", "waiting");
  add_task("agent_3", "stopped");
  process.start += 1;
  add_task("agent_4", "running");
  EXPECT_EQ(catalog_.find("agent_1")->state, kRunning);
  EXPECT_EQ(catalog_.find("agent_2")->state, kWaiting);
  EXPECT_EQ(catalog_.find("agent_3")->state, kInterrupted);
  EXPECT_EQ(catalog_.find("agent_4")->state, kDead);
  EXPECT_EQ(catalog_.find_by_prefix("last-agent")->id, "agent_4");
  EXPECT_EQ(catalog_.find_by_prefix("last").error().code(),
            ErrorCode::NotFound);
  EXPECT_EQ(check_evolves(*catalog_.find("agent_1"), "stop").error().code(),
            ErrorCode::FailedPrecondition);
}

TEST_F(RunCatalogTest, RunOfAnotherMachineDiesBySilence) {
  add("net-1", "net", "Far away",
      {{.type = "started",
        .payload = {{"pid", 1}, {"start", 1}, {"host", "elsewhere/1"}}}});
  EXPECT_EQ(catalog_.find("net-1")->state, kRunning);
  clock_.advance(std::chrono::seconds(30));
  EXPECT_EQ(catalog_.find("net-1")->state, kDead);
  ASSERT_TRUE(append_to_run(catalog_, "net-1", {.type = "beat"}));
  EXPECT_EQ(catalog_.find("net-1")->state, kRunning);
}

TEST_F(RunCatalogTest, FindsByPrefixAndLast) {
  add("net-abc", "net", "A", {ended("done")});
  add("net-abd", "net", "B", {ended("done")});
  EXPECT_EQ(catalog_.find_by_prefix("net-abc")->id, "net-abc");
  EXPECT_EQ(catalog_.find_by_prefix("last")->id, "net-abd");
  const auto both = catalog_.find_by_prefix("net-ab");
  ASSERT_FALSE(both);
  EXPECT_EQ(both.error().code(), ErrorCode::InvalidArgument);
  EXPECT_EQ(catalog_.find_by_prefix("x").error().code(), ErrorCode::NotFound);
}

TEST_F(RunCatalogTest, RemovedRunIsGoneAndItsEventsToo) {
  add("net-1", "net", "A", {ended("done")});
  ASSERT_TRUE(remove_run(catalog_, *catalog_.find("net-1")));
  EXPECT_FALSE(catalog_.find("net-1"));
  EXPECT_TRUE(catalog_.list({})->runs.empty());
  EXPECT_TRUE(journal_->events("net-1")->empty());
  EXPECT_TRUE(journal_->verify()->empty());
}

TEST_F(RunCatalogTest, ActiveRunCannotBeRemovedAndEndedNotStopped) {
  add("net-1", "net", "A", {}, kQueued);
  EXPECT_FALSE(remove_run(catalog_, *catalog_.find("net-1")));
  ASSERT_TRUE(request_stop(catalog_, *catalog_.find("net-1"), "test"));
  EXPECT_EQ(catalog_.find("net-1")->state, kInterrupted);
  const auto again = request_stop(catalog_, *catalog_.find("net-1"), "test");
  EXPECT_EQ(again.error().code(), ErrorCode::FailedPrecondition);
}

TEST_F(RunCatalogTest, ShowsSessionsAndTasksAsRuns) {
  add("s1", "thought", "Think", {}, "COMPLETED");
  add("t1", "task", "Hidden", {}, "done");
  const RunPage page = catalog_.list({}).value();
  ASSERT_EQ(page.runs.size(), 1u);
  EXPECT_EQ(page.runs[0].summary.kind, "thought");
  EXPECT_EQ(page.runs[0].state, kDone);
}

TEST_F(RunCatalogTest, FilesThatAnotherRunReplacedAreNotThoseOfARun) {
  const std::string folder = testing::TempDir() + "/replaced-run";
  std::filesystem::create_directories(folder);
  std::ofstream(folder + "/law.py") << "def law(x):\n  return x\n";
  for (const char* id : {"fn-1", "fn-2"}) {
    add(id, "fn", "Find a law",
        {{.type = "started", .payload = {{"folder", folder}}},
         ended("interrupted")});
    ASSERT_TRUE(write_record_id(folder, id));
  }
  const RunView earlier = catalog_.find("fn-1").value();
  const RunView later = catalog_.find("fn-2").value();
  EXPECT_EQ(earlier.replaced_by, "fn-2");
  EXPECT_FALSE(earlier.can_resume());
  EXPECT_TRUE(later.can_resume());
  const Json json = run_json(earlier);
  EXPECT_EQ(json["artifacts"], Json::array());
  EXPECT_EQ(json["can_predict"], false);
  EXPECT_NE(json["message"].get<std::string>().find("fn-2"), std::string::npos);
  EXPECT_EQ(run_json(later)["can_predict"], true);
  EXPECT_EQ(run_json(later)["exports"], Json::array({"law.cc"}));
}

TEST_F(RunCatalogTest, ReportsWhatChangedSinceATime) {
  add("net-1", "net", "A", {ended("done")});
  const std::int64_t time = milliseconds_since_1970(clock_.wall_time());
  add("net-2", "net", "B", {ended("done")});
  const auto changed = catalog_.changed_since(time).value();
  ASSERT_EQ(changed.size(), 1u);
  EXPECT_EQ(changed[0].id, "net-2");
}

TEST_F(RunCatalogTest, JsonHasTheLimitThatIsNearest) {
  add("net-1", "net", "A",
      {{.type = "started",
        .payload = {{"limits",
                     {{{"limit", 100}, {"unit", "seconds"}},
                      {{"limit", 10}, {"unit", "generations"}}}}}},
       {.type = "progress",
        .payload = {{"generation", 5}, {"seconds", 20}, {"score", 0.5}}},
       ended("done")});
  const Json json = run_json(*catalog_.find("net-1"));
  EXPECT_EQ(json["budget"]["unit"], "generations");
  EXPECT_EQ(json["budget"]["spent"], 5);
  EXPECT_EQ(json["score"], 0.5);
  const Json curve = curve_json(catalog_.find("net-1")->summary, 100);
  EXPECT_EQ(curve["x"]["generation"], Json::array({5.0}));
}

}  // namespace
}  // namespace lamarck::runs
