#include "lamarck/formula/formula_operation.h"

#include <cmath>
#include <limits>

#include <gtest/gtest.h>

#include "lamarck/base/error.h"

namespace lamarck::formula {
namespace {

constexpr double kInf = std::numeric_limits<double>::infinity();
constexpr double kNaN = std::numeric_limits<double>::quiet_NaN();

TEST(Operation, NamesRoundTrip) {
  for (const Operation& entry : operations()) {
    EXPECT_EQ(find_op(entry.name), entry.op) << entry.name;
    EXPECT_EQ(&operation(entry.op), &entry) << entry.name;
  }
  EXPECT_EQ(find_op("sinus"), std::nullopt);
}

TEST(Operation, IsFiniteOnTestInterval) {
  for (const Operation& entry : operations()) {
    if (entry.arity == 0) continue;
    for (const double x :
         {entry.low, (entry.low + entry.high) / 2, entry.high}) {
      EXPECT_TRUE(std::isfinite(apply(entry.op, x, entry.high, entry.low)))
          << entry.name << " of " << x;
    }
  }
}

TEST(Operation, MatchesNumpyOutsideDomain) {
  EXPECT_TRUE(std::isnan(apply(Op::Log, -1)));
  EXPECT_EQ(apply(Op::Log, 0), -kInf);
  EXPECT_TRUE(std::isnan(apply(Op::Div, 0, 0)));
  EXPECT_EQ(apply(Op::Div, 1, 0), kInf);
  EXPECT_EQ(apply(Op::Reciprocal, -0.0), -kInf);
  EXPECT_TRUE(std::isnan(apply(Op::Pow, -1, 0.5)));
  EXPECT_EQ(apply(Op::Pow, 0, 0), 1);
  EXPECT_TRUE(std::isnan(apply(Op::Mod, 1, 0)));
}

TEST(Operation, MinimumMaximumAndSignPropagateNan) {
  EXPECT_TRUE(std::isnan(apply(Op::Minimum, kNaN, 1)));
  EXPECT_TRUE(std::isnan(apply(Op::Minimum, 1, kNaN)));
  EXPECT_TRUE(std::isnan(apply(Op::Maximum, kNaN, 1)));
  EXPECT_TRUE(std::isnan(apply(Op::Maximum, 1, kNaN)));
  EXPECT_TRUE(std::isnan(apply(Op::Sign, kNaN)));
  EXPECT_EQ(apply(Op::Sign, -0.0), 0);
}

TEST(Operation, ModHasSignOfDivisor) {
  EXPECT_EQ(apply(Op::Mod, 7, 3), 1);
  EXPECT_EQ(apply(Op::Mod, -7, 3), 2);
  EXPECT_EQ(apply(Op::Mod, 7, -3), -2);
  EXPECT_EQ(apply(Op::Mod, -7, -3), -1);
  EXPECT_TRUE(std::signbit(apply(Op::Mod, 6, -3)));
}

TEST(Operation, TruthValuesAreOneAndZero) {
  EXPECT_EQ(apply(Op::And, 2, -3), 1);
  EXPECT_EQ(apply(Op::Or, 0, 0), 0);
  EXPECT_EQ(apply(Op::Not, 0.5), 0);
  EXPECT_EQ(apply(Op::Less, kNaN, 1), 0);
  EXPECT_EQ(apply(Op::NotEqual, kNaN, kNaN), 1);
  EXPECT_EQ(apply(Op::Where, kNaN, 1, 2), 1);
}

TEST(Operation, RoundsHalvesToEven) {
  EXPECT_EQ(apply(Op::Round, 2.5), 2);
  EXPECT_EQ(apply(Op::Round, 3.5), 4);
  EXPECT_EQ(apply(Op::Round, -0.5), 0);
}

TEST(Operation, RejectsApplyingLeaf) {
  EXPECT_THROW(apply(Op::Input, 1), LogicError);
}

}  // namespace
}  // namespace lamarck::formula
