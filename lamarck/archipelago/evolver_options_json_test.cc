#include "lamarck/archipelago/evolver_options_json.h"

#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

namespace lamarck::archipelago {
namespace {

EvolverOptions unusual_options() {
  EvolverOptions options;
  options.num_islands = 3;
  options.seed = 99;
  options.reset_period = {.evaluations = std::nullopt,
                          .time = std::chrono::milliseconds(1500)};
  options.founder = Founder::BestOfAll;
  options.max_evaluations_per_function = 4;
  options.max_remembered = 17;
  options.island = {.num_selected_clusters = 3,
                    .score_scale = ScoreScale::Raw,
                    .temperature = 0.25,
                    .temperature_period = 12,
                    .max_functions = 50,
                    .max_functions_per_cluster = 5,
                    .length_unit = LengthUnit::Characters,
                    .signature_digits = 9};
  return options;
}

TEST(EvolverOptionsJson, RoundTripsEveryOptionThatDeterminesTheRun) {
  for (const EvolverOptions& options : {EvolverOptions(), unusual_options()}) {
    const auto read = evolver_options_from(to_json(options));
    ASSERT_TRUE(read) << read.error().message();
    EXPECT_EQ(difference(*read, options), std::nullopt);
    EXPECT_EQ(to_json(*read), to_json(options));
  }
  const auto read = evolver_options_from(to_json(unusual_options()));
  EXPECT_EQ(read->reset_period.time, std::chrono::milliseconds(1500));
  EXPECT_EQ(read->reset_period.evaluations, std::nullopt);
}

TEST(EvolverOptionsJson, EveryFieldChangesTheDifference) {
  const Json before = to_json(EvolverOptions());
  const Json after = to_json(unusual_options());
  for (const auto& [key, value] : after.items()) {
    EXPECT_NE(value, before.at(key)) << key << " is not tested";
    Json changed = before;
    changed[key] = value;
    const auto read = evolver_options_from(changed);
    ASSERT_TRUE(read) << key << ": " << read.error().message();
    const auto found = difference(*read, EvolverOptions());
    ASSERT_TRUE(found) << key;
    EXPECT_TRUE(found->starts_with(key + " is ")) << *found;
  }
}

TEST(EvolverOptionsJson, BudgetAndThreadsAreNoDifference) {
  EvolverOptions other;
  other.num_parallel = 31;
  other.budget.evaluations = 5;
  other.max_cycles = 7;
  other.goal = 0.5;
  EXPECT_EQ(difference(other, EvolverOptions()), std::nullopt);
}

TEST(EvolverOptionsJson, DamagedOptionsAreAnError) {
  const Json good = to_json(EvolverOptions());
  for (const auto& [key, value] : good.items()) {
    if (key == "length_unit") continue;  // Older journals do not have it.
    Json without = good;
    without.erase(key);
    EXPECT_EQ(evolver_options_from(without).error().code(),
              ErrorCode::DataDamaged)
        << key;
  }
  for (const char* key : {"num_islands", "num_selected_clusters", "temperature",
                          "temperature_period", "signature_digits"}) {
    Json zero = good;
    zero[key] = 0;
    EXPECT_EQ(evolver_options_from(zero).error().code(), ErrorCode::DataDamaged)
        << key;
  }
  Json many = good;
  many["num_islands"] = 10'000'000;
  EXPECT_FALSE(evolver_options_from(many));
  EXPECT_FALSE(evolver_options_from(Json("text")));
}

}  // namespace
}  // namespace lamarck::archipelago
