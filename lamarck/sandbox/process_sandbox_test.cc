#include "lamarck/sandbox/process_sandbox.h"

#include <dirent.h>
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>
#include <thread>

#include <fmt/format.h>

#include "lamarck/sandbox/internal/private_folder.h"
#include "lamarck/sandbox/python_interpreter.h"

namespace lamarck {
namespace {

using namespace std::chrono_literals;

SandboxJob shell(const std::string& script) {
  return {.command = {"/bin/sh", "-c", script}};
}

SandboxOutcome run(const SandboxJob& job, const CancelToken& cancel = {}) {
  const auto sandbox = ProcessSandbox::open();
  if (!sandbox) throw LogicError(sandbox.error());
  auto outcome = (*sandbox)->run(job, cancel);
  if (!outcome) throw LogicError(outcome.error());
  return *std::move(outcome);
}

std::size_t count_entries(const char* folder) {
  const std::filesystem::directory_iterator list(folder);
  return static_cast<std::size_t>(
      std::distance(begin(list), std::filesystem::directory_iterator()));
}

// The number of temporary folders of this process's boxes.
std::size_t count_box_folders() {
  const std::string prefix = fmt::format("lamarck-box-{}-", getpid());
  std::size_t count = 0;
  for (const auto& entry : std::filesystem::directory_iterator("/tmp")) {
    count += entry.path().filename().string().starts_with(prefix);
  }
  return count;
}

// Skips the tests on a machine that cannot run sandboxed programs.
class ProcessSandboxTest : public testing::Test {
 protected:
  void SetUp() override {
    const auto sandbox = ProcessSandbox::open();
    if (!sandbox) GTEST_SKIP() << sandbox.error().message();
  }
};

TEST_F(ProcessSandboxTest, ReturnsOutputAndExitCode) {
  const SandboxOutcome outcome = run(shell("echo out; echo err >&2; exit 3"));

  EXPECT_EQ(outcome.reason, SandboxReason::Exited);
  EXPECT_EQ(outcome.output, "out\n");
  EXPECT_EQ(outcome.errors, "err\n");
  EXPECT_EQ(outcome.exit_code, 3);
  EXPECT_FALSE(outcome.has_succeeded());
  EXPECT_EQ(describe(outcome, {}), "exited with code 3: err");
}

TEST_F(ProcessSandboxTest, PassesInputOfAnyLength) {
  SandboxJob job = shell("wc -c");
  job.input = std::string(3'000'000, 'x');

  EXPECT_EQ(run(job).output, "3000000\n");
}

TEST_F(ProcessSandboxTest, IgnoresUnreadInput) {
  SandboxJob job = shell("exit 0");
  job.input = std::string(3'000'000, 'x');

  EXPECT_TRUE(run(job).has_succeeded());
}

TEST_F(ProcessSandboxTest, PlacesFilesInFolders) {
  SandboxJob job = shell("cat data/deep/a.txt b.txt; ./c");
  job.files = {{"data/deep/a.txt", "A", false},
               {"b.txt", "B", false},
               {"c", "#!/bin/sh\necho C", true}};

  EXPECT_EQ(run(job).output, "ABC\n");
}

TEST_F(ProcessSandboxTest, ProvidesResultStream) {
  SandboxJob job = shell("echo 42 >&3");
  job.has_result_channel = true;

  const SandboxOutcome outcome = run(job);

  EXPECT_EQ(outcome.result, "42\n");
  EXPECT_EQ(outcome.output, "");
}

TEST_F(ProcessSandboxTest, HidesEnvironmentOfCaller) {
  setenv("LAMARCK_TEST_SECRET", "s3cret", 1);
  SandboxJob job = shell("env");
  job.environment = {"MINE=1"};

  const std::string seen = run(job).output;
  unsetenv("LAMARCK_TEST_SECRET");

  EXPECT_EQ(seen.find("s3cret"), std::string::npos);
  EXPECT_NE(seen.find("MINE=1"), std::string::npos);
  EXPECT_NE(seen.find("LANG=C.UTF-8"), std::string::npos);
}

TEST_F(ProcessSandboxTest, ProvidesPrivateFolderThatMayBeReadOnly) {
  SandboxJob job = shell("echo x >a && cat a; echo $?");
  EXPECT_EQ(run(job).output, "x\n0\n");

  job.is_read_only = true;
  EXPECT_EQ(run(job).output.back(), '\n');
  EXPECT_EQ(run(job).output.find("x"), std::string::npos);
}

TEST_F(ProcessSandboxTest, ResetsSignalDispositions) {
  signal(SIGPIPE, SIG_IGN);
  const SandboxOutcome outcome = run(shell("yes | head -n 1"));
  signal(SIGPIPE, SIG_DFL);

  EXPECT_EQ(outcome.output, "y\n");
  EXPECT_EQ(outcome.errors, "");
}

TEST_F(ProcessSandboxTest, ReportsSignalThatEndedProgram) {
  const auto python = find_python();
  ASSERT_TRUE(python);

  const SandboxOutcome outcome =
      run({.command = {python->path, "-c", "import os; os.abort()"}});

  EXPECT_EQ(outcome.reason, SandboxReason::Signalled);
  EXPECT_EQ(outcome.signal, SIGABRT);
  EXPECT_EQ(describe(outcome, {}), "ended by signal 6 (Aborted)");
}

TEST_F(ProcessSandboxTest, MeasuresProcessorTime) {
  const auto python = find_python();
  ASSERT_TRUE(python);

  const SandboxOutcome outcome = run(
      {.command = {python->path, "-c", "sum(i * i for i in range(300000))"}});

  EXPECT_TRUE(outcome.has_succeeded()) << outcome.errors;
  EXPECT_GT(outcome.usage.cpu.count(), 0);
  EXPECT_GE(outcome.usage.wall.count(), 0);
}

TEST_F(ProcessSandboxTest, StopsEndlessComputation) {
  const auto python = find_python();
  ASSERT_TRUE(python);
  SandboxJob job{.command = {python->path, "-c", "while True: pass"}};
  job.limits.wall = 60s;
  job.limits.cpu_seconds = 1;

  EXPECT_EQ(run(job).reason, SandboxReason::OutOfCpuTime);
}

TEST_F(ProcessSandboxTest, StopsWhenCancelled) {
  CancelSource source;
  std::jthread later([&] {
    std::this_thread::sleep_for(50ms);
    source.cancel("enough");
  });

  const SandboxOutcome outcome = run(shell("sleep 100"), source.token());

  EXPECT_EQ(outcome.reason, SandboxReason::Cancelled);
}

TEST_F(ProcessSandboxTest, StopsImmediatelyIfAlreadyCancelled) {
  CancelSource source;
  source.cancel("no");

  EXPECT_EQ(run(shell("sleep 100"), source.token()).reason,
            SandboxReason::Cancelled);
}

TEST_F(ProcessSandboxTest, RejectsMissingProgramsAndInvalidPaths) {
  const auto sandbox = ProcessSandbox::open();
  ASSERT_TRUE(sandbox);

  const auto missing = (*sandbox)->run({.command = {"/usr/bin/no-such"}}, {});
  const auto relative = (*sandbox)->run({.command = {"python3"}}, {});
  const auto outside = (*sandbox)->run(
      {.command = {"/bin/true"}, .files = {{"../a", "", false}}}, {});

  ASSERT_FALSE(missing);
  EXPECT_EQ(missing.error().message(),
            "Cannot start a sandbox: executing /usr/bin/no-such: No such file "
            "or directory.");
  ASSERT_FALSE(relative);
  EXPECT_EQ(relative.error().code(), ErrorCode::InvalidArgument);
  ASSERT_FALSE(outside);
  EXPECT_NE(outside.error().message().find("'../a'"), std::string::npos);
}

TEST(ProcessSandbox, RefusesWithoutRequiredLayers) {
  const auto refused = ProcessSandbox::open(
      {.required = {"seccomp", "rlimits"}, .without = {"seccomp"}});

  ASSERT_FALSE(refused);
  EXPECT_EQ(refused.error().code(), ErrorCode::FailedPrecondition);
  EXPECT_NE(refused.error().message().find("lacks seccomp"), std::string::npos)
      << refused.error().message();
}

TEST(ProcessSandbox, RefusesIfOtherFilesAreVisible) {
  const auto refused =
      ProcessSandbox::open({.without = {"namespaces", "landlock"}});

  ASSERT_FALSE(refused);
  EXPECT_NE(refused.error().message().find("namespaces or landlock"),
            std::string::npos);
}

TEST(ProcessSandbox, RefusesToRunProgramsAsRoot) {
  const auto refused = ProcessSandbox::open({.without = {"own_user"}});

  if (refused) GTEST_SKIP() << "only root of the host is refused";
  EXPECT_NE(refused.error().message().find("lacks own_user"),
            std::string::npos);
}

TEST_F(ProcessSandboxTest, RunsConcurrentlyFromManyThreads) {
  const auto sandbox = ProcessSandbox::open();
  ASSERT_TRUE(sandbox);
  std::vector<std::string> outputs(8);

  {
    std::vector<std::jthread> threads;
    for (std::size_t i = 0; i < outputs.size(); ++i) {
      threads.emplace_back([&, i] {
        for (int round = 0; round < 4; ++round) {
          const auto outcome =
              (*sandbox)->run(shell("echo " + std::to_string(i)), {});
          outputs[i] += outcome ? outcome->output : outcome.error().message();
        }
      });
    }
  }

  for (std::size_t i = 0; i < outputs.size(); ++i) {
    const std::string line = std::to_string(i) + "\n";
    EXPECT_EQ(outputs[i], line + line + line + line);
  }
}

TEST_F(ProcessSandboxTest, LeavesNoDescriptorsChildrenOrFolders) {
  const std::size_t files = count_entries("/proc/self/fd");
  // A killed process with the same id may have left some.
  const std::size_t folders = count_box_folders();
  {
    const auto folder = internal::PrivateFolder::make();
    EXPECT_EQ(count_box_folders(), folders + 1);
  }

  for (const char* script : {"exit 0", "kill -9 $$", "echo x >a; mkdir -p b/c",
                             "mkdir d; chmod 0 d", "sleep 100 & exit 0"}) {
    run(shell(script));
  }

  EXPECT_EQ(count_entries("/proc/self/fd"), files);
  EXPECT_EQ(count_box_folders(), folders);
  EXPECT_EQ(waitpid(-1, nullptr, WNOHANG | __WALL), -1);
  EXPECT_EQ(errno, ECHILD);
}

TEST(SandboxReason, EveryReasonHasName) {
  for (int i = 0; i <= static_cast<int>(SandboxReason::Cancelled); ++i) {
    const auto reason = static_cast<SandboxReason>(i);
    EXPECT_NE(sandbox_reason_name(reason), "unknown");
    EXPECT_FALSE(describe({.reason = reason}, {}).empty());
  }
}

}  // namespace
}  // namespace lamarck
