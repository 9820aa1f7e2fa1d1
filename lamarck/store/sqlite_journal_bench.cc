// The speed of the journal relative to SQLite with the same bytes on the same
// disk. Counter `of_sqlite`: 1 = as fast as SQLite with one small table.
// Counter `of_same_tables`: 1 = as fast as SQLite with the journal's tables,
// written in batches of 100 by one thread.

#include "lamarck/store/sqlite_journal.h"

#include <unistd.h>

#include <algorithm>
#include <filesystem>
#include <latch>
#include <thread>

#include <benchmark/benchmark.h>
#include <sqlite3.h>

#include "lamarck/base/clock.h"
#include "lamarck/base/id.h"
#include "lamarck/base/macros.h"
#include "lamarck/base/rng.h"
#include "lamarck/store/internal/journal_schema.h"
#include "lamarck/store/internal/journal_writer.h"

namespace lamarck::store {
namespace {

namespace fs = std::filesystem;

constexpr std::size_t kContentBytes = 380;
constexpr int kAppenders = 64;

// A new file in the current folder, whose disk is measured.
fs::path fresh_file(const char* name) {
  const fs::path folder =
      fs::current_path() / ("journal_bench_" + std::to_string(::getpid()));
  fs::create_directories(folder);
  for (const char* ending : {"", "-wal", "-shm"}) {
    fs::remove(folder / (std::string(name) + ending));
  }
  return folder / name;
}

struct RemoveFolder {
  ~RemoveFolder() { fs::remove_all(fresh_file("x").parent_path()); }
};
const RemoveFolder kRemoveFolder;

// Steps like those of a client: 380 bytes and a parent. With a key, the answer
// is stored as well.
class Steps {
 public:
  Steps(std::string run, std::uint64_t seed, bool has_key = false)
      : run_(std::move(run)), ids_(clock_, Rng(seed)), has_key_(has_key) {}

  Append next() {
    Event event;
    event.id = "evt_" + ids_.next();
    event.type = "plan_step";
    event.role = "planner";
    event.content = std::string(kContentBytes, 'x');
    event.vector_clock = {{"client-1", ++count_}, {"server", count_}};
    if (!last_.empty()) event.parents = {{last_}};
    event.token_cost = 95;
    event.ts = clock_.wall_time();
    last_ = event.id;
    if (!has_key_) return {.run = run_, .events = {std::move(event)}};
    const std::string key = run_ + ":plan_step:" + std::to_string(count_) +
                            ":" + std::string(16, 'a');
    return {.run = run_,
            .events = {std::move(event)},
            .answer = {key, std::string(64, 'b'), answer()}};
  }

 private:
  std::string answer() const {
    std::string text = R"({"event_id":")" + last_ + R"(","session_id":")" +
                       run_ + R"(","seq":)" + std::to_string(count_);
    text += R"(,"status":"open","budget":{"tokens_used":9500,)";
    text += R"("tokens_left":40500,"walltime_ms":1200},"branch":"main",)";
    text += R"("vector_clock":{"client-1":3,"server":12},"warnings":[],)";
    text += R"("next":"validate"})";
    return text;
  }

  const SystemClock clock_;
  std::string run_;
  IdGenerator ids_;
  const bool has_key_;
  std::uint64_t count_ = 0;
  std::string last_;
};

std::string run_name(int index) {
  return "018f3c6e-7d2a-7b41-9c55-0000000000" + std::to_string(10 + index);
}

std::unique_ptr<Journal> make_journal(const fs::path& path, bool is_durable) {
  auto journal =
      std::move(open_sqlite_journal({.path = path, .durable = is_durable}))
          .value();
  for (int i = 0; i < kAppenders; ++i) {
    journal->append({.run = run_name(i), .new_run = Run{.kind = "thought"}})
        .value();
  }
  return journal;
}

// The minimum: SQLite with one table and one unique index.
class BareTable {
 public:
  explicit BareTable(const fs::path& path) {
    sqlite3_open(path.c_str(), &file_);
    execute("PRAGMA journal_mode = WAL");
    execute("PRAGMA synchronous = FULL");
    execute("CREATE TABLE events (id TEXT PRIMARY KEY, content TEXT)");
    sqlite3_prepare_v2(file_, "INSERT INTO events VALUES (?, ?)", -1, &insert_,
                       nullptr);
  }
  ~BareTable() {
    sqlite3_finalize(insert_);
    sqlite3_close(file_);
  }
  BareTable(const BareTable&) = delete;
  BareTable& operator=(const BareTable&) = delete;

  void execute(const char* sql) {
    sqlite3_exec(file_, sql, nullptr, nullptr, nullptr);
  }

  // Inserts `count` rows in one transaction.
  void commit(int count) {
    execute("BEGIN IMMEDIATE");
    for (int i = 0; i < count; ++i) {
      const Append step = steps_.next();
      const Event& event = step.events[0];
      sqlite3_bind_text(insert_, 1, event.id.c_str(), -1, SQLITE_STATIC);
      sqlite3_bind_text(insert_, 2, event.content.c_str(), -1, SQLITE_STATIC);
      sqlite3_step(insert_);
      sqlite3_reset(insert_);
    }
    execute("COMMIT");
  }

 private:
  sqlite3* file_ = nullptr;
  sqlite3_stmt* insert_ = nullptr;
  Steps steps_{run_name(0), 1};
};

// The journal's own tables, written by one thread in batches.
class SameTables {
 public:
  explicit SameTables(const fs::path& path)
      : writer_(opened(path), /*is_durable=*/true) {
    commit_all({{.run = run_name(0), .new_run = Run{.kind = "thought"}}});
  }

  void commit(int count) {
    std::vector<Append> batch;
    for (int i = 0; i < count; ++i) batch.push_back(steps_.next());
    commit_all(batch);
  }

 private:
  static std::unique_ptr<SqliteConnection> opened(const fs::path& path) {
    auto connection = std::move(internal::open_journal_file(path, "")).value();
    connection->execute("PRAGMA synchronous = FULL").value();
    return connection;
  }
  void commit_all(const std::vector<Append>& batch) {
    writer_
        .in_transaction([&]() -> Result<void> {
          for (const Append& append : batch) {
            RETURN_IF_ERROR(writer_.append(append));
          }
          return {};
        })
        .value();
  }

  internal::JournalWriter writer_;
  Steps steps_{run_name(0), 6};
};

double seconds_since(const Clock& clock, std::chrono::nanoseconds start) {
  return std::chrono::duration<double>(clock.elapsed() - start).count();
}

// For an odd number of values. The median ignores occasional slow disk
// accesses.
double median(std::vector<double> values) {
  const auto middle = values.begin() + std::ssize(values) / 2;
  std::nth_element(values.begin(), middle, values.end());
  return *middle;
}

// Alternates, so that both see the same disk conditions.
void BM_SingleDurableAppend(benchmark::State& state) {
  const SystemClock clock;
  const auto journal = make_journal(fresh_file("single.db"), true);
  BareTable bare(fresh_file("bare.db"));
  Steps steps(run_name(0), 2);
  std::vector<double> ours;
  std::vector<double> sqlite;
  for (auto _ : state) {
    const auto start = clock.elapsed();
    journal->append(steps.next()).value();
    ours.push_back(seconds_since(clock, start));
    state.SetIterationTime(ours.back());
    const auto middle = clock.elapsed();
    bare.commit(1);
    sqlite.push_back(seconds_since(clock, middle));
  }
  state.counters["of_sqlite"] = median(sqlite) / median(ours);
}
BENCHMARK(BM_SingleDurableAppend)
    ->UseManualTime()
    ->Unit(benchmark::kMicrosecond)
    ->Iterations(1001);

// Many threads append one event after another to the runs. Returns the seconds
// from the common start until all are done.
double append_by_all(Journal& journal, int runs, bool have_keys, int each,
                     std::uint64_t seed) {
  std::latch are_there(kAppenders);
  std::latch may_begin(1);
  std::latch are_done(kAppenders);
  std::vector<std::jthread> threads;
  for (int t = 0; t < kAppenders; ++t) {
    threads.emplace_back([&, t] {
      const std::uint64_t own = seed * kAppenders + static_cast<unsigned>(t);
      Steps steps(run_name(t % runs), own, have_keys);
      are_there.count_down();
      may_begin.wait();
      for (int i = 0; i < each; ++i) {
        Append step = steps.next();
        if (have_keys) step.answer.key += std::to_string(own);
        journal.append(std::move(step)).value();
      }
      are_done.count_down();
    });
  }
  are_there.wait();
  const SystemClock clock;
  const auto start = clock.elapsed();
  may_begin.count_down();
  are_done.wait();
  return seconds_since(clock, start);
}

void BM_ManyDurableAppenders(benchmark::State& state) {
  const auto runs = static_cast<int>(state.range(0));
  const bool have_keys = state.range(1) != 0;
  constexpr int kEach = 200;
  constexpr int kBatch = 100;
  const SystemClock clock;
  const auto journal = make_journal(fresh_file("many.db"), true);
  BareTable bare(fresh_file("batch.db"));
  SameTables same(fresh_file("same.db"));
  std::vector<double> ours;
  std::vector<double> sqlite;
  std::vector<double> same_tables;
  std::uint64_t round = 0;
  for (auto _ : state) {
    ours.push_back(append_by_all(*journal, runs, have_keys, kEach, ++round));
    state.SetIterationTime(ours.back());
    const auto middle = clock.elapsed();
    for (int i = 0; i < kAppenders * kEach / kBatch; ++i) bare.commit(kBatch);
    sqlite.push_back(seconds_since(clock, middle));
    const auto last = clock.elapsed();
    for (int i = 0; i < kAppenders * kEach / kBatch; ++i) same.commit(kBatch);
    same_tables.push_back(seconds_since(clock, last));
  }
  state.counters["of_sqlite"] = median(sqlite) / median(ours);
  state.counters["of_same_tables"] = median(same_tables) / median(ours);
  state.counters["per_second"] = kAppenders * kEach / median(ours);
}
BENCHMARK(BM_ManyDurableAppenders)
    ->ArgNames({"runs", "keys"})
    ->Args({1, 0})
    ->Args({kAppenders, 0})
    ->Args({kAppenders, 1})
    ->UseManualTime()
    ->Unit(benchmark::kMillisecond)
    ->Iterations(11);

void BM_SingleAppendWithoutDurability(benchmark::State& state) {
  const auto journal = make_journal(fresh_file("fast.db"), false);
  Steps steps(run_name(0), 3);
  for (auto _ : state) journal->append(steps.next()).value();
  state.SetItemsProcessed(state.iterations());
}
BENCHMARK(BM_SingleAppendWithoutDurability)->Unit(benchmark::kMicrosecond);

void BM_SizeOfThousandSteps(benchmark::State& state) {
  constexpr int kSteps = 1000;
  const fs::path path = fresh_file("size.db");
  for (auto _ : state) {
    fresh_file("size.db");
    const auto journal = make_journal(path, false);
    Steps steps(run_name(0), 4);
    for (int i = 0; i < kSteps; ++i) journal->append(steps.next()).value();
  }
  const auto bytes = static_cast<double>(fs::file_size(path));
  state.counters["bytes_per_step"] = bytes / kSteps;
  state.counters["of_payload"] = bytes / kSteps / kContentBytes;
}
BENCHMARK(BM_SizeOfThousandSteps)->Unit(benchmark::kMillisecond)->Iterations(1);

void BM_ReadLongRun(benchmark::State& state) {
  constexpr int kSteps = 20000;
  const auto journal = make_journal(fresh_file("long.db"), false);
  Steps steps(run_name(0), 5);
  for (int i = 0; i < kSteps; ++i) journal->append(steps.next()).value();
  for (auto _ : state) {
    benchmark::DoNotOptimize(journal->events(run_name(0)).value());
  }
  state.SetItemsProcessed(state.iterations() * kSteps);
}
BENCHMARK(BM_ReadLongRun)->Unit(benchmark::kMillisecond);

}  // namespace
}  // namespace lamarck::store
