#include "lamarck/gp/gp_library.h"

#include <algorithm>
#include <cmath>
#include <map>
#include <set>
#include <vector>

#include <gtest/gtest.h>

#include "lamarck/formula/block_sums.h"
#include "lamarck/gp/toy_problem_fixture.h"

namespace lamarck::gp {
namespace {

using formula::Op;
using Row = std::vector<double>;

RegressionProblem plain_problem(std::size_t rows = 64) {
  return toy_problem({.rows = rows, .inputs = 2},
                     [](const Row& r) { return r[0] + r[1]; });
}

GpOptions small_library_options() {
  GpOptions options;
  options.library = 200;
  options.screened = 200;
  return options;
}

struct LibraryFixture {
  explicit LibraryFixture(const GpOptions& options = small_library_options(),
                          RegressionProblem rows = plain_problem())
      : problem(std::move(rows)),
        data(problem, GpLink::Identity, {}, Rng(1)),
        library(data, options, {0, 1}, Rng(2)) {}

  std::vector<double> values(const GpTree& tree) {
    std::vector<double> result(data.subset().rows);
    fitter.values(tree, data.subset(), result.data());
    return result;
  }
  // How often `screen` draws each tree.
  std::map<const GpTree*, int> drawn(const Screening& screening) const {
    std::map<const GpTree*, int> counts;
    for (std::uint64_t seed = 0; seed < 100; ++seed) {
      Rng rng(seed);
      ++counts[&library.screen(screening, data.subset().rows, rng)];
    }
    return counts;
  }

  RegressionProblem problem;
  GpData data;
  GpLibrary library;
  GpFitter fitter;
};

// The absolute cosine of the angle between two vectors.
double absolute_cosine(const std::vector<double>& a,
                       const std::vector<double>& b) {
  const std::size_t n = a.size();
  return std::fabs(formula::dot(a.data(), b.data(), n)) /
         std::sqrt(formula::dot(a.data(), a.data(), n) *
                   formula::dot(b.data(), b.data(), n));
}

TEST(GpLibrary, ContainsValidTreesOfInputs) {
  const LibraryFixture fixture;
  ASSERT_EQ(fixture.library.trees().size(), 200u);
  bool has_plain = false;
  for (const GpTree& tree : fixture.library.trees()) {
    EXPECT_TRUE(is_valid_tree(tree));
    EXPECT_TRUE(has_input(tree));
    EXPECT_LE(tree.size(), 12u);
    has_plain = has_plain || tree == gp_input(1);
  }
  EXPECT_TRUE(has_plain);
}

TEST(GpLibrary, KeepsFunctionsOfPairs) {
  LibraryFixture fixture;
  const GpTree wanted =
      gp_apply(Op::Cos, gp_apply(Op::Sub, gp_input(0), gp_input(1)));
  const auto has_wanted = [&] {
    const std::vector<GpTree>& trees = fixture.library.trees();
    return std::find(trees.begin(), trees.end(), wanted) != trees.end();
  };
  EXPECT_TRUE(has_wanted());
  Rng rng(1);
  for (int i = 0; i < 20; ++i) fixture.library.refresh({}, 100, rng);
  EXPECT_TRUE(has_wanted());
}

TEST(GpLibrary, RandomTreesUseOnlyAllowedFunctions) {
  GpOptions options = small_library_options();
  options.functions = {Op::Sin};
  options.has_powers = false;
  const LibraryFixture fixture(options);
  for (std::uint64_t seed = 0; seed < 500; ++seed) {
    Rng rng(seed);
    const GpTree tree = fixture.library.random_tree(rng, 3);
    ASSERT_TRUE(is_valid_tree(tree)) << "seed " << seed;
    for (const GpNode& node : tree) {
      // Squares and reciprocals are short forms of products and quotients.
      EXPECT_TRUE(node.op <= Op::Div || node.op == Op::Sin ||
                  node.op == Op::Square || node.op == Op::Reciprocal)
          << formula::operation(node.op).name << ", seed " << seed;
      EXPECT_LT(node.input, 2) << "seed " << seed;
    }
  }
}

TEST(GpLibrary, ScreenFindsTreeThatExplainsResidual) {
  LibraryFixture fixture;
  for (const std::size_t planted : {3u, 77u, 150u}) {
    const GpTree& tree = fixture.library.trees()[planted];
    std::vector<double> residual = fixture.values(tree);
    for (double& value : residual) value *= -1e-7;
    int exact = 0;
    for (const auto& [found, count] : fixture.drawn(
             {.residual = residual.data(), .weight = nullptr, .basis = {}})) {
      if (absolute_cosine(fixture.values(*found), residual) > 1 - 1e-6)
        exact += count;
    }
    EXPECT_GE(exact, 5) << planted;
  }
}

TEST(GpLibrary, ScreenFindsFactorOfWeight) {
  LibraryFixture fixture;
  const GpTree& planted = fixture.library.trees()[20];
  const std::vector<double> values = fixture.values(planted);
  std::vector<double> weight;
  std::vector<double> residual;
  for (std::size_t i = 0; i < values.size(); ++i) {
    weight.push_back(1e5 * std::sin(static_cast<double>(i)));
    residual.push_back(weight[i] * values[i]);
  }
  const auto counts = fixture.drawn(
      {.residual = residual.data(), .weight = weight.data(), .basis = {}});
  int exact = 0;
  for (const auto& [found, count] : counts) {
    if (absolute_cosine(fixture.values(*found), values) > 1 - 1e-6)
      exact += count;
  }
  EXPECT_GE(exact, 5);
}

TEST(GpLibrary, ScreenIgnoresTreesWithinBasis) {
  LibraryFixture fixture;
  const std::vector<double> known = fixture.values(gp_input(0));
  std::vector<double> unit = known;
  const double size =
      std::sqrt(formula::dot(known.data(), known.data(), known.size()));
  for (double& value : unit) value /= size;
  for (const auto& [found, count] : fixture.drawn({.residual = known.data(),
                                    .weight = nullptr,
                                    .basis = {unit.data()}})) {
    EXPECT_LT(absolute_cosine(fixture.values(*found), known), 1 - 1e-7);
  }
}

TEST(GpLibrary, ScreenReturnsTreeForDegenerateInput) {
  LibraryFixture fixture;
  const std::vector<double> zero(64, 0.0);
  const std::vector<double> bad(64, INFINITY);
  Rng rng(1);
  EXPECT_TRUE(is_valid_tree(fixture.library.screen(
      {.residual = zero.data(), .weight = zero.data(), .basis = {}}, 64, rng)));
  EXPECT_TRUE(is_valid_tree(fixture.library.screen(
      {.residual = zero.data(), .weight = bad.data(), .basis = {}}, 64, rng)));
}

TEST(GpLibrary, RestoresFromTrees) {
  LibraryFixture fixture;
  LibraryFixture other;
  Rng rng(3);
  fixture.library.refresh({gp_apply(Op::Sin, gp_input(1))}, 50, rng);
  EXPECT_NE(fixture.library.trees(), other.library.trees());
  other.library.restore(fixture.library.trees());
  EXPECT_EQ(fixture.library.trees(), other.library.trees());

  const std::vector<double> residual = fixture.values(gp_input(0));
  const Screening screening{
      .residual = residual.data(), .weight = nullptr, .basis = {}};
  for (std::uint64_t seed = 0; seed < 50; ++seed) {
    Rng one(seed);
    Rng two(seed);
    EXPECT_EQ(fixture.library.screen(screening, 64, one),
              other.library.screen(screening, 64, two))
        << "seed " << seed;
  }
}

TEST(GpLibrary, HandlesConstantInputs) {
  auto problem = plain_problem(20);
  for (auto& column : problem.inputs) {
    std::fill(column.begin(), column.end(), 2.0);
  }
  GpOptions options = small_library_options();
  options.library = 20;
  const LibraryFixture fixture(options, problem);
  for (const GpTree& tree : fixture.library.trees()) {
    EXPECT_TRUE(is_valid_tree(tree));
  }
}

TEST(GpLibrary, StopsWhenCancelled) {
  CancelSource source;
  source.cancel("");
  const RegressionProblem problem = plain_problem();
  const GpData data(problem, GpLink::Identity, {}, Rng(1));
  const GpLibrary library(data, small_library_options(), {0, 1}, Rng(2), false,
                          source.token());
  // No tree was tried, so the rest was filled with the first input.
  for (const GpTree& tree : library.trees()) EXPECT_EQ(tree, gp_input(0));
}

}  // namespace
}  // namespace lamarck::gp
