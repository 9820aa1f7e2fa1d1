#include "lamarck/archipelago/evolver_options_json.h"

#include <fmt/format.h>

#include <nlohmann/json.hpp>

namespace lamarck::archipelago {
namespace {

template <class T>
Json or_null(const std::optional<T>& value) {
  return value ? Json(*value) : Json(nullptr);
}

std::optional<std::int64_t> optional_count(const Json& json) {
  if (json.is_null()) return std::nullopt;
  return json.get<std::int64_t>();
}

IslandOptions parse_island_options(const Json& json) {
  return {.num_selected_clusters = json.at("num_selected_clusters"),
          .score_scale = json.at("score_scale") == "raw" ? ScoreScale::Raw
                                                         : ScoreScale::Rank,
          .temperature = json.at("temperature"),
          .temperature_period = json.at("temperature_period"),
          .max_functions = json.at("most_functions"),
          .max_functions_per_cluster = json.at("most_functions_per_cluster"),
          .length_unit = json.value("length_unit", "size") == "characters"
                             ? LengthUnit::Characters
                             : LengthUnit::Size,
          .signature_digits = json.at("signature_digits")};
}

// Throws Json::exception if a field is missing or has the wrong type.
EvolverOptions parse_options(const Json& json) {
  EvolverOptions options;
  options.num_islands = json.at("num_islands");
  options.seed = json.at("seed");
  options.reset_period.evaluations =
      optional_count(json.at("reset_evaluations"));
  if (const auto time = optional_count(json.at("reset_milliseconds"))) {
    options.reset_period.time = std::chrono::milliseconds(*time);
  }
  options.founder = json.at("founder") == "best_of_all" ? Founder::BestOfAll
                                                        : Founder::Survivor;
  options.max_evaluations_per_function = json.at("most_evaluations_of_one");
  options.max_remembered = json.at("most_remembered");
  options.island = parse_island_options(json);
  return options;
}

// A damaged journal must not reach a REQUIRE or allocate without limit.
bool is_valid(const EvolverOptions& options) {
  const IslandOptions& island = options.island;
  constexpr std::size_t kMaxIslands = 1'000'000;
  return options.num_islands > 0 && options.num_islands <= kMaxIslands &&
         island.num_selected_clusters > 0 && island.temperature > 0 &&
         island.temperature_period > 0 && island.signature_digits > 0 &&
         island.signature_digits <= 17;
}

}  // namespace

Json to_json(const EvolverOptions& options) {
  const IslandOptions& island = options.island;
  Json reset_time = nullptr;
  if (options.reset_period.time) {
    reset_time = options.reset_period.time->count();
  }
  return {
      {"num_islands", options.num_islands},
      {"seed", options.seed},
      {"reset_evaluations", or_null(options.reset_period.evaluations)},
      {"reset_milliseconds", std::move(reset_time)},
      {"founder",
       options.founder == Founder::BestOfAll ? "best_of_all" : "survivor"},
      {"most_evaluations_of_one", options.max_evaluations_per_function},
      {"most_remembered", options.max_remembered},
      {"num_selected_clusters", island.num_selected_clusters},
      {"score_scale", island.score_scale == ScoreScale::Raw ? "raw" : "rank"},
      {"temperature", island.temperature},
      {"temperature_period", island.temperature_period},
      {"most_functions", island.max_functions},
      {"most_functions_per_cluster", island.max_functions_per_cluster},
      {"length_unit",
       island.length_unit == LengthUnit::Characters ? "characters" : "size"},
      {"signature_digits", island.signature_digits}};
}

Result<EvolverOptions> evolver_options_from(const Json& json) {
  try {
    EvolverOptions options = parse_options(json);
    if (is_valid(options)) return options;
    return Error(ErrorCode::DataDamaged,
                 "The options of the run are out of range: num_islands must be "
                 "between 1 and 1000000, signature_digits between 1 and 17, "
                 "num_selected_clusters and temperature_period at least 1, and "
                 "temperature positive.");
  } catch (const Json::exception& failure) {
    return Error(ErrorCode::DataDamaged,
                 fmt::format("The options of the run cannot be read: {}.",
                             failure.what()));
  }
}

std::optional<std::string> difference(const EvolverOptions& now,
                                      const EvolverOptions& before) {
  const Json current = to_json(now);
  const Json previous = to_json(before);
  for (const auto& [key, value] : current.items()) {
    if (previous.at(key) == value) continue;
    return fmt::format("{} is {} and was {}", key, dump_json(value),
                       dump_json(previous.at(key)));
  }
  return std::nullopt;
}

}  // namespace lamarck::archipelago
