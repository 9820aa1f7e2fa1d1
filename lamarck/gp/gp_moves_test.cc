#include "lamarck/gp/gp_moves.h"

#include <algorithm>
#include <set>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "lamarck/gp/gp_normalise.h"
#include "lamarck/gp/toy_problem_fixture.h"

namespace lamarck::gp {
namespace {

using formula::Op;
using Row = std::vector<double>;

// Rows, a library and fitted models to apply moves to.
struct MoveFixture {
  explicit MoveFixture(GpOptions with, GpLink link = GpLink::Identity)
      : options(std::move(with)),
        problem(toy_problem({.rows = 40, .inputs = 2},
                            [](const Row& r) { return 1 + r[0] * r[1]; })),
        data(problem, link, {}, Rng(1)),
        library(data, options, {0, 1}, Rng(2)) {}

  // A random fitted model of trees like those of the library.
  GpModel model(Rng& rng) {
    while (true) {
      GpModel model;
      const std::size_t terms = 1 + rng.below(3);
      for (std::size_t t = 0; t < terms; ++t) {
        model.terms.push_back(library.random_tree(rng, 2));
      }
      normalize(model);
      if (is_allowed(model, options) && fitter.fit(model, data.subset(), {})) {
        return model;
      }
    }
  }
  std::optional<GpModel> moved(const GpMove& move, const GpModel& parent,
                               const GpModel& mate, Rng& rng) {
    GpMoveContext context{.data = data,
                          .library = library,
                          .options = options,
                          .fitter = fitter,
                          .mate = mate,
                          .rng = rng};
    return move.apply(parent, context);
  }

  GpOptions options;
  RegressionProblem problem;
  GpData data;
  GpLibrary library;
  GpFitter fitter;
};

GpOptions small_move_options() {
  GpOptions options;
  options.library = 100;
  options.screened = 50;
  return options;
}

bool is_of(const GpModel& model, const std::set<Op>& ops, std::size_t inputs) {
  return std::all_of(
      model.terms.begin(), model.terms.end(), [&](const GpTree& term) {
        return is_valid_tree(term) &&
               std::all_of(term.begin(), term.end(), [&](const GpNode& node) {
                 return ops.contains(node.op) && node.input < inputs;
               });
      });
}

std::set<Op> ops_of(const GpOptions& options) {
  // Squares and cubes are short forms of products, so they are always allowed.
  std::set<Op> ops = {Op::Constant, Op::Input, Op::Add,    Op::Sub,
                      Op::Mul,      Op::Div,   Op::Square, Op::Cube};
  ops.insert(options.functions.begin(), options.functions.end());
  if (options.has_powers) ops.insert(Op::Pow);
  return ops;
}

// Applies every move with many seeds. Returns the names of those that applied.
std::set<std::string> check_moves(MoveFixture& fixture, std::uint64_t seeds,
                                  const std::set<Op>& ops) {
  std::set<std::string> applied;
  for (const GpMove& move : gp_moves()) {
    for (std::uint64_t seed = 0; seed < seeds; ++seed) {
      Rng rng(seed);
      const GpModel parent = fixture.model(rng);
      const GpModel mate = fixture.model(rng);
      const GpModel before = parent;
      const auto child = fixture.moved(move, parent, mate, rng);
      if (!child) continue;
      applied.emplace(move.name);
      EXPECT_TRUE(is_of(*child, ops, 2)) << move.name << ", seed " << seed;
      EXPECT_LE(child->terms.size(), fixture.options.max_terms) << move.name;
      EXPECT_EQ(parent.terms, before.terms) << move.name;
    }
  }
  return applied;
}

TEST(GpMoves, HaveUniqueNamesAndPositiveWeights) {
  std::set<std::string_view> names;
  for (const GpMove& move : gp_moves()) {
    EXPECT_TRUE(names.insert(move.name).second) << move.name;
    EXPECT_FALSE(move.name.empty());
    EXPECT_GT(move.weight, 0) << move.name;
  }
}

TEST(GpMoves, YieldValidTreesAndAllApply) {
  MoveFixture fixture(small_move_options());
  std::set<Op> ops = ops_of(fixture.options);
  ops.insert(Op::Neg);  // The short form of 0 - x.
  EXPECT_EQ(check_moves(fixture, 60, ops).size(), gp_moves().size());
}

TEST(GpMoves, ApplyWithLink) {
  MoveFixture fixture(small_move_options(), GpLink::Log);
  std::set<Op> ops = ops_of(fixture.options);
  ops.insert(Op::Neg);
  EXPECT_EQ(check_moves(fixture, 30, ops).size(), gp_moves().size());
}

TEST(GpMoves, UseOnlyAllowedFunctions) {
  GpOptions options = small_move_options();
  options.functions = {Op::Sin};
  options.has_powers = false;
  options.max_terms = 3;
  MoveFixture fixture(options);
  std::set<Op> ops = ops_of(options);
  ops.insert({Op::Neg, Op::Reciprocal});  // Short forms of 0 - x and 1 / x.
  check_moves(fixture, 30, ops);
}

TEST(GpMoves, ApplyWithoutFunctions) {
  GpOptions options = small_move_options();
  options.functions = {};
  MoveFixture fixture(options);
  std::set<Op> ops = ops_of(options);
  ops.insert({Op::Neg, Op::Reciprocal});
  check_moves(fixture, 30, ops);
}

TEST(GpMoves, AreDeterministic) {
  MoveFixture fixture(small_move_options());
  for (const GpMove& move : gp_moves()) {
    for (std::uint64_t seed = 0; seed < 5; ++seed) {
      Rng rng(seed);
      const GpModel parent = fixture.model(rng);
      Rng again = rng;
      const auto one = fixture.moved(move, parent, parent, rng);
      const auto two = fixture.moved(move, parent, parent, again);
      ASSERT_EQ(one.has_value(), two.has_value()) << move.name;
      if (!one) continue;
      EXPECT_EQ(one->terms, two->terms) << move.name;
    }
  }
}

}  // namespace
}  // namespace lamarck::gp
