#include "lamarck/report/run_report.h"
#include "lamarck/base/text_fixture.h"

#include <gtest/gtest.h>

#include <cmath>

#include "lamarck/base/error.h"

namespace lamarck::report {
namespace {

RunReport small_report() {
  RunReport report;
  report.title = "iris";
  report.facts = {{"seed", "42"}};
  report.score_name = "accuracy";
  report.curve = {{.seconds = 1, .evaluations = 10, .score = 0.5, .best = 0.5},
                  {.seconds = 2, .evaluations = 1234, .score = 1, .best = 0.9}};
  report.growth = {{.generation = 0, .what = "start", .nodes = 3, .edges = 2},
                   {.generation = 7, .what = "split", .nodes = 4, .edges = 4}};
  report.network_svg = "<?xml version=\"1.0\"?>\n<svg id=\"network\"></svg>";
  report.confusion = {{"a", "b"}, {{3, 1}, {0, 4}}};
  report.remarks = {"a remark"};
  return report;
}

TEST(RunReport, ContainsEveryPartOfReport) {
  const std::string html = report_html(small_report());
  for (const char* part :
       {"<title>iris</title>", "<th scope=\"row\">seed</th><td>42</td>",
        "1,234 evaluations in 2.0 seconds; the accuracy of the selected "
        "network is 0.9",
        "<td>split</td>",
        "From 3 hidden nodes and 2 edges to 4 hidden nodes and 4 edges in 2 "
        "steps.",
        "<svg id=\"network\"></svg>",
        "7 of 8 predictions are correct (87.5 %).", "<li>a remark</li>",
        "prefers-color-scheme: dark"}) {
    EXPECT_TRUE(contains(html, part)) << part;
  }
  EXPECT_FALSE(contains(html, "<?xml"));
}

TEST(RunReport, OmitsEmptySections) {
  const std::string html = report_html({.title = "nothing"});
  EXPECT_FALSE(contains(html, "<section>"));
  EXPECT_TRUE(html.starts_with("<!DOCTYPE html>"));
  EXPECT_TRUE(html.ends_with("</html>\n"));
}

TEST(RunReport, LoadsNothingExternal) {
  const std::string html = report_html(small_report());
  for (const char* part : {"<script", "src=", "href=", "url(", "@import"}) {
    EXPECT_FALSE(contains(html, part)) << part;
  }
}

TEST(RunReport, EscapesAllText) {
  const std::string bad = "<script>";
  RunReport report = small_report();
  report.title = report.subtitle = report.score_name = bad;
  report.target_name = bad;
  report.facts = report.highlights = {{bad, bad}};
  report.growth.front().what = bad;
  report.confusion.classes = {bad, bad};
  report.numbers = {{1, 2}};
  report.series = {{1, 2}, {1, 2}, {1, 2}};
  report.remarks = {bad};
  EXPECT_FALSE(contains(report_html(report), bad));
}

TEST(RunReport, LimitsSizeForLongRuns) {
  RunReport report;
  for (int i = 0; i < 200'000; ++i) {
    const double x = i;
    report.curve.push_back(
        {.seconds = x, .evaluations = i, .score = std::sin(x), .best = 1});
    report.growth.push_back({.generation = i, .what = "grew", .score = x});
    report.numbers.push_back({x, x + 1});
    report.series.actual.push_back(x);
    report.series.predicted.push_back(x);
  }
  const std::string html = report_html(report);
  EXPECT_LT(html.size(), 500'000u);
  EXPECT_TRUE(contains(html, "The last 400 of 200,000 steps."));
  EXPECT_TRUE(contains(html, ">199,999</td>")) << "the last step must be shown";
  EXPECT_TRUE(contains(html, ">hours<"));
}

TEST(RunReport, ScalesCurveDespiteOutliers) {
  RunReport report;
  for (int i = 0; i < 100; ++i) {
    report.curve.push_back({.seconds = 1.0 * i,
                            .evaluations = i,
                            .score = i % 50 == 3 ? -1e9 : 0.01 * i,
                            .best = 0.01 * i});
  }
  EXPECT_TRUE(contains(report_html(report), ">0.4<"));
}

TEST(RunReport, ShowsOnlyMostFrequentOfManyClasses) {
  RunReport report;
  constexpr std::size_t kClasses = 300;
  for (std::size_t i = 0; i < kClasses; ++i) {
    report.confusion.classes.push_back("class" + std::to_string(i));
    report.confusion.counts.emplace_back(kClasses, 0);
    report.confusion.counts.back()[i] = i;
  }
  const std::string page = report_html(report);
  EXPECT_NE(page.find("The 40 most frequent of 300 classes are shown."),
            std::string::npos);
  EXPECT_NE(page.find("class299"), std::string::npos);
  EXPECT_EQ(page.find("class100"), std::string::npos);
  EXPECT_LT(page.size(), 1'000'000U);
}

TEST(RunReport, RejectsMismatchedLengths) {
  RunReport report;
  report.series = {{1, 2}, {1}, {}};
  EXPECT_THROW(report_html(report), LogicError);
  report.series = {{1, 2}, {1, 2}, {1}};
  EXPECT_THROW(report_html(report), LogicError);
  report.series = {};
  report.confusion = {{"a", "b"}, {{1, 2}}};
  EXPECT_THROW(report_html(report), LogicError);
}

}  // namespace
}  // namespace lamarck::report
