#include "lamarck/data/table_encoding.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <cmath>
#include <string>
#include <nlohmann/json.hpp>

#include "lamarck/base/rng.h"
#include "lamarck/data/csv.h"

namespace lamarck::data {
namespace {

using Words = std::vector<std::string>;

// The mean length of the rows with a species is 3.
constexpr std::string_view kFlowers =
    "length,colour,species\n"
    "1,red,rose\n"
    "5,blue,iris\n"
    ",red,iris\n"
    "3,,rose\n"
    "5,red,rose\n"
    "1,blue,iris\n"
    "9,green,\n";

TableEncoding fitted(std::string_view csv,
                     const TableEncodingOptions& options) {
  return TableEncoding::fit(parse_csv(csv).value(), options).value();
}

std::string encoding_failure(std::string_view csv,
                             const TableEncodingOptions& options) {
  const auto result = TableEncoding::fit(parse_csv(csv).value(), options);
  return result ? "no failure" : result.error().message();
}

// A CSV with an input x and a target y that has the given values.
std::string with_target(const Words& values) {
  std::string csv = "x,y\n";
  for (std::size_t i = 0; i < values.size(); ++i) {
    csv += std::to_string(i * i) + "," + values[i] + "\n";
  }
  return csv;
}

// 0, 1, .. different - 1, repeated.
Words whole_numbers(std::size_t different, std::size_t rows) {
  Words words;
  for (std::size_t i = 0; i < rows; ++i) {
    words.push_back(std::to_string(i % different));
  }
  return words;
}

TEST(TableEncoding, StandardizesNumbersAndOneHotEncodesCategories) {
  const Table table = parse_csv(kFlowers).value();
  const TableEncoding encoding = fitted(kFlowers, {.target = "species"});

  EXPECT_EQ(encoding.input_names(),
            Words({"length", "colour=blue", "colour=red"}));
  EXPECT_EQ(encoding.input_count(), 3u);
  EXPECT_DOUBLE_EQ(encoding.inputs()[0].mean, 3);
  EXPECT_DOUBLE_EQ(encoding.inputs()[0].deviation, std::sqrt(3.2));
  const Dataset flowers = encoding.dataset(table).value();
  EXPECT_EQ(flowers.targets().to_string(),
            "[[0, 1], [1, 0], [1, 0], [0, 1], [0, 1], [1, 0]]");
  EXPECT_EQ(flowers.class_names(), Words({"iris", "rose"}));
  EXPECT_NEAR(flowers.inputs().at({0, 0}), -2 / std::sqrt(3.2), 1e-6);
  EXPECT_EQ(flowers.inputs().slice(1, 1, 3).to_string(),
            "[[0, 1], [1, 0], [0, 1], [0, 0], [0, 1], [1, 0]]");
}

TEST(TableEncoding, RemarksOnInputsThatLookLikeIds) {
  std::string csv = "user_id,order,area,y\n";
  for (int row = 0; row < 30; ++row) {
    csv += fmt::format("{},{},{},{}.5\n", row * row, 700'000 + 37 * row,
                       100'000 + 37 * (row / 2), row);
  }

  const TableEncoding encoding = fitted(csv, {.target = "y"});

  ASSERT_EQ(encoding.remarks().size(), 2u);
  EXPECT_TRUE(encoding.remarks()[0].starts_with("column 'user_id' has another"))
      << encoding.remarks()[0];
  EXPECT_TRUE(encoding.remarks()[1].starts_with("column 'order' has another"))
      << encoding.remarks()[1];
}

TEST(TableEncoding, FitsOnlyToRowsWithTarget) {
  const TableEncoding encoding = fitted(kFlowers, {.target = "species"});
  const Table table = parse_csv(kFlowers).value();

  EXPECT_EQ(encoding.inputs()[1].categories, Words({"blue", "red"}));
  EXPECT_EQ(encoding.target().class_counts, std::vector<std::size_t>({3, 3}));
  EXPECT_EQ(encoding.rows_with_target(table).value(),
            std::vector<std::size_t>({0, 1, 2, 3, 4, 5}));
  EXPECT_EQ(encoding.encode(table).value().rows.size(), 7u);
  EXPECT_EQ(encoding.remarks().front(),
            "1 of 7 rows have no 'species' and are skipped");
}

TEST(TableEncoding, EncodesMissingAndUnknownCellsAsZeros) {
  const TableEncoding encoding = fitted(kFlowers, {.target = "species"});
  const EncodedRows rows =
      encoding
          .encode(parse_csv("extra,colour,length\nx,green,3\ny,,NA\nz,red,3\n")
                      .value())
          .value();

  EXPECT_EQ(rows.inputs.to_string(), "[[0, 0, 0], [0, 0, 0], [0, 0, 1]]");
  EXPECT_EQ(
      rows.remarks,
      Words(
          {"column 'colour': 1 of 3 cells contain categories that the encoding "
           "was not fitted on, such as 'green'; they are treated as missing"}));
}

TEST(TableEncoding, ErrorNamesMissingColumns) {
  const TableEncoding encoding = fitted(kFlowers, {.target = "species"});
  EXPECT_EQ(encoding.encode(parse_csv("size\n1\n").value()).error().message(),
            "The table lacks 2 of the 2 columns that the model was trained on: "
            "'length', 'colour'.");
  EXPECT_EQ(encoding.dataset(parse_csv("length,colour\n1,red\n").value())
                .error()
                .message(),
            "There is no column 'species'; the columns are length, colour.");
}

TEST(TableEncoding, ErrorNamesFirstWordAmongNumbers) {
  const TableEncoding encoding = fitted(kFlowers, {.target = "species"});
  const Table table =
      parse_csv("length,colour\n1,red\n2,red\nlong,red\nbig,red\n").value();
  EXPECT_EQ(encoding.encode(table).error().message(),
            "Column 'length' was numeric when the encoding was fitted, but "
            "contains 'long' in row 3; correct the cell or leave it empty.");
}

TEST(TableEncoding, MatchesNumbersWithCategoriesSpelledAlike) {
  const TableEncoding encoding =
      fitted("grade,y\n1,a\n2,b\nx,a\n2,b\n", {.target = "y"});
  const Table numbers = parse_csv("grade\n2\n1.0\n7\n").value();
  EXPECT_EQ(numbers.columns()[0].kind, ColumnKind::Number);
  EXPECT_EQ(encoding.encode(numbers).value().inputs.to_string(),
            "[[0, 1, 0], [1, 0, 0], [0, 0, 0]]");
}

TEST(TableEncoding, DropsUselessColumnsWithReason) {
  const TableEncoding encoding = fitted(
      "id,five,same,empty,half,x,y\n"
      "1,5,a,,p,3,u\n2,5,a,,,4,v\n3,,a,,p,9,u\n4,5,a,,p,2,v\n",
      {.target = "y"});
  const std::vector<DroppedColumn> expected = {{"id", "is a row number"},
                                               {"five", "is always 5"},
                                               {"same", "is always 'a'"},
                                               {"empty", "has no values"}};
  EXPECT_EQ(encoding.dropped(), expected);
  EXPECT_EQ(encoding.input_names(), Words({"half=p", "x"}));
}

TEST(TableEncoding, DropsTextOnlyIfAllowed) {
  std::string csv = "name,x,y\n";
  for (int i = 0; i < 50; ++i) {
    csv += "n" + std::to_string(i) + "," + std::to_string(i * i) +
           (i % 2 == 0 ? ",u\n" : ",v\n");
  }
  EXPECT_EQ(encoding_failure(csv, {.target = "y"}),
            "Column 'name' is text with 50 distinct values, not a number or a "
            "category; ignore the column.");
  const std::vector<DroppedColumn> expected = {
      {"name", "is text with 50 distinct values"}};
  EXPECT_EQ(fitted(csv, {.target = "y", .drop_text = true}).dropped(),
            expected);
  EXPECT_EQ(encoding_failure(csv, {.target = "name"}),
            "Column 'name' is text with 50 distinct values, not a number or a "
            "category; choose another target.");
}

TEST(TableEncoding, TreatsFewIntegersAsClassesAndAddsRemark) {
  const TableEncoding six =
      fitted(with_target(whole_numbers(6, 30)), {.target = "y"});
  EXPECT_EQ(six.target().classes, Words({"0", "1", "2", "3", "4", "5"}));
  EXPECT_EQ(six.remarks(),
            Words({"target 'y' has 6 distinct integers and is treated as "
                   "classes; use --task regress to treat it as a number"}));
  const TableEncoding rare =
      fitted(with_target(whole_numbers(6, 29)), {.target = "y"});
  EXPECT_FALSE(rare.target().has_classes());
  EXPECT_EQ(rare.remarks(),
            Words({"target 'y' has 6 distinct integers and is treated as a "
                   "number; use --task classify to treat it as classes"}));
  EXPECT_FALSE(fitted(with_target(whole_numbers(11, 110)), {.target = "y"})
                   .target()
                   .has_classes());
  EXPECT_TRUE(fitted("x,y\n1,0\n2,1\n4,1\n3,0\n", {.target = "y"})
                  .target()
                  .has_classes());
  EXPECT_FALSE(fitted("x,y\n1,0.5\n2,1\n4,0.5\n3,1\n", {.target = "y"})
                   .target()
                   .has_classes());
}

TEST(TableEncoding, RespectsRequestedTargetKind) {
  const std::string csv = with_target(whole_numbers(3, 30));
  const TableEncoding number =
      fitted(csv, {.target = "y", .target_kind = TargetKind::Number});
  EXPECT_DOUBLE_EQ(number.target().mean, 1);
  EXPECT_EQ(number.output_count(), 1u);
  EXPECT_TRUE(number.remarks().empty());
  const TableEncoding classes =
      fitted("x,y\n1,0.5\n2,10\n4,0.5\n3,10\n5,-1\n",
             {.target = "y", .target_kind = TargetKind::Classes});
  EXPECT_EQ(classes.target().classes, Words({"-1", "0.5", "10"}));
}

TEST(TableEncoding, RemarksOnRareAndDominantClasses) {
  Words values(19, "no");
  values.emplace_back("yes");
  EXPECT_EQ(fitted(with_target(values), {.target = "y"}).remarks(),
            Words({"1 of 2 classes have fewer than 5 rows ('yes' has 1); "
                   "predictions for them are unreliable",
                   "19 of 20 rows are 'no', so always predicting that class is "
                   "right in 95.0 % of them"}));
}

TEST(TableEncoding, ErrorsDescribeInvalidTarget) {
  EXPECT_EQ(encoding_failure(kFlowers, {.target = "specie"}),
            "There is no column 'specie'; did you mean 'species'?");
  EXPECT_EQ(
      encoding_failure(kFlowers, {.target = "species", .ignore = {"color"}}),
      "There is no column 'color'; did you mean 'colour'?");
  EXPECT_EQ(
      encoding_failure(kFlowers, {.target = "species", .ignore = {"species"}}),
      "Column 'species' is the target, so it cannot be ignored.");
  EXPECT_EQ(encoding_failure(kFlowers, {.target = "species",
                                        .target_kind = TargetKind::Number}),
            "Column 'species' contains text such as 'rose', so it cannot be "
            "predicted as a number; use --task classify.");
  EXPECT_EQ(encoding_failure("x,y\n1,a\n2,a\n", {.target = "y"}),
            "Column 'y' has only one class, 'a', so there is nothing to "
            "classify; choose another target.");
  EXPECT_EQ(encoding_failure("x,y\n1,.1\n2,.1\n3,.1\n", {.target = "y"}),
            "Column 'y' is always 0.1, so there is nothing to predict; choose "
            "another target.");
  EXPECT_EQ(encoding_failure("x,y\n1,\n2,\n", {.target = "y"}),
            "Column 'y' has no values; choose another target.");
}

TEST(TableEncoding, ErrorsDescribeInvalidInputs) {
  EXPECT_EQ(encoding_failure("x,y\n1,a\n1,b\n", {.target = "y"}),
            "Column 'y' is the target, and no other column can be used as an "
            "input: 'x' is always 1.");
  EXPECT_EQ(
      encoding_failure("y\na\nb\n", {.target = "y"}),
      "Column 'y' is the target, and no other column can be used as an input.");
  EXPECT_EQ(encoding_failure("x,y\n1e39,a\n1,b\n", {.target = "y"}),
            "Column 'x' contains 1e+39, which does not fit into a 32-bit "
            "float; scale or ignore the column.");
  EXPECT_EQ(encoding_failure("x,y\n\xE9,a\nb,b\n", {.target = "y"}),
            "Column 'x' contains '\xEF\xBF\xBD', which is not UTF-8; save the "
            "file as UTF-8.");
  const Table empty({{.name = "x"}, {.name = "y"}});
  EXPECT_EQ(TableEncoding::fit(empty, {.target = "y"}).error().message(),
            "The table has a header but no rows.");
}

TEST(TableEncoding, RejectsUnknownClasses) {
  const TableEncoding encoding = fitted(kFlowers, {.target = "species"});
  const Table table =
      parse_csv("length,colour,species\n1,red,rose\n2,red,tulip\n").value();
  EXPECT_EQ(encoding.dataset(table).error().message(),
            "Column 'species' contains the class 'tulip', which the encoding "
            "was not fitted on; the known classes are iris, rose.");
}

TEST(TableEncoding, DecodesClasses) {
  const TableEncoding encoding = fitted(kFlowers, {.target = "species"});
  const Tensor two = Tensor::rows({{0.9f, 0.1f}, {0.2f, 0.8f}});
  EXPECT_EQ(encoding.decode_classes(two), Words({"iris", "rose"}));
  EXPECT_EQ(encoding.decode_classes(Tensor::rows({{0.1f}, {0.7f}})),
            Words({"iris", "rose"}));
  const Column column = encoding.decode(two);
  EXPECT_EQ(column.name, "species");
  EXPECT_EQ(column.codes, std::vector<std::int32_t>({0, 1}));
  EXPECT_EQ(to_csv(Table({column})), "species\niris\nrose\n");
  EXPECT_THROW(encoding.decode(Tensor::zeros({2, 3})), LogicError);
  EXPECT_THROW(encoding.decode(Tensor::rows({{2}})), LogicError);
  EXPECT_THROW(encoding.decode_numbers(two), LogicError);
}

TEST(TableEncoding, DecodesNumbersInTheirUnits) {
  const std::string csv = "x,y\n1,100\n2,300\n5,250.5\n";
  const Table table = parse_csv(csv).value();
  const TableEncoding encoding = fitted(csv, {.target = "y"});
  const Dataset data = encoding.dataset(table).value();
  EXPECT_NEAR(mean(data.targets()).item(), 0, 1e-6);
  const std::vector<double> back = encoding.decode_numbers(data.targets());
  for (std::size_t i = 0; i < 3; ++i) {
    EXPECT_NEAR(back[i], table.columns()[1].numbers[i], 1e-4) << i;
  }
  EXPECT_EQ(data.names().targets, Words({"y"}));
  EXPECT_THROW(encoding.decode(Tensor::zeros({3, 2})), LogicError);
  EXPECT_THROW(encoding.decode_classes(data.targets()), LogicError);
}

TEST(TableEncoding, DecodesNumericClassesAsNumbers) {
  const TableEncoding encoding =
      fitted(with_target(whole_numbers(3, 30)), {.target = "y"});
  const Column column = encoding.decode(Tensor::rows({{0, 0, 1}, {1, 0, 0}}));
  EXPECT_EQ(column.numbers, std::vector<double>({2, 0}));
}

TEST(TableEncoding, RoundTripsThroughJsonExactly) {
  for (std::uint64_t seed = 0; seed < 50; ++seed) {
    Rng rng(seed);
    std::string csv = "a,b,\"c \"\"d\"\"\",e,f,y\n";
    for (int row = 0; row < 20; ++row) {
      csv += std::to_string(rng.normal() * std::pow(10, rng.integer(-3, 9)));
      csv += rng.chance(0.3) ? ",," : ",w" + std::to_string(rng.below(4)) + ",";
      csv += rng.chance(0.5) ? "u" : "\xC3\xA9,1,7";
      if (!csv.ends_with("7")) csv += ",2,7";
      csv += "," + (seed % 2 == 0 ? std::to_string(rng.normal())
                                  : "k" + std::to_string(row % 3));
      csv += "\n";
    }
    const TableEncoding encoding = fitted(csv, {.target = "y"});
    const std::string text = dump_json(encoding.to_json());
    const auto back = TableEncoding::from_json(parse_json(text).value());
    ASSERT_TRUE(back) << back.error().message();
    EXPECT_EQ(*back, encoding) << "seed " << seed << " " << text;
    EXPECT_EQ(encoding.dropped().size(), 1u);
    const Table table = parse_csv(csv).value();
    EXPECT_EQ(back->encode(table)->inputs.to_vector(),
              encoding.encode(table)->inputs.to_vector());
  }
}

TEST(TableEncoding, SurvivesDamagedJson) {
  const Json whole = fitted(kFlowers, {.target = "species"}).to_json();
  const Json flat = whole.flatten();
  const Json wrong[] = {nullptr,       -1, 0.5, "text", Json::array(),
                        Json::object()};
  for (const auto& [path, value] : flat.items()) {
    const Json::json_pointer place(path);
    for (const Json& other : wrong) {
      Json damaged = whole;
      damaged[place] = other;
      const auto read = TableEncoding::from_json(damaged);
      EXPECT_TRUE(read || read.error().message().ends_with('.')) << path;
    }
  }
  for (const char* field : {"version", "inputs", "target", "dropped"}) {
    Json damaged = whole;
    damaged.erase(field);
    EXPECT_FALSE(TableEncoding::from_json(damaged)) << field;
  }
  Json damaged = whole;
  damaged["inputs"][0]["deviation"] = 0;
  EXPECT_EQ(TableEncoding::from_json(damaged).error().message(),
            "Damaged table encoding: column 'length' must have a finite mean "
            "and a deviation above 0.");
  damaged = whole;
  damaged["version"] = 2;
  EXPECT_EQ(TableEncoding::from_json(damaged).error().code(),
            ErrorCode::Unsupported);
}

TEST(TableEncoding, FittedToTrainingRowsEncodesTestRows) {
  const Table table = parse_csv(kFlowers).value();
  const std::size_t train[] = {0, 1, 3};
  const std::size_t test[] = {2, 4, 5};
  const auto encoding =
      TableEncoding::fit(table.rows(train), {.target = "species"}).value();
  const Dataset others = encoding.dataset(table.rows(test)).value();
  EXPECT_EQ(others.targets().to_string(), "[[1, 0], [0, 1], [1, 0]]");
  EXPECT_DOUBLE_EQ(encoding.inputs()[0].mean, 3);
}

}  // namespace
}  // namespace lamarck::data
