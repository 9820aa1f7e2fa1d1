// A resumed run continues as if it had never been interrupted.

#include <unistd.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <functional>
#include <regex>
#include <vector>
#include <nlohmann/json.hpp>

#include "lamarck/archipelago/evolver.h"
#include "lamarck/archipelago/journal_replay.h"
#include "lamarck/archipelago/search_journal.h"
#include "lamarck/archipelago/toy_engine_fixture.h"
#include "lamarck/base/file.h"

namespace lamarck::archipelago {
namespace {

// An engine with state: its steps depend on what it learned from all islands.
class LearningEngine : public ToyEngine {
 public:
  using ToyEngine::ToyEngine;

  std::string_view name() const override { return "learning"; }
  void learn(const MutationContext& /*context*/, const FunctionPtr& /*made*/,
             bool improved) override {
    learned_ += improved ? 3 : 1;
  }
  void end_cycle(std::uint64_t /*cycle*/) override { reach_ = learned_ % 40; }
  void reset_island(std::size_t island, const FunctionPtr& founder) override {
    learned_ += static_cast<std::int64_t>(island + founder->id());
  }
  Json state() const override { return {{"learned", learned_}, {"r", reach_}}; }
  Result<void> restore(const Json& state) override {
    learned_ = state.at("learned");
    reach_ = state.at("r");
    return {};
  }

 private:
  MutationResult make(const std::vector<FunctionPtr>& parents,
                      const MutationContext& context) override {
    if (context.cancel.is_cancelled()) {
      return Error(ErrorCode::Cancelled, "Cut.");
    }
    Rng rng = context.rng;
    if (rng.chance(0.05)) {
      return {Error(ErrorCode::Unavailable, "Busy."), {.tokens_in = 3}};
    }
    return child(
        toy_number(*parents.back()) + rng.integer(-2 - reach_, 2 + reach_),
        {.evaluations = rng.integer(0, 2), .tokens_in = 10});
  }

  std::int64_t learned_ = 0;
  std::int64_t reach_ = 0;
};

class EvolverResume : public ::testing::Test {
 protected:
  void SetUp() override {
    folder_ = std::filesystem::path(::testing::TempDir()) /
              (std::to_string(::getpid()) +
               ::testing::UnitTest::GetInstance()->current_test_info()->name());
    std::filesystem::remove_all(folder_);
  }
  void TearDown() override { std::filesystem::remove_all(folder_); }

  EvolverParts parts(const std::string& name, bool is_resumed) {
    EvolverParts parts = toy_parts();
    parts.engine = std::make_shared<LearningEngine>();
    parts.folder = folder_ / name;
    parts.is_resumed = is_resumed;
    parts.fingerprint = "toy data";
    parts.clock = &clock_;
    return parts;
  }

  static EvolverOptions options() {
    return {.num_islands = 3,
            .reset_period = {.evaluations = 50},
            .seed = 9,
            .max_cycles = 40,
            .checkpoint_period = std::chrono::hours(1)};
  }

  // Runs `cycles` cycles, or fewer if the run ends before.
  void run_until(const std::string& name, bool is_resumed,
                 const EvolverOptions& options, int cycles) {
    Evolver evolver(options, parts(name, is_resumed));
    CancelSource source;
    int done = 0;
    evolver.use_profiler([&](const EvolverEvent& event) {
      if (!std::holds_alternative<CycleEnded>(event)) return;
      if (++done == cycles) source.cancel("An interruption.");
    });
    const auto outcome = evolver.run(source.token());
    ASSERT_TRUE(outcome) << outcome.error().message();
  }

  std::string journal(const std::string& name) {
    auto text = read_file(folder_ / name / "journal.jsonl");
    return text ? *text : text.error().message();
  }

  // Writes a journal again with correct hashes after `edit` changed its lines.
  void rewrite(const std::filesystem::path& from,
               const std::filesystem::path& to,
               const std::function<void(Json& line)>& edit) {
    std::vector<Json> lines;
    ASSERT_TRUE(read_journal(from, [&](const Json& line) -> Result<void> {
      lines.push_back(line);
      return {};
    }));
    std::filesystem::remove(to);
    auto writer = JournalWriter::create(to);
    ASSERT_TRUE(writer);
    for (Json& line : lines) {
      edit(line);
      writer->append(line);
    }
    ASSERT_TRUE(writer->flush());
  }

  std::filesystem::path folder_;
  ManualClock clock_;  // Never advances, so journals do not contain times.
};

TEST_F(EvolverResume, WritesJournalOfUninterruptedRun) {
  run_until("whole", false, options(), 1000);
  Rng rng(4);
  for (int i = 0; i < 6; ++i) {
    const std::string name = "run" + std::to_string(i);
    run_until(name, false, options(), static_cast<int>(rng.integer(1, 15)));
    run_until(name, true, options(), static_cast<int>(rng.integer(1, 15)));
    run_until(name, true, options(), 1000);
    EXPECT_EQ(journal(name), journal("whole")) << name;
  }
}

TEST_F(EvolverResume, RepeatsInterruptedCycle) {
  run_until("whole", false, options(), 1000);
  for (const std::size_t island : {0, 1, 2}) {
    const std::string name = "cut" + std::to_string(island);
    EvolverOptions often = options();
    often.checkpoint_period = std::chrono::milliseconds(0);
    CancelSource source;
    EvolverParts cut = parts(name, false);
    cut.engine->use_profiler([&, calls = 0](const auto& event) mutable {
      if (!std::holds_alternative<MutationStarted>(event)) return;
      if (++calls == 3 * 5 + static_cast<int>(island) + 1) source.cancel("");
    });

    const auto outcome = Evolver(often, std::move(cut)).run(source.token());
    ASSERT_TRUE(outcome) << outcome.error().message();
    EXPECT_EQ(outcome->end, EvolverEnd::Cancelled);
    run_until(name, true, options(), 1000);

    EXPECT_EQ(journal(name), journal("whole")) << name;
  }
}

TEST_F(EvolverResume, TruncatesJournalAfterCheckpoint) {
  run_until("whole", false, options(), 1000);
  run_until("run", false, options(), 10);
  // As after a crash: the journal has lines after the checkpoint, and the last
  // one is incomplete.
  const auto path = folder_ / "run" / "journal.jsonl";
  const auto checkpoint = folder_ / "run" / "checkpoint.json";
  const std::string early = *read_file(checkpoint);
  run_until("run", true, options(), 5);
  ASSERT_TRUE(write_file(checkpoint, early));
  std::ofstream(path, std::ios::app) << R"({"event":"function","cy)";

  run_until("run", true, options(), 1000);

  EXPECT_EQ(journal("run"), journal("whole"));
}

TEST_F(EvolverResume, CountsTokensSpentOnLostWork) {
  run_until("run", false, options(), 10);
  const auto checkpoint = folder_ / "run" / "checkpoint.json";
  const std::string early = *read_file(checkpoint);
  run_until("run", true, options(), 10);
  ASSERT_TRUE(write_file(checkpoint, early));
  EvolverOptions poor = options();
  poor.budget.tokens = 450;  // 10 cycles cost less, 20 cycles cost more.

  Evolver evolver(poor, parts("run", true));
  const auto outcome = evolver.run();

  ASSERT_TRUE(outcome);
  EXPECT_EQ(outcome->end, EvolverEnd::Budget) << outcome->reason;
  EXPECT_EQ(outcome->counts.cycles, 10U);
}

TEST_F(EvolverResume, RejectsDifferentSeedEngineOrData) {
  run_until("run", false, options(), 5);
  EvolverOptions other = options();
  other.seed = 10;
  const auto seed = Evolver(other, parts("run", true)).run();
  EvolverParts data = parts("run", true);
  data.fingerprint = "other data";
  const auto changed = Evolver(options(), std::move(data)).run();
  EvolverParts engine = parts("run", true);
  engine.engine = std::make_shared<ToyEngine>();
  const auto exchanged = Evolver(options(), std::move(engine)).run();

  ASSERT_FALSE(seed);
  EXPECT_NE(seed.error().message().find("seed is 10 and was 9"),
            std::string::npos)
      << seed.error().message();
  ASSERT_FALSE(changed);
  EXPECT_NE(changed.error().message().find("its data or its task"),
            std::string::npos);
  ASSERT_FALSE(exchanged);
  EXPECT_NE(exchanged.error().message().find("the engine is toy and was"),
            std::string::npos);
}

TEST_F(EvolverResume, DoesNotOverwriteExistingRun) {
  run_until("run", false, options(), 5);

  const auto outcome = Evolver(options(), parts("run", false)).run();

  ASSERT_FALSE(outcome);
  EXPECT_EQ(outcome.error().code(), ErrorCode::AlreadyExists);
}

TEST_F(EvolverResume, ReportsMissingRun) {
  const auto outcome = Evolver(options(), parts("nothing", true)).run();

  ASSERT_FALSE(outcome);
  EXPECT_EQ(outcome.error().code(), ErrorCode::NotFound);
}

TEST_F(EvolverResume, DetectsChangedJournal) {
  run_until("run", false, options(), 5);
  const auto path = folder_ / "run" / "journal.jsonl";
  rewrite(path, path, [](Json& line) {
    if (line.value("move", "") == "step") line["move"] = "leap";
  });

  const auto outcome = Evolver(options(), parts("run", true)).run();

  ASSERT_FALSE(outcome);
  EXPECT_NE(outcome.error().message().find("has changed since the checkpoint"),
            std::string::npos)
      << outcome.error().message();
}

TEST_F(EvolverResume, ReplayDetectsEveryChangedCharacter) {
  EvolverOptions small = options();
  small.max_cycles = 1;
  run_until("run", false, small, 1);
  const std::string text = journal("run");
  const auto path = folder_ / "changed.jsonl";
  for (std::size_t at = 0; at < text.size(); ++at) {
    std::string changed = text;
    changed[at] = changed[at] == '7' ? '8' : '7';
    std::ofstream(path, std::ios::binary) << changed;
    EXPECT_FALSE(replay(path)) << at << " of " << text;
  }
}

TEST_F(EvolverResume, ReplayRebuildsIslands) {
  Evolver evolver(options(), parts("run", false));
  const auto outcome = evolver.run();
  ASSERT_TRUE(outcome);

  const auto replayed = replay(folder_ / "run" / "journal.jsonl");

  ASSERT_TRUE(replayed) << replayed.error().message();
  EXPECT_EQ(replayed->state->best()->id(), outcome->best->id());
  EXPECT_EQ(replayed->state->counts().evaluations, outcome->counts.evaluations);
  EXPECT_EQ(replayed->state->counts().reasons, outcome->counts.reasons);
  ASSERT_EQ(replayed->state->islands().size(), evolver.islands().size());
  for (std::size_t i = 0; i < evolver.islands().size(); ++i) {
    const Island& live = *evolver.islands()[i];
    const Island& again = *replayed->state->islands()[i];
    EXPECT_EQ(again.best_fn()->id(), live.best_fn()->id());
    EXPECT_EQ(again.size(), live.size());
    EXPECT_EQ(again.clusters().size(), live.clusters().size());
  }
}

TEST_F(EvolverResume, ReplayReportsFirstContradiction) {
  run_until("run", false, options(), 10);
  const auto path = folder_ / "changed.jsonl";
  bool is_changed = false;
  rewrite(folder_ / "run" / "journal.jsonl", path, [&](Json& line) {
    if (is_changed || !line.value("best", Json()).is_boolean()) return;
    line.erase("best");
    is_changed = true;
  });
  ASSERT_TRUE(is_changed);

  const auto replayed = replay(path);

  ASSERT_FALSE(replayed);
  EXPECT_NE(replayed.error().message().find("the replay finds the best"),
            std::string::npos)
      << replayed.error().message();
  EXPECT_NE(replayed.error().message().find("line "), std::string::npos);
}

TEST_F(EvolverResume, ReplayReportsLinesLostSinceCheckpoint) {
  run_until("run", false, options(), 4);
  const std::string text = journal("run");
  const auto path = folder_ / "run" / "journal.jsonl";
  const std::string last = text.substr(text.rfind('\n', text.size() - 2) + 1);
  std::ofstream(path, std::ios::binary)
      << text.substr(0, text.size() - last.size());

  const auto cut = replay(path);
  // A run that was killed wrote lines after its last checkpoint.
  std::ofstream(path, std::ios::binary) << text << "{\"event\":";
  const auto longer = replay(path);

  ASSERT_FALSE(cut);
  EXPECT_NE(cut.error().message().find("but the checkpoint was written after"),
            std::string::npos)
      << cut.error().message();
  EXPECT_TRUE(longer) << longer.error().message();
}

TEST_F(EvolverResume, ReplaySurvivesRandomBytes) {
  run_until("run", false, options(), 4);
  // Without hashes, which would hide the noise from the replay.
  const std::string text = std::regex_replace(
      std::regex_replace(journal("run"), std::regex(",\"chain\":\"[0-9a-f]*\""),
                         ""),
      std::regex("\"format\":2"), "\"format\":1");
  const auto path = folder_ / "noise.jsonl";
  std::ofstream(path, std::ios::binary) << text;
  ASSERT_TRUE(replay(path));
  Rng rng(2);
  for (int i = 0; i < 200; ++i) {
    std::string noisy = text;
    for (int j = 0; j < 3; ++j) {
      noisy[rng.below(noisy.size())] = static_cast<char>(rng.integer(32, 126));
    }
    std::ofstream(path, std::ios::binary) << noisy;
    static_cast<void>(replay(path).has_value());  // Must not crash.
  }
}

}  // namespace
}  // namespace lamarck::archipelago
