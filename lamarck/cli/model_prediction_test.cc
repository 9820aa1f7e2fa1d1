#include "lamarck/cli/model_prediction.h"

#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include "lamarck/data/csv.h"

namespace lamarck::cli {
namespace {

using data::Table;
using data::TableEncoding;
using evolution::Network;

Table parse_table(const char* text) { return data::parse_csv(text).value(); }

OpenedModel make_model(const Table& table, const std::string& target,
                       Network network) {
  return {.saved = {.graph = Graph(), .extras = {}},
          .evolved = evolution::NetworkModel{std::move(network), {}},
          .encoding = TableEncoding::fit(table, {.target = target}).value()};
}

TEST(ModelPrediction, NumbersHaveUnitsOfTable) {
  const Table table = parse_table("x,y\n0,100.5\n2,300.5\n4,500.5\n");
  Network network = evolution::minimal_network(1, 1);
  network.parameters().values = {0,
                                 1};  // Standardized y equals standardized x.

  const auto prediction = predict_table(make_model(table, "y", network), table);

  ASSERT_TRUE(prediction) << prediction.error().message();
  const std::vector<double>& numbers = prediction->table.columns()[0].numbers;
  EXPECT_NEAR(numbers[0], 100.5, 1e-3);
  EXPECT_NEAR(numbers[2], 500.5, 1e-3);
  EXPECT_EQ(prediction->table.column_names(),
            std::vector<std::string>{"prediction"});
  EXPECT_EQ(prediction->metric, "rmse");
  EXPECT_NEAR(prediction->score.value(), 0, 1e-3);
  EXPECT_EQ(prediction->scored_rows, 3u);
}

TEST(ModelPrediction, OneOutputIsProbabilityOfSecondClass) {
  const Table table = parse_table("x,y\n0,no\n1,no\n8,yes\n9,yes\n");
  Network network = evolution::minimal_network(1, 1);
  network.parameters().values = {0, 5};
  network.set_head(evolution::Loss::BinaryCrossEntropy);

  const auto prediction = predict_table(make_model(table, "y", network), table);

  ASSERT_TRUE(prediction) << prediction.error().message();
  EXPECT_EQ(prediction->table.column_names(),
            (std::vector<std::string>{"prediction", "probability_no",
                                      "probability_yes"}));
  EXPECT_GT(prediction->table.columns()[1].numbers[0], 0.9);
  EXPECT_GT(prediction->table.columns()[2].numbers[3], 0.9);
  EXPECT_EQ(prediction->score, 1.0);
}

TEST(ModelPrediction, HasNoScoreWithoutTargets) {
  const Table known = parse_table("x,y\n0,1.5\n2,3.5\n4,5.5\n");
  const OpenedModel model =
      make_model(known, "y", evolution::minimal_network(1, 1));

  EXPECT_FALSE(predict_table(model, parse_table("x\n3\n"))->score);
  EXPECT_FALSE(predict_table(model, parse_table("x,y\n3,\n"))->score);
}

TEST(ModelPrediction, RejectsModelsWithoutUsableEncoding) {
  const Table table = parse_table("x,y\n0,1.5\n2,3.5\n4,5.5\n");
  OpenedModel model = make_model(table, "y", evolution::minimal_network(1, 1));

  model.evolved->notes["series"] = R"({"horizon": 1})";
  EXPECT_EQ(predict_table(model, table).error().code(), ErrorCode::DataDamaged);
  model.evolved->notes.clear();
  model.encoding.reset();
  EXPECT_EQ(predict_table(model, table).error().code(), ErrorCode::Unsupported);
  model.evolved.reset();
  EXPECT_EQ(predict_table(model, table).error().code(), ErrorCode::Unsupported);
}

}  // namespace
}  // namespace lamarck::cli
