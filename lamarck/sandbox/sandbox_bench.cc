// The overhead of a sandbox, compared with plain processes.

#include "lamarck/sandbox/sandbox.h"

#include <spawn.h>
#include <sys/resource.h>
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

// Processor time of this process and its reaped children. Unlike wall time it
// does not depend on other load.
double used_milliseconds() {
  double sum = 0;
  for (const auto who : {RUSAGE_SELF, RUSAGE_CHILDREN}) {
    rusage usage{};
    getrusage(who, &usage);
    for (const timeval& part : {usage.ru_utime, usage.ru_stime}) {
      sum += static_cast<double>(part.tv_sec) * 1e3 +
             static_cast<double>(part.tv_usec) / 1e3;
    }
  }
  return sum;
}

void count_used(benchmark::State& state, double before) {
  state.counters["processor_ms"] = benchmark::Counter(
      used_milliseconds() - before, benchmark::Counter::kAvgIterations);
}

void BM_PlainProcess(benchmark::State& state) {
  std::vector<std::string> words = command(state.range(0) == 1);
  std::vector<char*> arguments;
  for (std::string& word : words) arguments.push_back(word.data());
  arguments.push_back(nullptr);
  std::string home = "HOME=/";
  std::string language = "LANG=C.UTF-8";
  char* const environment[] = {home.data(), language.data(), nullptr};
  const double before = used_milliseconds();
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
  count_used(state, before);
}
BENCHMARK(BM_PlainProcess)->ArgName("python")->Arg(0)->Arg(1)->UseRealTime();

// Second argument: 0 = all layers, 1 = no namespaces, 2 = no landlock.
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
  const double before = used_milliseconds();
  for (auto _ : state) {
    const auto outcome = (*sandbox)->run(job, {});
    if (!outcome || !outcome->has_succeeded()) state.SkipWithError("failed");
  }
  count_used(state, before);
}
BENCHMARK(BM_Sandboxed)
    ->ArgNames({"python", "layers"})
    ->ArgsProduct({{0, 1}, {0, 1, 2}})
    ->UseRealTime();

}  // namespace
}  // namespace lamarck
