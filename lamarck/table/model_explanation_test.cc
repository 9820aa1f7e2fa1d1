#include "lamarck/table/model_explanation.h"

#include <gtest/gtest.h>

#include "lamarck/base/rng.h"

namespace lamarck::table {
namespace {

using data::Column;
using data::ColumnKind;
using data::Table;

// y = 5 x; z is noise.
Table slope(bool has_classes) {
  Rng rng(2);
  Column x{.name = "x"};
  Column z{.name = "z"};
  Column y{.name = "y"};
  for (int row = 0; row < 300; ++row) {
    x.numbers.push_back(rng.normal(10, 2));
    z.numbers.push_back(rng.normal());
    y.numbers.push_back(5 * x.numbers.back());
  }
  if (has_classes) {
    y.kind = ColumnKind::Category;
    y.values = {"low", "high"};
    for (const double value : y.numbers) y.codes.push_back(value > 50 ? 1 : 0);
    y.numbers.clear();
  }
  return Table({x, z, y});
}

// A network of the given weights from x and z to the output.
evolution::Network line(float x, float z, evolution::Loss head) {
  evolution::Network network = evolution::minimal_network(2, 1);
  network.set_head(head);
  const auto inputs = network.nodes_of(evolution::Role::Input);
  const auto output = network.nodes_of(evolution::Role::Output)[0];
  network.weights(network.edge(inputs[0], output, false))[0] = x;
  network.weights(network.edge(inputs[1], output, false))[0] = z;
  return network;
}

TEST(ModelExplanation, RanksInputsAndShowsTheirEffect) {
  const Table table = slope(false);
  const auto encoding =
      data::TableEncoding::fit(table, {.target = "y"}).value();
  const auto explanation =
      explain_model(line(1, 0, evolution::Loss::MeanSquared), encoding,
                    data::Metric::R2, encoding.dataset(table).value());

  ASSERT_EQ(explanation.importance.size(), 2u);
  EXPECT_EQ(explanation.importance[0].column, "x");
  EXPECT_GT(explanation.importance[0].loss, 1);
  EXPECT_EQ(explanation.importance[1].loss, 0);
  ASSERT_EQ(explanation.dependence.size(), 1u);
  const PartialDependence& curve = explanation.dependence[0];
  ASSERT_EQ(curve.curves.size(), 1u);
  for (std::size_t i = 0; i < curve.values.size(); ++i) {
    EXPECT_NEAR(curve.curves[0].means[i], 5 * curve.values[i], 0.01);
  }
  EXPECT_TRUE(explanation.confidence.empty());
}

TEST(ModelExplanation, ComparesProbabilitiesWithSharesOfCorrectRows) {
  const Table table = slope(true);
  const auto encoding =
      data::TableEncoding::fit(table, {.target = "y"}).value();
  // Far too sure: the sign is right, so each row is correct.
  const float sign = encoding.target().classes[1] == "high" ? 1.0f : -1.0f;
  const auto explanation = explain_model(
      line(sign * 100, 0, evolution::Loss::BinaryCrossEntropy), encoding,
      data::Metric::Accuracy, encoding.dataset(table).value());

  std::size_t rows = 0;
  for (const ConfidenceBand& band : explanation.confidence) {
    rows += band.rows;
    EXPECT_GE(band.mean_probability, band.low);
    EXPECT_LE(band.mean_probability, band.high);
  }
  EXPECT_EQ(rows, 300u);
  EXPECT_GT(explanation.confidence.back().accuracy, 0.9);
  ASSERT_EQ(explanation.dependence.size(), 1u);
  EXPECT_EQ(explanation.dependence[0].curves.size(), 1u);
}

}  // namespace
}  // namespace lamarck::table
