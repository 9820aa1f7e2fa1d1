#include "lamarck/sandbox/process_sandbox.h"

#include <gtest/gtest.h>

namespace lamarck {
namespace {

SandboxJob shell(const std::string& script) {
  return {.command = {"/bin/sh", "-c", script}};
}

TEST(ProcessSandbox, RunsAProgramAndGivesWhatItPrinted) {
  const auto sandbox = ProcessSandbox::open();
  ASSERT_TRUE(sandbox) << sandbox.error().message();

  const auto outcome = (*sandbox)->run(shell("echo out; echo err >&2; exit 3"), {});

  ASSERT_TRUE(outcome) << outcome.error().message();
  EXPECT_EQ(outcome->output, "out\n");
  EXPECT_EQ(outcome->errors, "err\n");
  EXPECT_EQ(outcome->exit_code, 3);
  for (auto& l : outcome->layers) std::puts(l.c_str());
}

}  // namespace
}  // namespace lamarck
