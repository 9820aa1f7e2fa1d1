#include <stdlib.h>  // NOLINT: mkdtemp is not in <cstdlib>.
#include <fmt/format.h>

#include <array>
#include <chrono>
#include <filesystem>
#include <memory>
#include <nlohmann/json.hpp>

#include "lamarck/base/json.h"
#include "lamarck/base/macros.h"
#include "lamarck/base/version.h"
#include "lamarck/cli/command_option.h"
#include "lamarck/cli/command_table.h"
#include "lamarck/cli/evolve/crew_flag.h"
#include "lamarck/cli/evolve/fn_sharing.h"
#include "lamarck/cli/evolve/joined_run.h"
#include "lamarck/cli/evolve/net_evolution.h"
#include "lamarck/cli/evolve/program_sharing.h"
#include "lamarck/cli/neat/neat_sharing.h"
#include "lamarck/crew/crew_member.h"
#include "lamarck/crew/postgres_transport.h"
#include "lamarck/tensor/simd_target.h"

namespace lamarck::cli {
namespace {

namespace fs = std::filesystem;
using std::chrono::milliseconds;

constexpr milliseconds kLookForRuns{300};
// A run whose database was restarted is joined again for this long.
constexpr int kMaxDatabaseFailures = 400;

struct JoinFlags {
  std::string url;
  std::optional<std::int64_t> cores;
  std::optional<double> idle;
};

struct JoinCounts {
  std::int64_t runs = 0;
  std::int64_t pieces = 0;
};

// A folder for the files of a run, removed at the end.
class TemporaryFolder {
 public:
  TemporaryFolder()
      : path_((fs::temp_directory_path() / "lamarck-join-XXXXXX").string()) {
    if (mkdtemp(path_.data()) == nullptr) path_.clear();
  }
  ~TemporaryFolder() {
    std::error_code ignored;
    if (!path_.empty()) fs::remove_all(path_, ignored);
  }
  TemporaryFolder(const TemporaryFolder&) = delete;
  TemporaryFolder& operator=(const TemporaryFolder&) = delete;

  fs::path path() const { return path_; }

 private:
  std::string path_;
};

// The kinds of runs that members can help with.
struct JoinedKind {
  std::string_view name;
  Result<void> (*help)(const JoinedRun& joined, crew::CrewMembership& crew,
                       CommandContext& context);
};
constexpr std::array kJoinedKinds = {
    JoinedKind{"net", join_evolve_net}, JoinedKind{"neat", join_neat},
    JoinedKind{"fn", join_evolve_fn},
    JoinedKind{"program", join_evolve_program}};

Result<const JoinedKind*> find_kind(const crew::CrewRun& run) {
  for (const JoinedKind& each : kJoinedKinds) {
    if (each.name == run.kind) return &each;
  }
  return Error(ErrorCode::Unsupported,
               fmt::format("This version cannot help with a run of kind '{}'; "
                           "join with a newer one.",
                           run.kind));
}

Result<void> help_with(const JoinFlags& flags, std::int64_t id,
                       crew::PgSession& session, JoinCounts& counts,
                       CommandContext& context) {
  ASSIGN_OR_RETURN(const crew::CrewRun run, crew::read_crew_run(session, id));
  if (run.version != version()) {
    return Error(ErrorCode::FailedPrecondition,
                 fmt::format("All members must run the same version of "
                             "lamarck; the leader has {}, this is {}.",
                             run.version, version()));
  }
  RETURN_IF_ERROR(choose_simd_target(run.simd));
  ASSIGN_OR_RETURN(const JoinedKind* kind, find_kind(run));
  const auto threads = static_cast<std::size_t>(flags.cores.value_or(
      static_cast<std::int64_t>(context.settings.count("threads"))));
  const std::size_t cores =
      threads > 0 ? threads : std::max(1u, std::thread::hardware_concurrency());
  const TemporaryFolder folder;
  ASSIGN_OR_RETURN(const JoinedRun joined,
                   unpack_run(run, folder.path(), cores));
  ASSIGN_OR_RETURN(auto transport, crew::PostgresTransport::join(
                                       flags.url, id, process_name(), cores));
  ASSIGN_OR_RETURN(const auto member, crew::CrewMembership::join(
                                          {.version = std::string(version()),
                                           .name = process_name(),
                                           .threads = cores,
                                           .cancel = context.cancel,
                                           .use_simd = choose_simd_target},
                                          std::move(transport)));
  ++counts.runs;
  if (!context.json)
    context.err << fmt::format("lamarck: Joined run {}.\n", id) << std::flush;
  Result<void> helped = kind->help(joined, *member, context);
  counts.pieces += member->counts().pieces;
  return helped;
}

// Joins runs until it is interrupted, or none has appeared for --idle seconds.
Result<void> join_runs(const JoinFlags& flags, CommandContext& context) {
  RETURN_IF_ERROR(check_crew_url(flags.url));
  ASSIGN_OR_RETURN(crew::PgSession session, crew::PgSession::open(flags.url));
  RETURN_IF_ERROR(crew::create_crew_tables(session));
  JoinCounts counts;
  std::int64_t last = 0;  // Older runs have ended for this process.
  int failures = 0;
  auto since = context.clock.elapsed();
  while (!context.cancel.is_cancelled()) {
    auto run = crew::find_crew_run(session, last);
    if (!run) {
      if (++failures > kMaxDatabaseFailures) return run.error();
      if (auto again = crew::PgSession::open(flags.url)) session = *again;
    } else if (*run) {
      const auto helped = help_with(flags, **run, session, counts, context);
      since = context.clock.elapsed();
      failures = 0;
      if (helped) last = **run;
      if (helped || helped.error().code() == ErrorCode::Unavailable) continue;
      if (helped.error().code() != ErrorCode::Cancelled) return helped.error();
    }
    const std::chrono::duration<double> waited =
        context.clock.elapsed() - since;
    if (flags.idle && waited.count() >= *flags.idle) break;
    context.clock.sleep_for(kLookForRuns, context.cancel);
  }
  context.out << (context.json
                      ? dump_json({{"runs", counts.runs},
                                   {"pieces", counts.pieces}}) +
                            "\n"
                      : fmt::format("Helped with {} runs: {} pieces.\n",
                                    counts.runs, counts.pieces));
  return context.cancel.check();
}

}  // namespace

Command join_command() {
  return {
      .name = "join",
      .summary = "Help with the runs of another machine",
      .description =
          "Computes pieces of runs that were started with --crew URL, such as "
          "`lamarck evolve net --crew URL`, for as long as it is left "
          "running. It may join late, and may be killed at any time: that "
          "changes no result.",
      .example = "lamarck join postgresql://host/db --cores 4 --idle 60",
      .has_crew = true,
      .configure = [](CLI::App& app) -> CommandAction {
        const auto flags = std::make_shared<JoinFlags>();
        add_option(app, "URL", &flags->url, "The database of the crew",
                   {.is_required = true});
        add_option(app, "--cores", &flags->cores,
                   "Pieces to compute at once (default: --threads)",
                   {.type = "N", .range = {{1, 4096}}});
        add_option(app, "--idle", &flags->idle,
                   "End after this many seconds without a run",
                   {.type = "SECONDS"});
        return [flags](CommandContext& context) {
          return join_runs(*flags, context);
        };
      }};
}

}  // namespace lamarck::cli
