#include "lamarck/cli/evolve/fn_sharing.h"

#include <nlohmann/json.hpp>

#include "lamarck/base/json.h"
#include "lamarck/base/macros.h"
#include "lamarck/cli/evolve/crew_flag.h"
#include "lamarck/cli/evolve/fn_problem.h"
#include "lamarck/crew/crew_member.h"
#include "lamarck/crew/mpi_transport.h"

namespace lamarck::cli {

Result<void> check_fn_crew(const SearchFlags& flags, law::LawEngine engine,
                           std::size_t targets) {
  if (!flags.crew && crew::mpi_place().size == 1) return {};
  if (engine != law::LawEngine::Gp) {
    return invalid_argument(
        "A crew can only share the search of --engine gp; use that engine, or "
        "start the command without --crew and without an MPI launcher.");
  }
  if (targets < 2) return {};
  return invalid_argument(
      "A crew can only share a search for one target; start one run for each "
      "column of --target.");
}

Result<std::unique_ptr<crew::Crew>> open_fn_crew(
    const std::optional<std::string>& url, const SearchRun& run,
    const CommandContext& context) {
  crew::CrewRun shared{.kind = std::string(kFnKind),
                       .flags = search_file_text(run),
                       .version = "",
                       .simd = ""};
  RETURN_IF_ERROR(add_crew_file(url, run.data, shared));
  return open_crew(url, std::move(shared), run.evolver.num_parallel, context);
}

Result<void> help_evolve_fn(SearchRun run, crew::CrewMembership& crew,
                            CommandContext& context) {
  run.flags.tests.clear();  // Only the leader tests the result.
  const auto problem = read_fn_problem(run, context.cancel);
  if (!problem) return leave_crew(crew, problem.error());
  const auto gp = make_gp_options(run);
  if (!gp) return leave_crew(crew, gp.error());
  Result<void> helped = law::help_find_laws(
      problem->known, {.gp = *gp, .evolver = run.evolver, .crew = &crew},
      context.cancel);
  crew.wait_for_end();
  return helped;
}

Result<void> join_evolve_fn(const JoinedRun& joined, crew::CrewMembership& crew,
                            CommandContext& context) {
  ASSIGN_OR_RETURN(Json flags, parse_json(joined.flags));
  if (!joined.files.empty()) flags["data"] = joined.files[0].string();
  auto run = joined_search(joined, flags);
  if (!run) return leave_crew(crew, run.error());
  return help_evolve_fn(*std::move(run), crew, context);
}

}  // namespace lamarck::cli
