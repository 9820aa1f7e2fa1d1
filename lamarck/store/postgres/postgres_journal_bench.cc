// The speed of the journal in PostgreSQL relative to that in SQLite, on the
// same disk in the same run. Counter `of_sqlite`: 1 = as many appends per
// second.

#include "lamarck/store/postgres/postgres_journal.h"

#include <unistd.h>

#include <filesystem>
#include <latch>
#include <thread>

#include <benchmark/benchmark.h>
#include <fmt/format.h>

#include "lamarck/base/clock.h"
#include "lamarck/base/id.h"
#include "lamarck/base/rng.h"
#include "lamarck/store/postgres/postgres_server_fixture.h"
#include "lamarck/store/sqlite_journal.h"

namespace lamarck::store {
namespace {

namespace fs = std::filesystem;

constexpr int kWriters = 64;
constexpr int kEach = 20;
constexpr std::size_t kContentBytes = 380;

// Steps like those of a client: 380 bytes, a parent, a key and an answer.
class StepsWithKeys {
 public:
  StepsWithKeys(std::string run, std::uint64_t seed)
      : run_(std::move(run)), ids_(clock_, Rng(seed)) {}

  Append next() {
    Event event;
    event.id = "evt_" + ids_.next();
    event.type = "plan_step";
    event.role = "planner";
    event.content = std::string(kContentBytes, 'x');
    event.vector_clock = {{"client-1", ++count_}, {"server", count_}};
    if (!last_.empty()) event.parents = {{last_}};
    event.ts = clock_.wall_time();
    last_ = event.id;
    const std::string key = run_ + ":plan_step:" + event.id;
    return {.run = run_,
            .events = {std::move(event)},
            .answer = {key, std::string(64, 'b'), std::string(340, 'c')}};
  }

 private:
  const SystemClock clock_;
  const std::string run_;
  IdGenerator ids_;
  std::uint64_t count_ = 0;
  std::string last_;
};

// Returns the seconds from the common start until all have appended.
double append_from_many_threads(Journal& journal, int round) {
  std::latch start(kWriters + 1);
  std::vector<std::jthread> writers;
  for (int w = 0; w < kWriters; ++w) {
    writers.emplace_back([&, w] {
      const std::string run = fmt::format("run {}.{}", round, w);
      journal.append({.run = run, .new_run = Run{.kind = "thought"}}).value();
      StepsWithKeys steps(run, static_cast<std::uint64_t>(round * 100 + w));
      start.arrive_and_wait();
      for (int i = 0; i < kEach; ++i) journal.append(steps.next()).value();
    });
  }
  start.arrive_and_wait();
  const SystemClock clock;
  const auto began = clock.elapsed();
  writers.clear();
  return std::chrono::duration<double>(clock.elapsed() - began).count();
}

void BM_ManyDurableWritersOnPostgres(benchmark::State& state) {
  const fs::path folder =
      fs::current_path() / fmt::format("postgres_bench_{}", ::getpid());
  fs::create_directories(folder);
  fs::permissions(folder, fs::perms::all);
  {
    const PostgresServer server({.parent = folder, .durable = true});
    const auto postgres =
        std::move(open_postgres_journal({.server = {.url = server.url()}}))
            .value();
    const auto sqlite =
        std::move(open_sqlite_journal({.path = folder / "journal.db"})).value();
    double on_sqlite = 0;
    double on_postgres = 0;
    int round = 0;
    for (auto _ : state) {
      on_sqlite += append_from_many_threads(*sqlite, ++round);
      const double seconds = append_from_many_threads(*postgres, round);
      state.SetIterationTime(seconds);
      on_postgres += seconds;
    }
    state.counters["appends_per_s"] = round * kWriters * kEach / on_postgres;
    state.counters["of_sqlite"] = on_sqlite / on_postgres;
  }
  fs::remove_all(folder);
}
BENCHMARK(BM_ManyDurableWritersOnPostgres)
    ->UseManualTime()
    ->Unit(benchmark::kMillisecond)
    ->Iterations(20);

}  // namespace
}  // namespace lamarck::store
