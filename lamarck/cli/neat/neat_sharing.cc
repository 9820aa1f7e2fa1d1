#include "lamarck/cli/neat/neat_sharing.h"

#include <nlohmann/json.hpp>

#include "lamarck/base/error.h"
#include "lamarck/base/macros.h"
#include "lamarck/cli/evolve/crew_flag.h"
#include "lamarck/crew/cpu_time.h"
#include "lamarck/crew/crew_member.h"
#include "lamarck/neat/neat_bytes.h"
#include "lamarck/neat/neat_crew.h"

namespace lamarck::cli {
namespace {

using neat::NeatBenchmark;
using neat::Population;
using report::NeatRun;

// One seed is one piece: its outcome and its CPU time.
crew::Work seed_piece(const NeatBenchmark& benchmark, const NeatFlags& flags,
                      const crew::Crew& crew) {
  return [&](std::size_t index, std::string_view) {
    const double begin = crew::thread_cpu_seconds();
    Population population = first_generation(benchmark, index + 1);
    crew::ByteWriter out;
    neat::add_outcome(out, search(population, benchmark.task,
                                  {.evaluations = flags.evaluations,
                                   .cancel = crew.abandonment()}));
    out.add_number(crew::thread_cpu_seconds() - begin);
    return out.take();
  };
}

}  // namespace

Result<NeatBenchmark> make_neat_benchmark(const NeatFlags& flags,
                                          const CancelToken& cancel) {
  ASSIGN_OR_RETURN(NeatBenchmark benchmark,
                   make_neat_benchmark(flags.choice, cancel));
  if (flags.population) {
    benchmark.options.population = static_cast<std::size_t>(*flags.population);
  }
  return benchmark;
}

Population first_generation(const NeatBenchmark& benchmark,
                            std::uint64_t seed) {
  return {benchmark.task.inputs, benchmark.task.outputs, benchmark.options,
          seed};
}

Result<std::unique_ptr<crew::Crew>> open_neat_crew(
    const NeatFlags& flags, const CommandContext& context) {
  crew::CrewRun shared{.kind = "neat",
                       .flags = dump_json(given_options(flags)),
                       .version = "",
                       .simd = ""};
  if (is_data_file(flags.choice)) {
    RETURN_IF_ERROR(add_crew_file(flags.crew, flags.choice.task, shared));
  }
  return open_crew(flags.crew, std::move(shared),
                   context.settings.count("threads"), context);
}

Result<NeatSeeds> share_neat_seeds(const NeatBenchmark& benchmark,
                                   const NeatFlags& flags, crew::Crew& crew,
                                   CommandContext& context) {
  const crew::Work work = seed_piece(benchmark, flags, crew);
  ASSIGN_OR_RETURN(const auto results,
                   map_seeds(*flags.seeds, crew, work, context));
  NeatSeeds seeds;
  for (std::size_t i = 0; i < results.size(); ++i) {
    if (results[i].empty()) continue;  // It was interrupted.
    crew::ByteReader in(results[i]);
    seeds.runs.push_back(
        {.seed = i + 1, .outcome = neat::read_outcome(in), .measured = 0});
    seeds.cpu_seconds += in.number();
    RETURN_IF_ERROR(in.check("The result of a seed"));
  }
  return seeds;
}

Result<void> help_neat(const NeatFlags& flags, crew::CrewMembership& crew,
                       CommandContext& context) {
  const auto benchmark = make_neat_benchmark(flags, context.cancel);
  if (!benchmark) return leave_crew(crew, benchmark.error());
  Result<void> served;
  if (flags.seeds) {
    const crew::Work work = seed_piece(*benchmark, flags, crew);
    const auto summary = crew.serve(work);
    if (!summary) served = summary.error();
  } else {
    served = neat::NeatCrew(crew, benchmark->task).serve();
  }
  crew.wait_for_end();
  return served;
}

Result<void> join_neat(const JoinedRun& joined, crew::CrewMembership& crew,
                       CommandContext& context) {
  ASSIGN_OR_RETURN(const Json options, parse_json(joined.flags));
  auto flags = neat_flags_from(options);
  if (!flags) return leave_crew(crew, flags.error());
  if (!joined.files.empty()) flags->choice.task = joined.files[0].string();
  return help_neat(*flags, crew, context);
}

}  // namespace lamarck::cli
