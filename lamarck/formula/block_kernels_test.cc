#include "lamarck/formula/block_kernels.h"

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstdint>
#include <limits>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "lamarck/base/rng.h"

namespace lamarck::formula {
namespace {

constexpr double kInfinity = std::numeric_limits<double>::infinity();
constexpr double kNan = std::numeric_limits<double>::quiet_NaN();

std::vector<Op> inner_operations() {
  std::vector<Op> ops;
  for (const Operation& operation : operations()) {
    if (operation.arity > 0) ops.push_back(operation.op);
  }
  return ops;
}

std::int64_t ordered_bits(double x) {
  const auto bits = std::bit_cast<std::int64_t>(x);
  return bits < 0 ? std::numeric_limits<std::int64_t>::min() - bits : bits;
}

// The number of doubles between a and b. All NaNs count as equal.
double distance_in_ulps(double a, double b) {
  if (std::isnan(a) || std::isnan(b)) {
    return std::isnan(a) == std::isnan(b) ? 0 : kInfinity;
  }
  const std::int64_t x = ordered_bits(a), y = ordered_bits(b);
  return static_cast<double>(static_cast<std::uint64_t>(std::max(x, y)) -
                             static_cast<std::uint64_t>(std::min(x, y)));
}

struct Arguments {
  std::vector<double> a, b, c;

  void add(double x, double y, double z) {
    a.push_back(x);
    b.push_back(y);
    c.push_back(z);
  }
  void pad() {
    while (a.size() % kBlockStep != 0) add(1, 1, 1);
  }
};

std::vector<double> applied(Op op, const Arguments& x) {
  std::vector<double> out(x.a.size());
  apply_block(op, x.a.data(), x.b.data(), x.c.data(), out.data(), out.size());
  return out;
}

void expect_close_to_apply(Op op, const Arguments& x, double ulps) {
  const std::vector<double> out = applied(op, x);
  for (std::size_t i = 0; i < out.size(); ++i) {
    const double expected = apply(op, x.a[i], x.b[i], x.c[i]);
    ASSERT_LE(distance_in_ulps(out[i], expected), ulps)
        << operation(op).name << "(" << x.a[i] << ", " << x.b[i] << ", "
        << x.c[i] << ") is " << out[i] << ", should be " << expected;
  }
}

Arguments random_arguments(Op op, std::size_t rows, Rng& rng) {
  const Operation& entry = operation(op);
  Arguments x;
  for (std::size_t i = 0; i < rows; ++i) {
    x.add(rng.uniform(entry.low, entry.high),
          rng.uniform(entry.low, entry.high),
          rng.uniform(entry.low, entry.high));
  }
  return x;
}

class BlockKernels : public testing::TestWithParam<Op> {};

INSTANTIATE_TEST_SUITE_P(Operations, BlockKernels,
                         testing::ValuesIn(inner_operations()),
                         [](const auto& entry) {
                           return std::string(operation(entry.param).name);
                         });

TEST_P(BlockKernels, AgreeWithApplyInUsualRange) {
  Rng rng(1);
  expect_close_to_apply(GetParam(), random_arguments(GetParam(), 8000, rng), 4);
}

TEST_P(BlockKernels, AgreeWithApplyForAllMagnitudes) {
  Rng rng(2);
  Arguments x;
  const auto draw = [&] {
    const double size = std::exp2(rng.uniform(-1074, 1024));
    return rng.below(2) == 0 ? size : -size;
  };
  for (int i = 0; i < 8000; ++i) x.add(draw(), draw(), draw());
  expect_close_to_apply(GetParam(), x, 4);
}

TEST_P(BlockKernels, AgreeWithApplyForMediumMagnitudes) {
  Rng rng(3);
  Arguments x;
  const auto draw = [&] {
    return rng.uniform(-1, 1) * std::exp2(rng.uniform(-30, 16));
  };
  for (int i = 0; i < 16000; ++i) x.add(draw(), draw(), draw());
  expect_close_to_apply(GetParam(), x, 4);
}

TEST_P(BlockKernels, AgreeWithApplyForSpecialValues) {
  const double tiny = std::numeric_limits<double>::denorm_min();
  const double smallest_normal = std::numeric_limits<double>::min();
  const double largest = std::numeric_limits<double>::max();
  const double pi = 3.14159265358979323846;
  const std::vector<double> specials = {0,
                                        0.5,
                                        1,
                                        2,
                                        3,
                                        10,
                                        1.5,
                                        2.5,
                                        pi,
                                        pi / 2,
                                        tiny,
                                        largest,
                                        smallest_normal,
                                        1e-16,
                                        1e16,
                                        1e9,
                                        709.7,
                                        710.5,
                                        744,
                                        745.2,
                                        37,
                                        1000,
                                        1 - 1e-16,
                                        1 + 3e-16,
                                        0.25,
                                        8,
                                        1024,
                                        39000,
                                        39001,
                                        4503599627370497.5,
                                        kNan,
                                        kInfinity,
                                        std::nextafter(1.0, 2.0),
                                        355,
                                        22,
                                        1e22};
  Arguments x;
  for (const double a : specials) {
    for (const double b : specials) {
      for (const double s : {1.0, -1.0}) {
        for (const double t : {1.0, -1.0}) x.add(s * a, t * b, 3);
      }
    }
  }
  x.pad();
  expect_close_to_apply(GetParam(), x, 4);
}

TEST_P(BlockKernels, ComputeBlocksOfEveryLength) {
  Rng rng(4);
  for (std::size_t rows = kBlockStep; rows <= 512; rows += kBlockStep) {
    const Arguments x = random_arguments(GetParam(), rows, rng);
    std::vector<double> out(rows + 1, -77);
    apply_block(GetParam(), x.a.data(), x.b.data(), x.c.data(), out.data(),
                rows);
    const double last =
        apply(GetParam(), x.a[rows - 1], x.b[rows - 1], x.c[rows - 1]);
    ASSERT_LE(distance_in_ulps(out[rows - 1], last), 4) << rows;
    ASSERT_EQ(out[rows], -77) << rows;
  }
}

TEST_P(BlockKernels, WorkInPlace) {
  Rng rng(5);
  const Arguments x = random_arguments(GetParam(), 64, rng);
  const std::vector<double> expected = applied(GetParam(), x);
  Arguments y = x;
  apply_block(GetParam(), y.a.data(), y.b.data(), y.c.data(), y.a.data(), 64);
  EXPECT_EQ(y.a, expected);
}

TEST_P(BlockKernels, RowsAreIndependent) {
  Rng rng(6);
  const Arguments x = random_arguments(GetParam(), 64, rng);
  Arguments y = x;
  for (std::size_t i = 0; i < 64; i += 2) y.a[i] = i % 4 == 0 ? kNan : 1e300;
  const std::vector<double> alone = applied(GetParam(), x);
  const std::vector<double> beside = applied(GetParam(), y);
  for (std::size_t i = 1; i < 64; i += 2) {
    EXPECT_EQ(std::bit_cast<std::uint64_t>(alone[i]),
              std::bit_cast<std::uint64_t>(beside[i]));
  }
}

TEST_P(BlockKernels, BroadcastNumberOperand) {
  if (operation(GetParam()).arity != 2) return;
  Rng rng(7);
  Arguments x = random_arguments(GetParam(), 64, rng);
  Arguments first = x, second = x;
  first.a.assign(64, x.a[0]);
  second.b.assign(64, x.b[0]);
  std::vector<double> out(64);
  forward_kernel(GetParam(), Operands::FirstIsNumber)(x.a.data(), x.b.data(),
                                                      nullptr, out.data(), 64);
  EXPECT_EQ(out, applied(GetParam(), first));
  forward_kernel(GetParam(), Operands::SecondIsNumber)(x.a.data(), x.b.data(),
                                                       nullptr, out.data(), 64);
  EXPECT_EQ(out, applied(GetParam(), second));
}

TEST(BlockPowers, IntegerExponentsUseProducts) {
  Rng rng(10);
  Arguments x = random_arguments(Op::Mul, 64, rng);
  x.a[0] = 0;
  std::vector<double> out(64);
  for (double exponent = -9; exponent <= 9; ++exponent) {
    forward_kernel(Op::Pow, Operands::SecondIsNumber)(x.a.data(), &exponent,
                                                      nullptr, out.data(), 64);
    for (std::size_t i = 0; i < 64; ++i) {
      ASSERT_LE(distance_in_ulps(out[i], std::pow(x.a[i], exponent)), 5)
          << x.a[i] << " ** " << exponent;
    }
  }
}

struct Slopes {
  std::vector<double> a, b, c;
};

// The slopes for an adjoint of 1, added to `initial`.
Slopes slopes_of(Op op, const Arguments& x, double initial = 0) {
  const std::size_t rows = x.a.size();
  const std::vector<double> out = applied(op, x), adjoint(rows, 1.0);
  const std::vector<double> before(rows, initial);
  Slopes slopes{before, before, before};
  backpropagate_block(op, x.a.data(), x.b.data(), x.c.data(), out.data(),
                      adjoint.data(), slopes.a.data(), slopes.b.data(),
                      slopes.c.data(), rows);
  return slopes;
}

// Five-point formula; the error is of fourth order in the step.
template <class F>
double central_difference(F&& f, double x) {
  const double h = 1e-3;
  return (8 * (f(x + h) - f(x - h)) - (f(x + 2 * h) - f(x - 2 * h))) / (12 * h);
}

TEST_P(BlockKernels, SlopesAgreeWithCentralDifferences) {
  if (!operation(GetParam()).is_smooth) return;
  const Op op = GetParam();
  Rng rng(8);
  const Arguments x = random_arguments(op, 512, rng);
  const Slopes slopes = slopes_of(op, x);
  for (std::size_t i = 0; i < 512; ++i) {
    const double by_a = central_difference(
        [&](double a) { return apply(op, a, x.b[i]); }, x.a[i]);
    ASSERT_NEAR(slopes.a[i], by_a, 1e-8 * (1 + std::abs(by_a)))
        << x.a[i] << ", " << x.b[i];
    if (operation(op).arity < 2) continue;
    const double by_b = central_difference(
        [&](double b) { return apply(op, x.a[i], b); }, x.b[i]);
    ASSERT_NEAR(slopes.b[i], by_b, 1e-8 * (1 + std::abs(by_b)))
        << x.a[i] << ", " << x.b[i];
  }
}

TEST_P(BlockKernels, SlopesAreAddedOrOverwritten) {
  Rng rng(9);
  const Arguments x = random_arguments(GetParam(), 64, rng);
  const Slopes zero = slopes_of(GetParam(), x);
  const Slopes ten = slopes_of(GetParam(), x, 10);
  const std::vector<double> out = applied(GetParam(), x), adjoint(64, 1.0);
  std::vector<double> written(64, kNan);
  backward_kernel(GetParam(), Operands::Blocks)({x.a.data(),
                                                 x.b.data(),
                                                 x.c.data(),
                                                 out.data(),
                                                 adjoint.data(),
                                                 {written.data(), false},
                                                 {},
                                                 {}},
                                                64);
  EXPECT_EQ(written, zero.a);
  for (std::size_t i = 0; i < 64; ++i) {
    ASSERT_NEAR(ten.a[i], zero.a[i] + 10, 1e-12 * std::abs(ten.a[i]));
  }
}

TEST_P(BlockKernels, ZeroAdjointYieldsZeroSlope) {
  Arguments x;
  for (const double a : {0.0, kInfinity, -kInfinity, kNan, 1e300, -1.0}) {
    for (const double b : {0.0, kInfinity, kNan, 1e300}) x.add(a, b, 0);
  }
  const std::size_t rows = x.a.size();
  const std::vector<double> out = applied(GetParam(), x), adjoint(rows, 0.0);
  std::vector<double> da(rows), db(rows), dc(rows);
  backpropagate_block(GetParam(), x.a.data(), x.b.data(), x.c.data(),
                      out.data(), adjoint.data(), da.data(), db.data(),
                      dc.data(), rows);
  EXPECT_EQ(da, std::vector<double>(rows));
  EXPECT_EQ(db, std::vector<double>(rows));
  EXPECT_EQ(dc, std::vector<double>(rows));
}

// The slopes at one point.
std::vector<double> slopes_at(Op op, double a, double b = 0, double c = 0) {
  Arguments x;
  x.add(a, b, c);
  x.pad();
  const Slopes slopes = slopes_of(op, x);
  return {slopes.a[0], slopes.b[0], slopes.c[0]};
}

TEST(BlockSlopes, StepFunctionsHaveZeroSlope) {
  for (const Op op :
       {Op::Less, Op::LessEqual, Op::Equal, Op::NotEqual, Op::And, Op::Or,
        Op::Sign, Op::Floor, Op::Ceil, Op::Round, Op::Not}) {
    EXPECT_EQ(slopes_at(op, 1.25, 1.25), (std::vector<double>{0, 0, 0}))
        << operation(op).name;
  }
}

TEST(BlockSlopes, CornersUseOneSidedSlopes) {
  using Row = std::vector<double>;
  EXPECT_EQ(slopes_at(Op::Abs, -2), (Row{-1, 0, 0}));
  EXPECT_EQ(slopes_at(Op::Abs, 0), (Row{0, 0, 0}));
  EXPECT_EQ(slopes_at(Op::Minimum, 1, 2), (Row{1, 0, 0}));
  EXPECT_EQ(slopes_at(Op::Minimum, 2, 1), (Row{0, 1, 0}));
  EXPECT_EQ(slopes_at(Op::Minimum, 1, 1), (Row{1, 0, 0}));
  EXPECT_EQ(slopes_at(Op::Maximum, 1, 2), (Row{0, 1, 0}));
  EXPECT_EQ(slopes_at(Op::Maximum, 2, 1), (Row{1, 0, 0}));
  EXPECT_EQ(slopes_at(Op::Maximum, 1, 1), (Row{1, 0, 0}));
  EXPECT_EQ(slopes_at(Op::Where, 1, 5, 6), (Row{0, 1, 0}));
  EXPECT_EQ(slopes_at(Op::Where, 0, 5, 6), (Row{0, 0, 1}));
  EXPECT_EQ(slopes_at(Op::Mod, 7, 2), (Row{1, -3, 0}));
  EXPECT_EQ(slopes_at(Op::Mod, -7, 2), (Row{1, 4, 0}));
  EXPECT_EQ(slopes_at(Op::Hypot, 0, 0), (Row{0, 0, 0}));
}

TEST(BlockSlopes, PowerSlopesHoldForEveryBase) {
  using Row = std::vector<double>;
  EXPECT_EQ(slopes_at(Op::Pow, 0, 2), (Row{0, 0, 0}));
  EXPECT_EQ(slopes_at(Op::Pow, 0, 1), (Row{1, 0, 0}));
  EXPECT_EQ(slopes_at(Op::Pow, 0, 0), (Row{0, 0, 0}));
  EXPECT_EQ(slopes_at(Op::Pow, -2, 3), (Row{12, 0, 0}));
  EXPECT_EQ(slopes_at(Op::Pow, -2, 0), (Row{0, 0, 0}));
}

}  // namespace
}  // namespace lamarck::formula
