#include "lamarck/cli/evolve/crew_flag.h"

#include <unistd.h>
#include <fmt/format.h>

#include <array>

#include "lamarck/base/file.h"
#include "lamarck/base/macros.h"
#include "lamarck/base/one_line.h"
#include "lamarck/base/version.h"
#include "lamarck/crew/crew_leader.h"
#include "lamarck/crew/crew_member.h"
#include "lamarck/crew/mpi_transport.h"
#include "lamarck/crew/postgres_transport.h"
#include "lamarck/data/csv.h"
#include "lamarck/tensor/simd_target.h"

namespace lamarck::cli {
namespace {

Result<std::unique_ptr<crew::Crew>> open_mpi_crew(
    std::size_t threads, const CommandContext& context) {
  ASSIGN_OR_RETURN(auto transport, crew::MpiTransport::open());
  const auto others = static_cast<std::size_t>(transport->size() - 1);
  if (transport->rank() == 0) {
    return std::make_unique<crew::CrewLeader>(
        crew::LeaderOptions{.version = std::string(version()),
                            .simd = simd_target(),
                            .threads = threads,
                            .first_members = others},
        std::move(transport));
  }
  ASSIGN_OR_RETURN(auto member, crew::CrewMembership::join(
                                    {.version = std::string(version()),
                                     .name = process_name(),
                                     .threads = threads,
                                     .cancel = context.cancel,
                                     .use_simd = choose_simd_target},
                                    std::move(transport)));
  return std::unique_ptr<crew::Crew>(std::move(member));
}

}  // namespace

std::string process_name() {
  std::array<char, 256> host{};
  if (gethostname(host.data(), host.size() - 1) != 0) host[0] = '\0';
  return std::string(host.data()) + ":" + std::to_string(getpid());
}

Result<void> check_crew_url(const std::string& url) {
  if (crew::is_postgres_url(url)) return {};
  return invalid_argument(
      "The crew must be the URL of a PostgreSQL database, such as "
      "postgresql://host/db, got '" +
      one_line(url, 100) + "'.");
}

Result<std::unique_ptr<crew::Crew>> open_crew(
    const std::optional<std::string>& url, crew::CrewRun run,
    std::size_t threads, const CommandContext& context) {
  if (!url) {
    if (crew::mpi_place().size > 1) return open_mpi_crew(threads, context);
    return std::unique_ptr<crew::Crew>();
  }
  RETURN_IF_ERROR(check_crew_url(*url));
  run.version = std::string(version());
  run.simd = simd_target();
  ASSIGN_OR_RETURN(auto transport, crew::PostgresTransport::lead(*url, run));
  return std::make_unique<crew::CrewLeader>(
      crew::LeaderOptions{
          .version = run.version, .simd = run.simd, .threads = threads},
      std::move(transport));
}

Result<void> add_crew_file(const std::optional<std::string>& url,
                           const std::filesystem::path& path,
                           crew::CrewRun& run) {
  if (!url && crew::mpi_place().size == 1) return {};
  if (data::is_standard_input(path)) {
    return invalid_argument(
        "All processes of a crew read the data, so it must be a file; save "
        "standard input to a file first.");
  }
  if (!url) return {};
  ASSIGN_OR_RETURN(std::string bytes, read_file(path));
  // The number keeps files of one name apart.
  run.files.push_back(
      {fmt::format("{}/{}", run.files.size(), path.filename().string()),
       std::move(bytes)});
  return {};
}

Result<std::vector<std::string>> map_seeds(std::int64_t count, crew::Crew& crew,
                                           const crew::Work& work,
                                           CommandContext& context) {
  ProgressOptions shown = context.progress("Evolving");
  shown.total = count;
  shown.unit = "seeds";
  Progress progress(context.err, context.clock, shown);
  std::vector<std::string> results(static_cast<std::size_t>(count));
  const auto done =
      crew.map({.count = results.size(),
                .input = [](std::size_t, bool) { return std::string(); },
                .work = work,
                .should_stop = [&] { return context.cancel.is_cancelled(); },
                .arrived =
                    [&](std::size_t index, const std::string& bytes) {
                      results[index] = bytes;
                      progress.advance();
                    }});
  if (!done && done.error().code() != ErrorCode::Cancelled) return done.error();
  RETURN_IF_ERROR(crew.end_stage(""));
  return results;
}

Error leave_crew(crew::CrewMembership& crew, const Error& reason) {
  crew.excuse(reason.message());
  crew.wait_for_end();
  return reason;
}

}  // namespace lamarck::cli
