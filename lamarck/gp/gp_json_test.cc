#include "lamarck/gp/gp_json.h"

#include <bit>
#include <cstdint>
#include <limits>
#include <string>
#include <vector>

#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include "lamarck/gp/toy_problem_fixture.h"

namespace lamarck::gp {
namespace {

using formula::Op;

// As read back from a file.
Json written(const Json& json) { return parse_json(dump_json(json)).value(); }

std::vector<std::uint64_t> bits_of(const std::vector<double>& values) {
  std::vector<std::uint64_t> bits;
  for (const double x : values) bits.push_back(std::bit_cast<std::uint64_t>(x));
  return bits;
}

TEST(GpJson, TreesSurviveRoundTrip) {
  for (std::uint64_t seed = 0; seed < 300; ++seed) {
    Rng rng(seed);
    const GpTree tree = toy_tree(rng, 5, 3);
    const Json json = gp_tree_to_json(tree);
    EXPECT_EQ(gp_tree_from_json(json, 3).value(), tree) << "seed " << seed;
    EXPECT_EQ(gp_tree_from_json(written(json), 3).value(), tree)
        << "seed " << seed;
  }
}

TEST(GpJson, NumbersSurviveRoundTripExactly) {
  using Limits = std::numeric_limits<double>;
  for (const double value : {0.1, -0.0, 0.0, 1.0, 1.0 / 3, Limits::max(),
                             Limits::min(), Limits::denorm_min(), -1e300}) {
    const Json json = written(gp_tree_to_json(gp_constant(value)));
    EXPECT_EQ(bits_of(constants_of(gp_tree_from_json(json, 1).value())),
              bits_of({value}));
  }
}

TEST(GpJson, ModelsSurviveRoundTrip) {
  Rng rng(5);
  GpModel model;
  model.terms = {gp_apply(Op::Sin, gp_input(1)), gp_input(0)};
  model.coefficients = {rng.normal(), rng.normal()};
  model.intercept = rng.normal();
  model.has_intercept = false;
  model.nmse = rng.uniform();
  const GpModel same =
      gp_model_from_json(written(gp_model_to_json(model)), 2).value();
  EXPECT_EQ(same.terms, model.terms);
  EXPECT_EQ(bits_of(same.coefficients), bits_of(model.coefficients));
  EXPECT_EQ(bits_of({same.intercept, same.nmse}),
            bits_of({model.intercept, model.nmse}));
  EXPECT_FALSE(same.has_intercept);
}

TEST(GpJson, ReadsMissingErrorAsInfinite) {
  GpModel model;
  model.nmse = std::numeric_limits<double>::infinity();
  const auto same = gp_model_from_json(written(gp_model_to_json(model)), 1);
  ASSERT_TRUE(same);
  EXPECT_EQ(same->nmse, model.nmse);
}

TEST(GpJson, RejectsDamagedTrees) {
  for (const char* text :
       {"[]", "{}", "null", "3", "[[0], \"add\"]", "[\"sin\"]", "[[2]]",
        "[[-1]]", "[[0.5]]", "[[0, 1]]", "[[0], \"fly\"]", "[[0], [1]]",
        "[null]", "[[0], \"where\"]", "[[0], \"input\"]", "[true]"}) {
    const auto tree = gp_tree_from_json(parse_json(text).value(), 2);
    ASSERT_FALSE(tree) << text;
    EXPECT_EQ(tree.error().code(), ErrorCode::DataDamaged) << text;
    EXPECT_EQ(tree.error().message().back(), '.') << text;
  }
}

TEST(GpJson, RejectsDamagedModels) {
  GpModel model;
  model.terms = {gp_input(0)};
  model.coefficients = {2};
  const Json good = gp_model_to_json(model);
  ASSERT_TRUE(gp_model_from_json(good, 1));
  const auto is_refused = [&](const char* field, const Json& value) {
    Json bad = good;
    bad[field] = value;
    const auto read = gp_model_from_json(bad, 1);
    return !read && !read.error().message().empty();
  };
  EXPECT_TRUE(is_refused("terms", 3));
  EXPECT_TRUE(is_refused("terms", nullptr));
  EXPECT_TRUE(is_refused("terms", Json::array({"text"})));
  EXPECT_TRUE(is_refused("coefficients", Json::array()));
  EXPECT_TRUE(is_refused("coefficients", Json::array({"2"})));
  EXPECT_TRUE(is_refused("coefficients", Json::array({nullptr})));
  EXPECT_TRUE(is_refused("coefficients", 2));
  EXPECT_TRUE(is_refused("intercept", "0"));
  EXPECT_TRUE(is_refused("has_intercept", 1));
  EXPECT_TRUE(is_refused("nmse", "small"));
  for (const char* field :
       {"terms", "coefficients", "intercept", "has_intercept"}) {
    Json bad = good;
    bad.erase(field);
    EXPECT_FALSE(gp_model_from_json(bad, 1)) << field;
  }
  EXPECT_FALSE(gp_model_from_json(Json::array(), 1));
  EXPECT_FALSE(gp_model_from_json(good, 0));
}

}  // namespace
}  // namespace lamarck::gp
