// Writes report pages into the given folder: for classes, numbers, a series and
// many classes, one with text that is harmful unless it is escaped, and an
// empty one.

#include <cmath>
#include <cstdio>
#include <filesystem>
#include <string>

#include "lamarck/base/file.h"
#include "lamarck/base/rng.h"
#include "lamarck/graph/graph_picture.h"
#include "lamarck/report/run_report.h"

namespace lamarck::report {
namespace {

std::string small_network() {
  Graph graph(1);
  const Var x = graph.input_named(Tensor::zeros({1, 4}), "flower");
  const Var w = graph.parameter({4, 5}, Init::xavier(), "w1");
  const Var v = graph.parameter({5, 3}, Init::xavier(), "w2");
  x.matmul(w).tanh().matmul(v).softmax().set_name("species");
  return to_svg(graph);
}

// Returns the scores of 400 candidates, some of which fail badly.
std::vector<table::ScorePoint> random_curve(Rng& rng) {
  std::vector<table::ScorePoint> curve;
  double best = 0.33;
  for (int i = 0; i < 400; ++i) {
    const double level = 0.97 - 0.6 * std::exp(-i / 60.0);
    const double score =
        i % 37 == 5 ? -50 : std::min(1.0, level + 0.04 * rng.normal());
    best = std::max(best, score);
    curve.push_back({.seconds = 0.11 * i + 0.2 * std::sin(i),
                     .evaluations = 16 * (i + 1),
                     .score = score,
                     .best = best});
  }
  return curve;
}

RunReport classes_report() {
  Rng rng(1);
  RunReport report;
  report.title = "iris.csv: species";
  report.subtitle = "150 rows, 4 inputs and 3 classes";
  report.highlights = {{"accuracy on held-out rows", "96.7 %"},
                       {"hidden nodes", "5"},
                       {"time", "44 s"}};
  report.facts = {{"seed", "42"},
                  {"threads", "2"},
                  {"file", "tests/data/iris.csv"},
                  {"training, validation and held-out rows", "90, 30, 30"}};
  report.score_name = "accuracy";
  report.curve = random_curve(rng);
  for (int i = 0; i < 14; ++i) {
    report.growth.push_back({.generation = 3 * i,
                             .what = i % 3 == 0
                                         ? "add_node"
                                         : "add an edge from petal_length to a "
                                           "hidden node",
                             .nodes = 7 + i / 3,
                             .edges = 12 + i,
                             .score = 0.95 - 0.5 * std::exp(-i / 3.0)});
  }
  report.network_svg = small_network();
  report.confusion = {{"setosa", "versicolor", "virginica"},
                      {{10, 0, 0}, {0, 9, 1}, {0, 2, 8}}};
  report.remarks = {"Column 'id' is not used: it is a row number."};
  return report;
}

RunReport numbers_report() {
  Rng rng(2);
  RunReport report;
  report.title = "diabetes.csv: progression";
  report.score_name = "R2";
  report.target_name = "progression";
  report.curve = random_curve(rng);
  for (int i = 0; i < 200; ++i) {
    const double actual = 150 + 75 * rng.normal();
    report.numbers.push_back({actual, 90 + 0.4 * actual + 30 * rng.normal()});
  }
  return report;
}

RunReport series_report() {
  Rng rng(3);
  RunReport report;
  report.title = "Sunspots";
  report.target_name = "sunspots";
  for (int i = 0; i < 300; ++i) {
    const double actual = 60 + 50 * std::sin(i * 0.19) + 8 * rng.normal();
    auto& series = report.series;
    series.persistence.push_back(i == 0 ? actual : series.actual.back());
    series.actual.push_back(actual);
    series.predicted.push_back(60 + 47 * std::sin(i * 0.19 - 0.05));
  }
  return report;
}

RunReport digits_report() {
  Rng rng(4);
  RunReport report;
  report.title = "Digits";
  report.confusion.classes = {"0", "1", "2", "3", "4", "5", "6", "7", "8", "9"};
  for (std::size_t row = 0; row < 10; ++row) {
    report.confusion.counts.emplace_back(10);
    for (std::size_t column = 0; column < 10; ++column) {
      report.confusion.counts[row][column] = row == column     ? 30
                                             : rng.chance(0.2) ? rng.below(6)
                                                               : 0;
    }
  }
  return report;
}

RunReport hostile_report() {
  const std::string bad = "</td><script>alert('\"&amp;\x01\xFF')</script>";
  RunReport report;
  report.title = bad;
  report.subtitle = bad;
  report.highlights = {{bad, bad}};
  report.facts = {{bad, bad}};
  report.score_name = bad;
  report.curve = {{.seconds = NAN, .evaluations = -5, .score = INFINITY},
                  {.seconds = 1, .score = -INFINITY, .best = NAN}};
  report.growth = {{.what = bad, .score = NAN}};
  report.network_svg = "<?xml version=\"1.0\"?><svg></svg>";
  report.confusion = {{bad, bad}, {{0, 0}, {1, 0}}};
  report.target_name = bad;
  report.numbers = {{1e308, -1e308}, {NAN, 1}};
  report.series = {{1, NAN, INFINITY}, {1, 1, 1}, {}};
  report.remarks = {bad};
  return report;
}

int run(const std::filesystem::path& folder) {
  const std::pair<const char*, RunReport> pages[] = {
      {"classes.html", classes_report()}, {"numbers.html", numbers_report()},
      {"series.html", series_report()},   {"digits.html", digits_report()},
      {"hostile.html", hostile_report()}, {"empty.html", {}}};
  for (const auto& [name, report] : pages) {
    const auto written = write_file(folder / name, report_html(report));
    if (!written) {
      std::fprintf(stderr, "%s\n", written.error().message().c_str());
      return 1;
    }
  }
  return 0;
}

}  // namespace
}  // namespace lamarck::report

int main(int argc, char** argv) {
  if (argc != 2) return 2;
  return lamarck::report::run(argv[1]);
}
