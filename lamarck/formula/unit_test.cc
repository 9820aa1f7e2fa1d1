#include "lamarck/formula/unit.h"

#include <gtest/gtest.h>

#include "lamarck/formula/dimensions.h"
#include "lamarck/formula/formula.h"

namespace lamarck::formula {
namespace {

Dimension unit(std::string_view text) { return parse_unit(text).value(); }

TEST(Unit, ReadsProductsPowersAndPrefixes) {
  EXPECT_EQ(unit_text(unit("kg*m/s^2")), "m*kg/s^2");
  EXPECT_EQ(unit("N"), unit("kg*m/s^2"));
  EXPECT_EQ(unit("km/h"), unit("m/s"));
  EXPECT_EQ(unit("mm"), unit("m"));
  EXPECT_EQ(unit("min"), unit("s"));
  EXPECT_EQ(unit("Pa*m^3"), unit("J"));
  EXPECT_EQ(unit("W/(m*K)"), unit("J/s/m/K"));
  EXPECT_EQ(unit("m**0.5"), unit("m^(1/2)"));
  EXPECT_EQ(unit("1/s"), unit("Hz"));
  EXPECT_EQ(unit("rad"), unit("1"));
  EXPECT_EQ(unit_text(unit("1")), "1");
  EXPECT_EQ(unit_text(unit("1/s")), "1/s");
}

TEST(Unit, SaysWhatIsWrong) {
  const auto message = [](std::string_view text) {
    const auto result = parse_unit(text);
    return result ? "" : result.error().message();
  };
  EXPECT_EQ(message("metre"),
            "'metre' is not a unit: 'metre' is unknown; write a unit such as "
            "m, kg*m/s^2, km/h, or 1 for a pure number.");
  EXPECT_NE(message("").find("it ends too early"), std::string::npos);
  EXPECT_NE(message("m/").find("it ends too early"), std::string::npos);
  EXPECT_NE(message("m s").find("unexpected"), std::string::npos);
  EXPECT_NE(message("(m").find("')' is missing"), std::string::npos);
  EXPECT_NE(message("m^x").find("unexpected"), std::string::npos);
  EXPECT_NE(message("m^1e9").find("unexpected"), std::string::npos);
  EXPECT_NE(message("m^(1/0)").find("divided by 0"), std::string::npos);
  EXPECT_NE(message(std::string(100, '(')).find("parentheses"),
            std::string::npos);
}

class DimensionsTest : public testing::Test {
 protected:
  bool allows(const std::string& text) const {
    const Formula formula = parse_infix(text, {"x", "t", "m"}).value();
    const std::vector<double> params(formula.body.param_count(), 2.0);
    return speed_.allow(formula.body, params);
  }
  Dimensions speed_{{unit("m"), unit("s"), unit("kg")}, unit("m/s")};
};

TEST_F(DimensionsTest, AllowConsistentFormulasOfTheTarget) {
  EXPECT_TRUE(allows("x/t"));
  EXPECT_TRUE(allows("a*x/t"));
  EXPECT_TRUE(allows("sqrt(x**2/t**2)"));
  EXPECT_TRUE(allows("(x**6/t**6)**(1/6)"));
  EXPECT_TRUE(allows("x/t*sin(x/(x + x))"));
  EXPECT_TRUE(allows("sqrt(x)*sqrt(x)/t"));
}

TEST_F(DimensionsTest, RejectOtherFormulas) {
  EXPECT_FALSE(allows("x"));
  EXPECT_FALSE(allows("x/t + 1"));
  EXPECT_FALSE(allows("x/t*sin(x)"));
  EXPECT_FALSE(allows("x/t*2**x"));
  EXPECT_FALSE(allows("x/t + m"));
  EXPECT_FALSE(allows("maximum(x, t)/t"));
}

TEST(DimensionsWithConstants, NumbersMayHaveTheirDimension) {
  const Dimensions light({unit("m"), unit("s")}, unit("m"), {{unit("m/s")}});
  const auto allows = [&](const std::string& text) {
    return light.allow(parse_infix(text, {"x", "t"}).value().body, {});
  };
  EXPECT_TRUE(allows("x + 3*t"));
  EXPECT_TRUE(allows("t"));
  EXPECT_FALSE(allows("x*t"));
}

}  // namespace
}  // namespace lamarck::formula
