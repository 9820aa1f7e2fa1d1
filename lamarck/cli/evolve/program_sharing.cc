#include "lamarck/cli/evolve/program_sharing.h"

#include <utility>
#include <nlohmann/json.hpp>

#include "lamarck/archipelago/evaluation_crew.h"
#include "lamarck/base/file.h"
#include "lamarck/base/json.h"
#include "lamarck/base/macros.h"
#include "lamarck/cli/evolve/crew_flag.h"
#include "lamarck/crew/crew_member.h"
#include "lamarck/problems/python_skeleton.h"
#include "lamarck/report/report_text.h"

namespace lamarck::cli {
namespace {

namespace fs = std::filesystem;
using problems::ProgramEvaluator;
using problems::ProgramFolder;

// Of the copy that members get.
constexpr const char* kProgramFolder = "program";

// The limits of problem.toml, unless flags replace them.
problems::ProgramRunnerOptions make_runner_options(
    const SearchRun& run, const problems::ProblemSettings& settings) {
  problems::ProblemSettings used = settings;
  if (run.time_limit) used.time = run.time_limit;
  if (run.memory_limit) used.memory_bytes = run.memory_limit;
  problems::ProgramRunnerOptions options = problems::runner_options(used);
  // More threads than that may wait for a model.
  if (run.flags.parallel || options.parallel == 0) {
    options.parallel = run.evolver.num_parallel;
  }
  return options;
}

Result<crew::CrewRun> make_crew_run(const SearchRun& run,
                                    const ProgramFolder& folder) {
  ASSIGN_OR_RETURN(Json flags, parse_json(search_file_text(run)));
  crew::CrewRun shared{.kind = std::string(kProgramKind),
                       .flags = "",
                       .version = "",
                       .simd = ""};
  const auto name_of = [](const std::string& name) {
    return kProgramFolder + ("/" + name);
  };
  for (const char* name : {"program.py", "evaluate.py", "problem.toml"}) {
    if (!fs::exists(folder.path / name)) continue;
    ASSIGN_OR_RETURN(std::string bytes, read_file(folder.path / name));
    shared.files.push_back({name_of(name), std::move(bytes)});
  }
  Json executables = Json::array();
  for (const SandboxFile& file : folder.files) {
    if (file.is_executable) executables.push_back(name_of(file.name));
    shared.files.push_back({name_of(file.name), file.content});
  }
  flags["executables"] = std::move(executables);
  shared.flags = dump_json(flags);
  return shared;
}

// The run with the copy of the folder.
Result<SearchRun> read_joined_run(const JoinedRun& joined) {
  ASSIGN_OR_RETURN(Json flags, parse_json(joined.flags));
  for (const Json& name : flags.value("executables", Json::array())) {
    std::error_code ignored;
    fs::permissions(joined.folder / name.get<std::string>(),
                    fs::perms::owner_exec, fs::perm_options::add, ignored);
  }
  flags["data"] = (joined.folder / kProgramFolder).string();
  return joined_search(joined, flags);
}

}  // namespace

archipelago::SkeletonReader ProgramScoring::reader() const {
  return [runner = runner](
             const std::string& source,
             const std::vector<double>&) -> Result<archipelago::SkeletonPtr> {
    return archipelago::SkeletonPtr(
        std::make_shared<problems::PythonSkeleton>(runner, source));
  };
}

Result<ProgramScoring> open_scoring(const SearchRun& run, ProgramFolder folder,
                                    CommandContext& context) {
  ProgramScoring scoring;
  const problems::ProblemSettings settings = folder.settings;
  ASSIGN_OR_RETURN(scoring.runner,
                   problems::open_program_runner(
                       std::move(folder), make_runner_options(run, settings)));
  const auto begin = context.clock.elapsed();
  ASSIGN_OR_RETURN(
      scoring.evaluator,
      ProgramEvaluator::open(scoring.runner,
                             {.cascade_floor = settings.cascade_floor,
                              .cascade_floors = settings.cascade_floors},
                             context.cancel));
  scoring.first_seconds = report::seconds_of(context.clock.elapsed() - begin);
  return scoring;
}

Result<std::unique_ptr<crew::Crew>> open_program_crew(
    const std::optional<std::string>& url, const SearchRun& run,
    const ProgramFolder& folder, const CommandContext& context) {
  crew::CrewRun shared;
  if (url) {
    ASSIGN_OR_RETURN(shared, make_crew_run(run, folder));
  }
  return open_crew(url, std::move(shared), run.evolver.num_parallel, context);
}

Result<void> help_evolve_program(const SearchRun& run, ProgramFolder folder,
                                 crew::CrewMembership& crew,
                                 CommandContext& context) {
  const auto scoring = open_scoring(run, std::move(folder), context);
  if (!scoring) return leave_crew(crew, scoring.error());
  archipelago::EvaluationCrew shared(crew, scoring->reader(),
                                     scoring->evaluator);
  Result<void> served = shared.serve();
  crew.wait_for_end();
  return served;
}

Result<void> join_evolve_program(const JoinedRun& joined,
                                 crew::CrewMembership& crew,
                                 CommandContext& context) {
  const auto run = read_joined_run(joined);
  if (!run) return leave_crew(crew, run.error());
  auto folder = problems::read_program_folder(run->data);
  if (!folder) return leave_crew(crew, folder.error());
  return help_evolve_program(*run, *std::move(folder), crew, context);
}

}  // namespace lamarck::cli
