#include "lamarck/runs/run_summary.h"

#include <gtest/gtest.h>

#include <cmath>

#include "lamarck/runs/run_event.h"

namespace lamarck::runs {
namespace {

class Story {
 public:
  void add(const char* type, Json payload) {
    store::Event event = make_event(
        {.type = type, .payload = std::move(payload)}, "evt",
        Clock::WallTime(std::chrono::milliseconds(1000 * (summary.seq + 1))));
    event.seq = summary.seq + 1;
    apply(summary, event);
  }
  void begin(const char* kind = "net") {
    add("created", {{"kind", kind},
                    {"goal", "Predict y"},
                    {"seed", 7},
                    {"limits", {{{"limit", 10}, {"unit", "generations"}}}}});
    add("started", {{"pid", 1}, {"host", "h"}, {"score_name", "r2"}});
  }
  void progress(int generation, double score) {
    add("progress", {{"generation", generation},
                     {"evaluations", generation * 4},
                     {"seconds", generation * 0.5},
                     {"score", score},
                     {"loss", 1 - score}});
  }

  RunSummary summary;
};

TEST(RunSummary, ScoreIsThatOfTheHeldOutRows) {
  Story story;
  story.begin();
  story.progress(1, 1.0);
  story.add("ended", {{"state", "done"}, {"result", {{"test_score", 0.875}}}});

  EXPECT_EQ(story.summary.score, 0.875);
}

TEST(RunSummary, DefaultSeedIsKnownOnceItHasStarted) {
  Story story;
  story.add("created", {{"kind", "net"}, {"goal", "Predict y"}});
  EXPECT_FALSE(story.summary.seed);
  story.add("started", {{"pid", 1}, {"seed", 1}});
  EXPECT_EQ(story.summary.seed, 1U);
}

TEST(RunSummary, TokensOfTheCurveOutliveACheckpoint) {
  Story story;
  story.begin("program");
  story.add("progress", {{"score", 1}, {"tokens", 1200}});
  const auto read = parse_run_summary(to_json(story.summary));
  ASSERT_TRUE(read);
  EXPECT_EQ(read->curve.at(0).tokens, 1200);
}

TEST(RunSummary, RecommendedLawIsNotAPointOfTheCurve) {
  Story story;
  story.begin("fn");
  story.progress(1, 1e-14);
  story.add("progress", {{"score", 1e-7}, {"loss", 1e-7}, {"final", true}});

  EXPECT_EQ(story.summary.score, 1e-7);
  ASSERT_EQ(story.summary.curve.size(), 1u);
  EXPECT_EQ(story.summary.curve[0].score, 1e-14);
}

TEST(RunSummary, RunThatEndsAtOnceHasACurve) {
  Story story;
  story.begin("fn");
  story.add("progress", {{"score", 0.5}, {"loss", 0.5}});
  story.add("progress", {{"score", 0.0}, {"loss", 0.0}, {"final", true}});

  ASSERT_EQ(story.summary.curve.size(), 2u);
  EXPECT_EQ(story.summary.curve[1].score, 0.0);
}

TEST(RunSummary, FollowsTheEventsOfARun) {
  Story story;
  story.begin();
  EXPECT_EQ(story.summary.state, kRunning);
  story.progress(1, 0.2);
  story.add("best", {{"generation", 2}, {"score", 0.5}, {"network", {}}});
  story.add("ended",
            {{"state", "done"}, {"message", "m"}, {"result", {{"r", 1}}}});

  const RunSummary& summary = story.summary;
  EXPECT_EQ(summary.kind, "net");
  EXPECT_EQ(summary.seed, 7u);
  EXPECT_EQ(summary.state, kDone);
  EXPECT_TRUE(summary.is_over());
  EXPECT_EQ(summary.score, 0.5);
  EXPECT_EQ(summary.evaluations, 4);
  EXPECT_EQ(summary.pictures, std::vector<std::uint64_t>{4});
  EXPECT_EQ(summary.result.at("r"), 1);
  EXPECT_EQ(summary.created, 1000);
  EXPECT_EQ(summary.ended, 5000);
}

TEST(RunSummary, StopRequestHoldsUntilTheNextStart) {
  Story story;
  story.begin();
  story.add("stop_requested", {{"by", "test"}});
  EXPECT_EQ(story.summary.state, kStopping);
  story.add("ended", {{"state", "interrupted"}});
  EXPECT_TRUE(story.summary.is_stop_wanted);
  story.add("started", {{"pid", 2}});
  EXPECT_FALSE(story.summary.is_stop_wanted);
  EXPECT_EQ(story.summary.state, kRunning);
  EXPECT_EQ(story.summary.sessions, 2);
}

TEST(RunSummary, AddsTheTimeOfEarlierSessionsToThatOfASearch) {
  Story story;
  story.begin("fn");
  story.progress(4, 0.1);
  story.add("ended", {{"state", "interrupted"}});
  story.add("started", {});
  // Evaluations go on counting, seconds begin again.
  story.add("progress",
            {{"evaluations", 20}, {"seconds", 1.0}, {"score", 0.2}});
  EXPECT_EQ(story.summary.seconds, 3);
}

TEST(RunSummary, ForgetsWhatAKilledProcessDidAfterItsCheckpoint) {
  for (const char* kind : {"net", "fn"}) {
    Story story;
    story.begin(kind);
    for (int i = 1; i <= 6; ++i) story.progress(i, i / 10.0);
    story.add("started", {});
    const bool is_net = std::string(kind) == "net";
    // From the checkpoint after 12 evaluations and 1.5 s. An evolution of
    // networks counts the seconds of all sessions.
    story.add("progress", {{"generation", 4},
                           {"evaluations", 16},
                           {"seconds", is_net ? 2.0 : 0.5},
                           {"score", 0.4}});
    std::vector<double> evaluations;
    for (const CurvePoint& point : story.summary.curve) {
      evaluations.push_back(point.evaluations);
    }
    EXPECT_EQ(evaluations, (std::vector<double>{4, 8, 12, 16, 16})) << kind;
    EXPECT_EQ(story.summary.seconds, is_net ? 2.0 : 2.5) << kind;
  }
}

TEST(RunSummary, RoundTripsThroughJson) {
  Story story;
  story.begin();
  for (int i = 1; i < 30; ++i) story.progress(i, i / 30.0);
  story.add("best", {{"score", 1.0}});
  const Json json = to_json(story.summary);
  const RunSummary copy =
      parse_run_summary(parse_json(dump_json(json)).value()).value();
  EXPECT_EQ(to_json(copy), json);
  EXPECT_FALSE(parse_run_summary(Json::array()));
  EXPECT_FALSE(parse_run_summary({{"seq", 1}, {"curve", {1}}}));
}

TEST(RunSummary, SamplingKeepsExtremesAndTheLastPoint) {
  std::vector<CurvePoint> curve;
  for (std::uint64_t i = 1; i <= 10'000; ++i) {
    curve.push_back({.seq = i, .score = std::sin(static_cast<double>(i))});
  }
  curve[5'000].score = 9;
  curve[7'000].score = -9;
  const auto sampled = sampled_curve(curve, 100);
  EXPECT_LE(sampled.size(), 100u);
  const auto has = [&](double score) {
    return std::ranges::any_of(
        sampled, [&](const CurvePoint& p) { return p.score == score; });
  };
  EXPECT_TRUE(has(9));
  EXPECT_TRUE(has(-9));
  EXPECT_EQ(sampled.back().seq, 10'000u);
  EXPECT_TRUE(std::ranges::is_sorted(sampled, {}, &CurvePoint::seq));
}

TEST(RunSummary, CurveOfALongRunStaysSmall) {
  Story story;
  story.begin();
  for (int i = 1; i < 5'000; ++i) story.progress(i, i / 5'000.0);
  EXPECT_LE(story.summary.curve.size(), 1'000u);
  EXPECT_EQ(story.summary.curve.back().generation, 4'999);
}

}  // namespace
}  // namespace lamarck::runs
