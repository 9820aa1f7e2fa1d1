// One process of a crew whose pieces only sleep; bench/crew_bench runs several.
//
//   crew_worker threads|mpi|URL CHAINS STEPS MICROSECONDS [MEMBERS]
//   crew_worker join URL CHAINS STEPS MICROSECONDS
//   crew_worker alone TABLE TARGET
//
// The leader prints {"seconds", "pieces", "bytes"} from the first step on.
// `alone` evolves networks on one thread without a crew and by a crew of one,
// and prints the seconds of each: the least of several rounds.
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <memory>
#include <optional>
#include <string>
#include <thread>

#include "lamarck/crew/crew_chain_fixture.h"
#include "lamarck/crew/crew_leader.h"
#include "lamarck/crew/crew_member.h"
#include "lamarck/crew/mpi_transport.h"
#include "lamarck/crew/postgres_transport.h"
#include "lamarck/data/csv.h"
#include "lamarck/table/table_evolution.h"

namespace {

using namespace lamarck;

template <class T>
T require(Result<T> result) {
  if (!result) {
    std::fprintf(stderr, "%s\n", result.error().message().c_str());
    std::exit(1);
  }
  return std::move(*result);
}

void lead(std::unique_ptr<crew::Transport> transport, std::size_t members,
          crew::Chains chains) {
  crew::CrewLeader leader(
      {.version = "bench", .simd = "", .threads = 1, .first_members = members},
      std::move(transport));
  // Once everyone is there.
  require(crew::share_chains(leader, {.count = chains.count, .steps = 1}));
  std::this_thread::sleep_for(std::chrono::milliseconds(200));
  const auto begin = std::chrono::steady_clock::now();
  const auto before = leader.counts();
  require(crew::share_chains(leader, chains));
  const std::chrono::duration<double> taken =
      std::chrono::steady_clock::now() - begin;
  const auto after = leader.counts();
  std::printf(
      "{\"seconds\": %.6f, \"pieces\": %lld, \"bytes\": %lld}\n", taken.count(),
      static_cast<long long>(after.pieces - before.pieces),
      static_cast<long long>(after.bytes_sent + after.bytes_received -
                             before.bytes_sent - before.bytes_received));
}

void help(std::unique_ptr<crew::Transport> transport,
          const crew::Chains& chains) {
  auto member = require(crew::CrewMembership::join({.version = "bench",
                                                    .name = "bench",
                                                    .threads = 1,
                                                    .cancel = {},
                                                    .use_simd = {}},
                                                   std::move(transport)));
  require(crew::share_chains(*member, {.count = chains.count, .steps = 1}));
  require(crew::share_chains(*member, chains));
}

double evolve_seconds(const table::TablePlan& plan,
                      table::TableEvolutionOptions options, crew::Crew* crew) {
  options.evolution.crew = crew;
  const auto begin = std::chrono::steady_clock::now();
  require(table::evolve_table(plan, options));
  const std::chrono::duration<double> taken =
      std::chrono::steady_clock::now() - begin;
  return taken.count();
}

int compare_alone(const char* path, const char* target) {
  table::TableEvolutionOptions options;
  options.target = target;
  options.is_single = true;
  options.evolution.islands = 8;
  options.evolution.threads = 1;
  options.evolution.budget.generations = 60;
  const data::Table rows = require(data::read_csv(path));
  const table::TablePlan plan =
      require(table::plan_table(rows, nullptr, options));
  double without = 1e9;
  double with = 1e9;
  for (int round = 0; round < 5; ++round) {
    without = std::min(without, evolve_seconds(plan, options, nullptr));
    crew::CrewLeader leader({.version = "bench", .simd = "", .threads = 1});
    with = std::min(with, evolve_seconds(plan, options, &leader));
  }
  std::printf("{\"without\": %.6f, \"with\": %.6f}\n", without, with);
  return 0;
}

}  // namespace

int main(int argc, char** argv) {
  if (argc == 4 && std::string(argv[1]) == "alone") {
    return compare_alone(argv[2], argv[3]);
  }
  const bool joins = argc > 1 && std::string(argv[1]) == "join";
  const int first = joins ? 2 : 1;
  if (argc < first + 4) return 2;
  const std::string engine = argv[first];
  const std::chrono::microseconds pause(std::atol(argv[first + 3]));
  const crew::Chains chains{
      .count = static_cast<std::size_t>(std::atol(argv[first + 1])),
      .steps = static_cast<std::uint64_t>(std::atol(argv[first + 2])),
      .work = [pause] {
        if (pause.count() > 0) std::this_thread::sleep_for(pause);
      }};
  std::size_t members =
      argc > first + 4 ? static_cast<std::size_t>(std::atol(argv[first + 4]))
                       : 0;
  if (joins) {
    auto session = require(crew::PgSession::open(engine));
    std::optional<std::int64_t> run;
    while (!run) {
      auto found = crew::find_crew_run(session, 0);
      if (found) run = *found;
      if (!run) usleep(20'000);
    }
    help(require(crew::PostgresTransport::join(engine, *run, "bench", 1)),
         chains);
  } else if (engine == "threads") {
    lead(nullptr, 0, chains);
  } else if (engine == "mpi") {
    auto transport = require(crew::MpiTransport::open());
    const bool leads = transport->rank() == 0;
    members = static_cast<std::size_t>(transport->size() - 1);
    leads ? lead(std::move(transport), members, chains)
          : help(std::move(transport), chains);
  } else {
    lead(
        require(crew::PostgresTransport::lead(
            engine, {.kind = "bench", .flags = "", .version = "", .simd = ""})),
        members, chains);
  }
}
