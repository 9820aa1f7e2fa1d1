// EVOLVE is killed 100 times: no skill is half registered, and no job and no
// webhook is lost.

#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <set>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "lamarck/base/rng.h"
#include "lamarck/skills/skill_library.h"
#include "lamarck/skills/skill_samples_fixture.h"

namespace lamarck::skills {
namespace {

using std::chrono_literals::operator""s;

constexpr int kKills = 100;

// Each has tools of its own, so that none is a duplicate.
Trace numbered_trace(int number) {
  Trace trace =
      refund_trace("Ada", fmt::format("W{}", 1'000 + number), "sku-9");
  for (ToolCall& call : trace.calls) call.tool += fmt::format("_{}", number);
  return trace;
}

std::unique_ptr<SkillStore> open_store(const std::filesystem::path& path,
                                       Clock& clock) {
  // A killed process loses nothing that it wrote, synchronized or not.
  return std::move(
             open_sqlite_skill_store({.path = path, .durable = false}, clock))
      .value();
}

void run_all_jobs(SkillStore& store, Clock& clock) {
  const auto library = std::move(SkillLibrary::open(store, {}, clock)).value();
  while (library->run_one_job({}).value()) {
  }
}

// Runs the jobs in another process and kills it after `micros`.
void run_and_kill(const std::filesystem::path& path, ManualClock& clock,
                  unsigned micros) {
  const pid_t child = fork();
  ASSERT_GE(child, 0);
  if (child == 0) {
    const auto store = open_store(path, clock);
    run_all_jobs(*store, clock);
    _exit(0);
  }
  usleep(micros);
  kill(child, SIGKILL);
  int status = 0;
  ASSERT_EQ(waitpid(child, &status, 0), child);
}

TEST(SkillCrash, LosesNothingWhenKilled100Times) {
  const auto folder = std::filesystem::temp_directory_path() /
                      fmt::format("lamarck_skill_crash_{}", getpid());
  std::filesystem::create_directories(folder);
  const auto path = folder / "skills.db";
  ManualClock clock(Clock::WallTime(1'800'000'000s));
  AgentRecord agent = sample_agent("acme", "ada");
  agent.allowed = {"*"};
  {
    const auto store = open_store(path, clock);
    agent = store->create_agent(agent).value();
    ASSERT_TRUE(store->add_webhook(
        {.org_id = "acme", .events = {"evolution.skill_created"}}));
  }
  Rng rng(7);
  std::set<std::string> jobs;
  for (int i = 0; i < kKills; ++i) {
    {
      const auto store = open_store(path, clock);
      const auto library =
          std::move(SkillLibrary::open(*store, {}, clock)).value();
      jobs.insert(library->learn("acme", agent.id, numbered_trace(i))->id);
    }
    run_and_kill(path, clock, static_cast<unsigned>(rng.uniform() * 20'000));
    clock.advance(301s);  // The lease of the killed worker ends.
  }

  const auto store = open_store(path, clock);
  std::size_t done_before = 0;
  for (const std::string& id : jobs) {
    if (store->job("acme", id)->state == "done") ++done_before;
  }
  run_all_jobs(*store, clock);
  std::set<std::string> skills;
  for (const std::string& id : jobs) {
    const Job job = store->job("acme", id).value();
    EXPECT_EQ(job.state, "done") << job.message;
    skills.insert(job.skill_id);
  }
  EXPECT_EQ(skills.size(), jobs.size());
  EXPECT_EQ(store->stats("acme", agent.id)->total_evolved, kKills);
  EXPECT_EQ(store->vectors("acme", "", "lexical-1", true)->size(),
            skills.size());
  EXPECT_EQ(store->text_search("acme", "", "refund", 1'000)->size(),
            skills.size());
  EXPECT_EQ(store->deliveries("acme", 1'000)->size(), skills.size());
  for (const std::string& id : skills) {
    EXPECT_EQ(store->versions("acme", id)->size(), 1u);
  }
  RecordProperty("done_before_the_end", static_cast<int>(done_before));
  std::filesystem::remove_all(folder);
}

}  // namespace
}  // namespace lamarck::skills
