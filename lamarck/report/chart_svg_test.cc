#include "lamarck/report/chart_svg.h"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>

#include "lamarck/base/error.h"

namespace lamarck::report {
namespace {

constexpr double kMissing = std::numeric_limits<double>::quiet_NaN();
constexpr double kInfinite = std::numeric_limits<double>::infinity();

std::size_t count(const std::string& text, std::string_view part) {
  std::size_t found = 0;
  for (std::size_t at = text.find(part); at != std::string::npos;
       at = text.find(part, at + 1)) {
    ++found;
  }
  return found;
}

bool is_complete(const std::string& svg) {
  return svg.starts_with("<svg ") && svg.ends_with("</svg>\n") &&
         count(svg, "nan") == 0 && count(svg, "inf") == 0;
}

TEST(LineChart, DrawsEachSeriesInItsStyle) {
  const std::vector<ChartPoint> points = {{0, 0}, {1, 2}, {2, 1}};
  const std::string svg = line_chart(
      {{.name = "plain", .points = points},
       {.name = "dashed", .points = points, .look = ChartLook::Dashed},
       {.name = "steps", .points = points, .look = ChartLook::Steps},
       {.name = "dots", .points = points, .look = ChartLook::Dots}},
      {.x = "time", .y = "score"});

  EXPECT_TRUE(is_complete(svg)) << svg;
  EXPECT_EQ(count(svg, "fill=\"none\""), 3u);
  EXPECT_EQ(count(svg, "<circle"), 3u);
  EXPECT_EQ(count(svg, "stroke-dasharray"), 1u);
  for (const char* word : {"plain", "dashed", "steps", "dots", ">time<"}) {
    EXPECT_EQ(count(svg, word), 1u) << word;
  }
}

TEST(LineChart, OmitsLegendForSingleSeries) {
  const std::string svg =
      line_chart({{.name = "only", .points = {{0, 1}, {1, 2}}}}, {});
  EXPECT_EQ(count(svg, "only"), 0u);
}

TEST(LineChart, LeavesGapAtNonFinitePoints) {
  const std::string svg = line_chart(
      {{.points =
            {{0, 1}, {1, 2}, {2, kMissing}, {3, kInfinite}, {4, 1}, {5, 2}}}},
      {});
  EXPECT_TRUE(is_complete(svg)) << svg;
  const std::size_t path = svg.rfind("<path d=\"");
  EXPECT_EQ(count(svg.substr(path, svg.find('"', path + 9) - path), "M"), 2u);
}

TEST(LineChart, HandlesEmptySinglePointAndHugeValues) {
  EXPECT_TRUE(is_complete(line_chart({}, {})));
  EXPECT_TRUE(is_complete(line_chart({{.points = {}}}, {})));
  EXPECT_TRUE(is_complete(line_chart({{.points = {{3, 4}}}}, {})));
  EXPECT_TRUE(is_complete(
      line_chart({{.points = {{-1e308, 1e308}, {1e308, -1e308}}}}, {})));
  EXPECT_TRUE(is_complete(
      line_chart({{.points = {{1e15, 1}, {1e15 + 1, 1 + 1e-15}}}}, {})));
}

TEST(LineChart, MarksStandOutAmongDots) {
  const std::string svg = line_chart(
      {{.name = "all", .points = {{1, 1}, {2, 2}}, .look = ChartLook::Dots},
       {.name = "chosen",
        .points = {{2, 2}},
        .look = ChartLook::Marks,
        .colour = 2}},
      {.x = "x", .y = "y"});
  EXPECT_NE(svg.find("r=\"5.5\""), std::string::npos);
  EXPECT_GT(svg.find("r=\"5.5\""), svg.rfind("r=\"2.2\""));
}

TEST(LineChart, OmitsDotsOutsideGivenRange) {
  const ChartSeries dots = {.points = {{0, 0.5}, {1, -50}, {2, 0.7}},
                            .look = ChartLook::Dots};
  const std::string svg = line_chart({dots}, {.y_range = Range{0, 1}});
  EXPECT_EQ(count(svg, "<circle"), 2u);
}

TEST(Charts, EscapeText) {
  const std::string bad = "<script>\"&'";
  const std::string good = "&lt;script&gt;&quot;&amp;&#39;";
  const ChartSeries series = {.name = bad, .points = {{0, 0}, {1, 1}}};
  for (const std::string& svg :
       {line_chart({series, series}, {.x = bad, .y = bad}),
        scatter_chart({{0, 1}}, {.x = bad, .y = bad}),
        heat_map({.names = {bad, "b"},
        .counts = {{1, 2}, {3, 4}},
        .row_label = bad,
        .column_label = bad})}) {
    EXPECT_EQ(count(svg, "<script"), 0u);
    EXPECT_GE(count(svg, good), 3u) << svg;
  }
}

TEST(ScatterChart, DrawsFinitePointsAndDiagonal) {
  const std::string svg =
      scatter_chart({{1, 1.1}, {2, 1.9}, {kMissing, 3}}, {.x = "a", .y = "p"});
  EXPECT_TRUE(is_complete(svg)) << svg;
  EXPECT_EQ(count(svg, "<circle"), 2u);
  EXPECT_EQ(count(svg, "stroke-dasharray"), 1u);
}

TEST(HeatMap, ShadesCellsByShareOfRow) {
  const std::string svg = heat_map({.names = {"cat", "dog"},
                                    .counts = {{3, 1}, {0, 5}},
                                    .row_label = "actual",
                                    .column_label = "predicted"});
  EXPECT_TRUE(is_complete(svg)) << svg;
  EXPECT_EQ(count(svg, "<rect"), 4u);
  EXPECT_EQ(count(svg, "actual: cat, predicted: dog, 1 (25.0 %)"), 1u);
  EXPECT_EQ(count(svg, "--chart-good"), 2u);
  EXPECT_EQ(count(svg, "--chart-bad"), 1u);
  EXPECT_EQ(count(svg, "fill-opacity:0.795"), 1u);
}

TEST(HeatMap, HandlesManyClassesAndEmptyRows) {
  HeatMap map;
  for (int i = 0; i < 40; ++i) {
    map.names.push_back("a class with a long name " + std::to_string(i));
    map.counts.emplace_back(40);
  }
  const std::string svg = heat_map(map);
  EXPECT_TRUE(is_complete(svg));
  EXPECT_EQ(count(svg, "<rect"), 1600u);
}

TEST(HeatMap, RejectsCountsThatAreNotSquare) {
  EXPECT_THROW(heat_map({}), LogicError);
  EXPECT_THROW(heat_map({.names = {"a"}, .counts = {}}), LogicError);
  EXPECT_THROW(heat_map({.names = {"a"}, .counts = {{1, 2}}}), LogicError);
}

TEST(LineChart, LabelsExponentsAsPowersOfTen) {
  const std::string svg =
      line_chart({{.points = {{1, 0}, {2, -3}}}},
                 {.x = "size", .y = "error", .y_is_exponent = true});
  EXPECT_NE(svg.find(">0.001<"), std::string::npos);
  EXPECT_NE(svg.find(">1<"), std::string::npos);
}

}  // namespace
}  // namespace lamarck::report
