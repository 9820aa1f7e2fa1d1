// Loads the real data of tests/data into data sets.

#include <gtest/gtest.h>

#include <filesystem>

#include "lamarck/data/class_labels.h"
#include "lamarck/data/csv.h"
#include "lamarck/data/metrics.h"
#include "lamarck/data/normalisation.h"
#include "lamarck/data/table_encoding.h"
#include "lamarck/data/to_dataset.h"
#include "lamarck/data/train_test_split.h"

namespace lamarck::data {
namespace {

Dataset load(const char* name, const ToDatasetOptions& options) {
  const auto path = std::filesystem::path(LAMARCK_DATA) / name;
  return to_dataset(read_csv(path).value(), options).value();
}

// The expected means and deviations were computed with NumPy.
TEST(DataFiles, IrisHasThreeSpecies) {
  const Dataset iris = load("iris.csv", {.target = "species"});

  EXPECT_EQ(iris.inputs().shape(), Shape({150, 4}));
  EXPECT_EQ(iris.class_names(),
            std::vector<std::string>({"setosa", "versicolor", "virginica"}));
  EXPECT_EQ(sum(iris.targets(), 0).to_string(), "[50, 50, 50]");
  const Normalization fitted = Normalization::fit(iris.inputs());
  const double means[] = {5.84333333, 3.05733333, 3.758, 1.19933333};
  const double deviations[] = {0.82530129, 0.43441097, 1.75940407, 0.75969263};
  for (std::size_t i = 0; i < 4; ++i) {
    EXPECT_NEAR(fitted.shift()[i], means[i], 1e-6) << i;
    EXPECT_NEAR(fitted.scale()[i], deviations[i], 1e-6) << i;
  }
}

TEST(DataFiles, WineHasThreeCultivars) {
  const Dataset wine = load("wine.csv", {.target = "cultivar"});

  EXPECT_EQ(wine.inputs().shape(), Shape({178, 13}));
  EXPECT_EQ(wine.class_names(),
            std::vector<std::string>({"barbera", "barolo", "grignolino"}));
  EXPECT_EQ(sum(wine.targets(), 0).to_string(), "[48, 59, 71]");
  const Normalization fitted = Normalization::fit(wine.inputs());
  EXPECT_NEAR(fitted.shift()[0], 13.00061798, 1e-5);
  EXPECT_NEAR(fitted.scale()[12], 314.02165684, 1e-3);
}

TEST(DataFiles, BreastCancerIsBenignOrMalignant) {
  const Dataset cancer = load("breast_cancer.csv", {.target = "diagnosis"});

  EXPECT_EQ(cancer.inputs().shape(), Shape({569, 30}));
  EXPECT_EQ(cancer.class_names(),
            std::vector<std::string>({"benign", "malignant"}));
  EXPECT_EQ(sum(cancer.targets(), 0).to_string(), "[357, 212]");
  const Normalization fitted = Normalization::fit(cancer.inputs());
  EXPECT_NEAR(fitted.shift()[0], 14.12729174, 1e-5);
  EXPECT_NEAR(fitted.scale()[29], 0.01804539, 1e-7);
}

TEST(DataFiles, DigitsHaveTenClassesAndSixtyFourPixels) {
  const Dataset digits = load(
      "digits.csv", {.target = "digit", .target_kind = TargetKind::Classes});

  EXPECT_EQ(digits.inputs().shape(), Shape({1797, 64}));
  EXPECT_EQ(
      sum(digits.targets(), 0).to_vector(),
      std::vector<float>({178, 182, 177, 183, 181, 182, 181, 179, 174, 180}));
  EXPECT_EQ(sum(digits.inputs()).item(), 561718);
  const TrainTest parts = train_test_split(digits, {.stratify = true});
  EXPECT_EQ(parts.test.size(), 449u);
}

TEST(DataFiles, AllAreEncodedFromTargetNameAlone) {
  struct File {
    const char* name;
    const char* target;
    std::size_t inputs;
    std::size_t outputs;
  };
  // Three pixels of the digits are always 0, so they are dropped.
  for (const File& file : {File{"iris.csv", "species", 4, 3},
                           {"wine.csv", "cultivar", 13, 3},
                           {"breast_cancer.csv", "diagnosis", 30, 2},
                           {"digits.csv", "digit", 61, 10},
                           {"diabetes.csv", "progression", 10, 1}}) {
    const Table table =
        read_csv(std::filesystem::path(LAMARCK_DATA) / file.name).value();
    const auto encoding =
        TableEncoding::fit(table, {.target = file.target}).value();
    EXPECT_EQ(encoding.input_count(), file.inputs) << file.name;
    EXPECT_EQ(encoding.output_count(), file.outputs) << file.name;
    const Dataset data = encoding.dataset(table).value();
    EXPECT_EQ(data.size(), table.row_count()) << file.name;
    const Tensor squares = data.inputs() * data.inputs();
    EXPECT_NEAR(mean(squares).item(), 1, 1e-4) << file.name;
  }
}

// The line that scikit-learn fits to the body mass index, with its scores.
TEST(DataFiles, DiabetesScoresMatchScikitLearn) {
  const Dataset diabetes = load("diabetes.csv", {.target = "progression"});
  EXPECT_EQ(diabetes.inputs().shape(), Shape({442, 10}));
  EXPECT_EQ(diabetes.names().inputs[2], "bmi");

  const Tensor predictions =
      diabetes.inputs().slice(1, 2, 3) * Tensor::scalar(10.23312787f) +
      Tensor::scalar(-117.77336657f);
  EXPECT_NEAR(r2(predictions, diabetes.targets()), 0.34392376, 1e-6);
  EXPECT_NEAR(mean_squared_error(predictions, diabetes.targets()), 3890.45659,
              1e-2);
  EXPECT_NEAR(mean_absolute_error(predictions, diabetes.targets()), 51.7986276,
              1e-4);
}

}  // namespace
}  // namespace lamarck::data
