#include "lamarck/data/metrics.h"

#include <gtest/gtest.h>

#include <cmath>
#include <set>

#include "lamarck/base/error.h"

namespace lamarck::data {
namespace {

// Unless noted otherwise, the expected numbers come from scikit-learn 1.2.1.

TEST(Metrics, ClassificationAgreesWithScikitLearn) {
  const Tensor targets = Tensor::from({10}, {0, 0, 0, 1, 1, 2, 2, 2, 2, 4});
  const Tensor predictions = Tensor::from({10}, {0, 0, 0, 0, 1, 2, 2, 0, 1, 3});
  EXPECT_DOUBLE_EQ(accuracy(predictions, targets), 0.6);
  EXPECT_DOUBLE_EQ(precision(predictions, targets), 0.42);
  EXPECT_DOUBLE_EQ(recall(predictions, targets), 0.4);
  EXPECT_DOUBLE_EQ(f1(predictions, targets), 0.3833333333333333);
  EXPECT_DOUBLE_EQ(f1(predictions, targets, Average::Micro), 0.6);
}

TEST(Metrics, AcceptProbabilitiesAndOneHotRows) {
  const Tensor probabilities =
      Tensor::rows({{0.7f, 0.2f, 0.1f}, {0.1f, 0.3f, 0.6f}, {0, 1, 0}});
  const Tensor targets = Tensor::rows({{1, 0, 0}, {0, 1, 0}, {0, 1, 0}});
  EXPECT_DOUBLE_EQ(accuracy(probabilities, targets), 2.0 / 3);
  EXPECT_DOUBLE_EQ(accuracy(probabilities, Tensor::from({3}, {0, 1, 1})),
                   2.0 / 3);
}

TEST(Metrics, AcceptProbabilityOfClassOne) {
  const Tensor predictions = Tensor::from({4, 1}, {0.1f, 0.8f, 0.4f, 0.2f});
  const Tensor targets = Tensor::from({4, 1}, {0, 1, 1, 0});
  EXPECT_DOUBLE_EQ(accuracy(predictions, targets), 0.75);
  EXPECT_DOUBLE_EQ(f1(predictions, targets), 0.7333333333333334);
}

TEST(Metrics, RegressionAgreesWithScikitLearn) {
  const Tensor targets = Tensor::from({4}, {3, -0.5f, 2, 7});
  const Tensor predictions = Tensor::from({4, 1}, {2.5f, 0, 2, 8});
  EXPECT_DOUBLE_EQ(r2(predictions, targets), 0.9486081370449679);
  EXPECT_DOUBLE_EQ(mean_squared_error(predictions, targets), 0.375);
  EXPECT_DOUBLE_EQ(root_mean_squared_error(predictions, targets),
                   0.6123724356957945);
  EXPECT_DOUBLE_EQ(mean_absolute_error(predictions, targets), 0.5);
}

TEST(Metrics, MultiColumnRegressionAgreesWithScikitLearn) {
  const Tensor targets = Tensor::rows({{0.5f, 1}, {-1, 1}, {7, -6}});
  const Tensor predictions = Tensor::rows({{0, 2}, {-1, 2}, {8, -5}});
  EXPECT_DOUBLE_EQ(r2(predictions, targets), 0.9368005266622779);
  EXPECT_DOUBLE_EQ(mean_squared_error(predictions, targets),
                   0.7083333333333334);
  EXPECT_DOUBLE_EQ(mean_absolute_error(predictions, targets), 0.75);
}

TEST(Metrics, R2OfConstantTargetsIsOneOrZero) {
  // The computed mean of 0.1 is inexact, yet the targets are constant.
  const Tensor constant = Tensor::full({7}, 0.1f);
  EXPECT_EQ(r2(constant, constant), 1.0);
  EXPECT_EQ(r2(Tensor::range(7), constant), 0.0);
  EXPECT_EQ(r2(Tensor::full({1}, 2), Tensor::full({1}, 3)), 0.0);
}

TEST(Metrics, RegressionIsNanForNanPrediction) {
  const Tensor targets = Tensor::range(2);
  const Tensor predictions = Tensor::from({2}, {0, NAN});
  EXPECT_TRUE(std::isnan(mean_squared_error(predictions, targets)));
  EXPECT_TRUE(std::isnan(r2(predictions, targets)));
}

TEST(Metrics, RejectMismatchedAndEmptyTensors) {
  const Tensor two = Tensor::range(2);
  const Tensor three = Tensor::range(3);
  for (const Metric& metric : metric_table()) {
    EXPECT_THROW(metric.function(two, three), LogicError) << metric.name;
    EXPECT_THROW(metric.function(Tensor::zeros({0}), Tensor::zeros({0})),
                 LogicError)
        << metric.name;
    EXPECT_THROW(metric.function(Tensor(), Tensor()), LogicError)
        << metric.name;
  }
  EXPECT_THROW(accuracy(Tensor::from({2}, {0, NAN}), two), LogicError);
  EXPECT_THROW(r2(Tensor::zeros({2, 3}), Tensor::zeros({3, 2})), LogicError);
}

TEST(EveryMetric, DeclaresItsDirection) {
  std::set<std::string_view> names;
  const Tensor targets = Tensor::from({4}, {0, 1, 1, 0});
  const Tensor worse = Tensor::from({4}, {1, 1, 0, 0});
  for (const Metric& metric : metric_table()) {
    EXPECT_TRUE(names.insert(metric.name).second) << metric.name;
    EXPECT_FALSE(metric.what.empty()) << metric.name;
    const double best = metric.function(targets, targets);
    const double bad = metric.function(worse, targets);
    EXPECT_EQ(best, metric.higher_is_better ? 1 : 0) << metric.name;
    EXPECT_EQ(best > bad, metric.higher_is_better) << metric.name;
    EXPECT_EQ(find_metric(metric.name)->function, metric.function);
  }
}

TEST(EveryMetric, IsSuggestedForSimilarName) {
  EXPECT_EQ(find_metric("acuracy").error().message(),
            "Unknown metric 'acuracy'; did you mean 'accuracy'?");
  EXPECT_EQ(find_metric("beauty").error().message(),
            "Unknown metric 'beauty'; use one of accuracy, precision, "
            "recall, f1, r2, mse, rmse, mae.");
  EXPECT_EQ(find_metric("").error().code(), ErrorCode::InvalidArgument);
}

}  // namespace
}  // namespace lamarck::data
