#include "lamarck/base/progress.h"

#include <gtest/gtest.h>

#include <sstream>
#include <thread>
#include <vector>
#include <nlohmann/json.hpp>

#include "lamarck/base/json.h"
#include "lamarck/base/unicode.h"

namespace lamarck {
namespace {

using namespace std::chrono_literals;

std::vector<std::string> split_lines(const std::ostringstream& out) {
  std::vector<std::string> lines;
  std::istringstream in(out.str());
  for (std::string line; std::getline(in, line);) lines.push_back(line);
  return lines;
}

TEST(Progress, WritesPlainLinesEveryTwoSecondsAndOneAtTheEnd) {
  std::ostringstream out;
  ManualClock clock;
  Progress progress(out, clock,
                    {.label = "Evolving", .total = 40, .unit = "generations"});
  for (int i = 0; i < 20; ++i) {
    clock.advance(250ms);
    progress.update(i + 1, "best 0.5");
  }
  progress.finish("best 0.9");
  progress.update(30);

  EXPECT_EQ(split_lines(out),
            (std::vector<std::string>{
                "Evolving: 20 %, 8/40 generations, 4/s, 8.0 s left, best 0.5",
                "Evolving: 40 %, 16/40 generations, 4/s, 6.0 s left, best 0.5",
                "Evolving: 50 %, 20/40 generations, 4/s, took 5.0 s, best 0.9",
            }));
}

TEST(Progress, RatesLeaveOutWhatWasDoneBefore) {
  std::ostringstream out;
  ManualClock clock;
  Progress progress(out, clock, {.label = "Evolving", .total = 140});
  progress.begin_at(100);
  clock.advance(5s);
  progress.update(120);
  progress.finish();

  EXPECT_EQ(split_lines(out),
            (std::vector<std::string>{
                "Evolving: 86 %, 120/140 steps, 4/s, 5.0 s left",
                "Evolving: 86 %, 120/140 steps, 4/s, took 5.0 s"}));
}

TEST(Progress, RedrawsBarWithinTerminalWidth) {
  std::ostringstream out;
  ManualClock clock;
  {
    Progress progress(out, clock,
                      {.label = "Training",
                       .total = 4,
                       .style = ProgressStyle::Bar,
                       .width = 50});
    clock.advance(1s);
    progress.advance(2);
  }
  EXPECT_EQ(out.str(),
            "\r\x1b[KTraining ██████████░░░░░░░░░░  50 % 2/4 steps, 2…"
            "\r\x1b[KTraining ██████████░░░░░░░░░░  50 % 2/4 steps, 2…\n");
}

TEST(Progress, CountsWithoutTotal) {
  std::ostringstream out;
  ManualClock clock;
  Progress progress(out, clock, {.label = "Searching"});
  clock.advance(3s);
  progress.advance(6'000'000);
  EXPECT_EQ(split_lines(out).at(0), "Searching: 6000000 steps, 2.0 M/s");
}

TEST(Progress, WritesJsonLinesForPrograms) {
  std::ostringstream out;
  ManualClock clock;
  Progress progress(
      out, clock,
      {.label = "Fitting", .total = 10, .style = ProgressStyle::JsonLines});
  clock.advance(2s);
  progress.update(4, "best 1");
  progress.finish();
  const auto lines = split_lines(out);
  ASSERT_EQ(lines.size(), 2u);
  const Json first = parse_json(lines[0]).value();
  EXPECT_EQ(first["done"], 4);
  EXPECT_EQ(first["total"], 10);
  EXPECT_EQ(first["per_second"], 2.0);
  EXPECT_EQ(first["seconds_left"], 3.0);
  EXPECT_EQ(first["remark"], "best 1");
  EXPECT_EQ(first["finished"], false);
  EXPECT_EQ(parse_json(lines[1]).value()["finished"], true);
}

TEST(Progress, OmitsEstimatesBeyondOneYear) {
  std::ostringstream out;
  ManualClock clock;
  Progress progress(out, clock, {.label = "Huge", .total = 10'000'000'000});
  clock.advance(2s);
  progress.update(1);
  EXPECT_EQ(split_lines(out).at(0), "Huge: 0 %, 1/10000000000 steps, 0.5/s");
}

TEST(Progress, SilentStyleDrawsNothing) {
  std::ostringstream out;
  ManualClock clock;
  { Progress progress(out, clock, {.style = ProgressStyle::Silent}); }
  EXPECT_EQ(out.str(), "");
}

TEST(Progress, CountsStepsFromManyThreads) {
  std::ostringstream out;
  SystemClock clock;
  Progress progress(out, clock, {.label = "Work"});
  {
    std::vector<std::jthread> workers;
    for (int i = 0; i < 4; ++i) {
      workers.emplace_back([&] {
        for (int k = 0; k < 1000; ++k) progress.advance();
      });
    }
  }
  progress.finish();
  EXPECT_EQ(split_lines(out).back().find("Work: 4000 steps"), 0u);
}

TEST(Progress, ParsesStyleNames) {
  EXPECT_EQ(parse_progress_style("bar").value(), ProgressStyle::Bar);
  EXPECT_EQ(parse_progress_style("none").value(), ProgressStyle::Silent);
  EXPECT_NE(parse_progress_style("x").error().message().find("bar, lines"),
            std::string::npos);
}

}  // namespace
}  // namespace lamarck
