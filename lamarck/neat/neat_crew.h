// Shares out the evaluations of a generation among the processes of a crew.
//
//   NeatCrew shared(crew, task);
//   if (!crew.is_leader()) return shared.serve();
//   outcome = search(population, shared, limits);
//
// A piece is a block of genomes, so that small evaluations share a message.

#pragma once

#include <cstddef>
#include <span>
#include <string>
#include <string_view>

#include "lamarck/base/result.h"
#include "lamarck/crew/crew.h"
#include "lamarck/neat/neat_genome.h"
#include "lamarck/neat/neat_task.h"

namespace lamarck::neat {

class NeatCrew {
 public:
  // The crew and the task must outlive the object.
  NeatCrew(crew::Crew& crew, const NeatTask& task);
  // The work points to the object.
  NeatCrew(const NeatCrew&) = delete;
  NeatCrew& operator=(const NeatCrew&) = delete;

  const NeatTask& task() const { return task_; }

  // Leader: as evaluate_genomes, except that genomes behind the first solution
  // may have changed too.
  Result<std::size_t> evaluate(std::span<Genome> genomes);
  // Leader: lets the members continue.
  Result<void> end();
  // Member: evaluates genomes until the leader ends the run.
  Result<void> serve();

  // Leader: the CPU time of all evaluations.
  double cpu_seconds() const { return cpu_seconds_; }

 private:
  std::string evaluate_piece(std::string_view input) const;
  // Returns the number of evaluated genomes, less one if the last one is a
  // solution.
  Result<std::size_t> take(std::string_view bytes, std::span<Genome> genomes);

  crew::Crew& crew_;
  const NeatTask& task_;
  const crew::Work work_;
  double cpu_seconds_ = 0;
};

}  // namespace lamarck::neat
