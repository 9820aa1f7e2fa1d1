#include "lamarck/data/normalisation.h"

#include <gtest/gtest.h>

#include <cmath>
#include <nlohmann/json.hpp>

#include "lamarck/base/error.h"
#include "lamarck/base/rng.h"

namespace lamarck::data {
namespace {

TEST(Normalization, StandardGivesMeanZeroAndDeviationOne) {
  // The mean is 3; the population standard deviation is sqrt(2).
  const Tensor rows = Tensor::from({5, 1}, {1, 2, 3, 4, 5});
  const Normalization fitted = Normalization::fit(rows);
  EXPECT_EQ(fitted.shift()[0], 3);
  EXPECT_FLOAT_EQ(fitted.scale()[0], std::sqrt(2.0f));
  EXPECT_NEAR(fitted.apply(rows).at({4, 0}), 1.41421356, 1e-6);
}

TEST(Normalization, MinMaxMapsToUnitInterval) {
  const Tensor rows = Tensor::rows({{-1, 10}, {3, 30}, {1, 20}});
  const Normalization fitted =
      Normalization::fit(rows, NormalizationKind::MinMax);
  EXPECT_EQ(fitted.apply(rows).to_string(), "[[0, 0], [1, 1], [0.5, 0.5]]");
  EXPECT_EQ(fitted.apply(Tensor::rows({{7, 0}})).to_string(), "[[2, -0.5]]");
}

TEST(Normalization, ConstantColumnBecomesZeroAndInverts) {
  // The computed mean of 0.1 is inexact, yet the column is constant.
  const Tensor rows = Tensor::full({1000, 2}, 0.1f);
  for (const auto kind :
       {NormalizationKind::Standard, NormalizationKind::MinMax}) {
    const Normalization fitted = Normalization::fit(rows, kind);
    EXPECT_EQ(fitted.apply(rows).at({999, 1}), 0);
    EXPECT_FLOAT_EQ(fitted.apply(Tensor::full({1, 2}, 0.3f)).at({0, 0}), 0.2f);
    EXPECT_EQ(max_difference(fitted.invert(fitted.apply(rows)), rows), 0);
  }
}

TEST(Normalization, InvertsForEverySeed) {
  for (std::uint64_t seed = 0; seed < 100; ++seed) {
    Rng rng(seed);
    const auto count = static_cast<std::int64_t>(1 + rng.below(20));
    const Tensor rows = Tensor::randn({count, 2, 3}, rng);
    const auto kind =
        seed % 2 == 0 ? NormalizationKind::Standard : NormalizationKind::MinMax;
    const Normalization fitted = Normalization::fit(rows, kind);
    EXPECT_EQ(fitted.column_count(), 6u);
    EXPECT_LT(max_difference(fitted.invert(fitted.apply(rows)), rows), 1e-5)
        << "seed " << seed;
  }
}

TEST(Normalization, AcceptsViewsAndKeepsArgumentUnchanged) {
  const Tensor rows = Tensor::rows({{1, 2, 3}, {3, 2, 7}});
  const Tensor view = rows.transpose();
  const Normalization fitted =
      Normalization::fit(view, NormalizationKind::MinMax);
  EXPECT_EQ(fitted.apply(view).to_string(), "[[0, 0.2], [0.5, 0], [1, 1]]");
  EXPECT_EQ(rows.to_string(), "[[1, 2, 3], [3, 2, 7]]");
}

TEST(Normalization, RoundTripsThroughJsonExactly) {
  for (std::uint64_t seed = 0; seed < 50; ++seed) {
    Rng rng(seed);
    const Normalization fitted = Normalization::fit(Tensor::randn({9, 4}, rng));
    const auto json = parse_json(dump_json(fitted.to_json())).value();
    EXPECT_EQ(Normalization::from_json(json).value(), fitted)
        << "seed " << seed;
  }
}

TEST(Normalization, RejectsDamagedJsonAndInvalidArguments) {
  for (const char* text :
       {"[]", "{}", R"({"shift": [1]})", R"({"shift": 1, "scale": 1})",
        R"({"shift": [1], "scale": [1, 2]})", R"({"shift": [1], "scale": [0]})",
        R"({"shift": ["x"], "scale": [1]})", R"({"shift": [1], "scale": [-1]})",
        R"({"shift": {"a": 1}, "scale": [1]})",
        R"({"shift": [1], "scale": [1e300]})"}) {
    EXPECT_FALSE(Normalization::from_json(Json::parse(text))) << text;
  }
  EXPECT_THROW(Normalization::fit(Tensor::zeros({0, 3})), LogicError);
  EXPECT_THROW(Normalization::fit(Tensor::from({2}, {1, NAN})), LogicError);
  EXPECT_THROW(Normalization::fit(Tensor()), LogicError);
  const Normalization fitted = Normalization::fit(Tensor::zeros({2, 3}));
  EXPECT_THROW(fitted.apply(Tensor::zeros({2, 4})), LogicError);
  EXPECT_THROW(fitted.invert(Tensor::zeros({3})), LogicError);
}

}  // namespace
}  // namespace lamarck::data
