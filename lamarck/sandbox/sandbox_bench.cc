// What a sandbox adds to running a program: the same ones without it.

#include "lamarck/sandbox/sandbox.h"

#include <spawn.h>
#include <sys/wait.h>
#include <benchmark/benchmark.h>

#include <vector>

#include "lamarck/sandbox/process_sandbox.h"
#include "lamarck/sandbox/python_interpreter.h"

namespace lamarck {
namespace {

std::vector<std::string> command(bool is_python) {
  if (!is_python) return {"/bin/true"};
  const auto python = find_python();
  return {python ? python->path : "/usr/bin/python3", "-c", "pass"};
}

void BM_PlainProcess(benchmark::State& state) {
  std::vector<std::string> words = command(state.range(0) == 1);
  std::vector<char*> arguments;
  for (std::string& word : words) arguments.push_back(word.data());
  arguments.push_back(nullptr);
  char* const environment[] = {nullptr};
  for (auto _ : state) {
    pid_t child = 0;
    int status = 0;
    if (posix_spawn(&child, arguments[0], nullptr, nullptr, arguments.data(),
                    environment) != 0) {
      state.SkipWithError("cannot spawn");
      return;
    }
    waitpid(child, &status, 0);
  }
}
BENCHMARK(BM_PlainProcess)->ArgName("python")->Arg(0)->Arg(1)->UseRealTime();

// 0: all layers; 1: without namespaces; 2: without landlock.
void BM_Sandboxed(benchmark::State& state) {
  ProcessSandboxOptions options;
  if (state.range(1) == 1) options.without = {"namespaces"};
  if (state.range(1) == 2) options.without = {"landlock"};
  const auto sandbox = ProcessSandbox::open(options);
  if (!sandbox) {
    state.SkipWithError(sandbox.error().message().c_str());
    return;
  }
  const SandboxJob job{.command = command(state.range(0) == 1)};
  for (auto _ : state) {
    const auto outcome = (*sandbox)->run(job, {});
    if (!outcome || !outcome->has_succeeded()) state.SkipWithError("failed");
  }
}
BENCHMARK(BM_Sandboxed)
    ->ArgNames({"python", "layers"})
    ->ArgsProduct({{0, 1}, {0, 1, 2}})
    ->UseRealTime();

}  // namespace
}  // namespace lamarck
