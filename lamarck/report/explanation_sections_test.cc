#include "lamarck/report/explanation_sections.h"

#include <gtest/gtest.h>

#include "lamarck/base/text_fixture.h"

namespace lamarck::report {
namespace {

TEST(ExplanationSections, ShowsInputsCurvesAndWhereTheModelIsUnsure) {
  const table::ModelExplanation explanation{
      .importance = {{"size & weight", 0.25}, {"colour", -0.01}},
      .dependence = {{.column = "size & weight",
                      .values = {1, 2},
                      .curves = {{"yes", {0.1, 0.9}}}}},
      .confidence = {{.low = 0.5,
                      .high = 0.6,
                      .rows = 4,
                      .mean_probability = 0.55,
                      .accuracy = 0.5},
                     {.low = 0.9,
                      .high = 1,
                      .rows = 16,
                      .mean_probability = 0.95,
                      .accuracy = 1}}};

  const std::string html = explanation_sections(explanation, "f1", "bought");

  for (const char* part :
       {"<th class=\"number\">f1 lost</th>", "<td>size &amp; weight</td>",
        "0.25</div>", "-0.01</div>", "probability of yes",
        "The model is less than 70 % sure of 4 of 20 held-out rows; 50 % of "
        "those predictions are correct.",
        "<td>90 to 100 %</td><td class=\"number\">16</td>"}) {
    EXPECT_TRUE(contains(html, part)) << part;
  }
}

TEST(ExplanationSections, NamesTheTargetOfANumber) {
  const table::ModelExplanation explanation{
      .importance = {{"x", 1}},
      .dependence = {
          {.column = "x", .values = {1, 2}, .curves = {{"price", {3, 4}}}}}};

  const std::string html = explanation_sections(explanation, "r2", "price");

  EXPECT_TRUE(contains(html, "mean price"));
  EXPECT_FALSE(contains(html, "probability"));
}

TEST(ExplanationSections, OmitsEmptyParts) {
  EXPECT_EQ(explanation_sections({}, "r2", "y"), "");
}

}  // namespace
}  // namespace lamarck::report
