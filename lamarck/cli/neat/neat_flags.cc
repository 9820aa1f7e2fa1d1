#include "lamarck/cli/neat/neat_flags.h"

#include <nlohmann/json.hpp>

namespace lamarck::cli {

Json given_options(const NeatFlags& flags) {
  const NeatChoice& choice = flags.choice;
  Json options = {{"task", choice.task}, {"evaluations", flags.evaluations}};
  if (choice.target) options["target"] = *choice.target;
  if (!choice.ignore.empty()) options["ignore"] = choice.ignore;
  if (choice.goal) options["goal"] = *choice.goal;
  if (!choice.encoding.empty()) options["encoding"] = choice.encoding;
  if (flags.population) options["population"] = *flags.population;
  if (flags.seed) options["seed"] = *flags.seed;
  if (flags.seeds) options["seeds"] = *flags.seeds;
  return options;
}

Result<NeatFlags> neat_flags_from(const Json& options) {
  NeatFlags flags;
  const auto read = [&]<class T>(const char* name, std::optional<T>& value) {
    if (options.contains(name)) value = options.at(name).get<T>();
  };
  try {
    flags.choice.task = options.at("task");
    flags.evaluations = options.at("evaluations");
    read("target", flags.choice.target);
    flags.choice.ignore = options.value("ignore", std::vector<std::string>());
    read("goal", flags.choice.goal);
    flags.choice.encoding = options.value("encoding", std::string());
    read("population", flags.population);
    read("seed", flags.seed);
    read("seeds", flags.seeds);
  } catch (const Json::exception&) {
    return Error(ErrorCode::DataDamaged,
                 "The flags of the run are not those of `lamarck neat`.");
  }
  return flags;
}

}  // namespace lamarck::cli
