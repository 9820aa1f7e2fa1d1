#include "lamarck/neat/neat_crew.h"

#include <algorithm>
#include <vector>

#include "lamarck/base/error.h"
#include "lamarck/base/macros.h"
#include "lamarck/crew/cpu_time.h"
#include "lamarck/neat/neat_bytes.h"
#include "lamarck/neat/neat_evaluation.h"

namespace lamarck::neat {
namespace {

using crew::ByteReader;
using crew::ByteWriter;

constexpr std::size_t kPieceGenomes = 16;

// The weights that a genome has learned.
void add_weights(ByteWriter& out, const Genome& genome) {
  std::vector<float> weights;
  for (const ConnectionGene& gene : genome.connections()) {
    weights.push_back(gene.weight);
  }
  out.add_floats(weights);
}

void read_weights(ByteReader& in, Genome& genome) {
  const std::vector<float> weights = in.floats();
  const auto connections = genome.connections();
  if (weights.size() != connections.size()) return in.fail();
  for (std::size_t i = 0; i < weights.size(); ++i) {
    genome.set_weight(connections[i].innovation, weights[i]);
  }
}

}  // namespace

NeatCrew::NeatCrew(crew::Crew& crew, const NeatTask& task)
    : crew_(crew), task_(task), work_([this](std::size_t, std::string_view in) {
        return evaluate_piece(in);
      }) {}

std::string NeatCrew::evaluate_piece(std::string_view input) const {
  const double begin = crew::thread_cpu_seconds();
  ByteReader in(input);
  std::vector<Genome> genomes(in.length());
  for (Genome& genome : genomes) genome = read_genome(in);
  if (const auto good = in.check("A generation"); !good) {
    throw LogicError(good.error());
  }
  FlatNetwork network;
  const std::size_t stop = evaluate_genomes(task_, genomes, network);
  ByteWriter out;
  out.add_count(stop);
  for (std::size_t i = 0; i < std::min(stop + 1, genomes.size()); ++i) {
    out.add_number(genomes[i].fitness);
    if (task_.learn) add_weights(out, genomes[i]);
  }
  out.add_number(crew::thread_cpu_seconds() - begin);
  return out.take();
}

Result<std::size_t> NeatCrew::take(std::string_view bytes,
                                   std::span<Genome> genomes) {
  ByteReader in(bytes);
  const auto stop = static_cast<std::size_t>(in.count());
  if (stop > genomes.size()) in.fail();
  for (std::size_t i = 0; i < std::min(stop + 1, genomes.size()); ++i) {
    genomes[i].fitness = in.number();
    if (task_.learn) read_weights(in, genomes[i]);
  }
  cpu_seconds_ += in.number();
  RETURN_IF_ERROR(in.check("The fitness of a generation"));
  return stop;
}

Result<std::size_t> NeatCrew::evaluate(std::span<Genome> genomes) {
  const auto piece = [&](std::size_t index) {
    const std::size_t begin = index * kPieceGenomes;
    return genomes.subspan(begin,
                           std::min(kPieceGenomes, genomes.size() - begin));
  };
  const auto input = [&](std::size_t index, bool) {
    ByteWriter out;
    const std::span<Genome> part = piece(index);
    out.add_count(part.size());
    for (const Genome& genome : part) add_genome(out, genome);
    return out.take();
  };
  ASSIGN_OR_RETURN(
      const std::vector<std::string> results,
      crew_.map({.count = (genomes.size() + kPieceGenomes - 1) / kPieceGenomes,
                 .input = input,
                 .work = work_,
                 .should_stop = {}}));
  std::size_t solution = genomes.size();
  for (std::size_t i = 0; i < results.size(); ++i) {
    ASSIGN_OR_RETURN(const std::size_t stop, take(results[i], piece(i)));
    if (stop < piece(i).size()) {
      solution = std::min(solution, i * kPieceGenomes + stop);
    }
  }
  return solution;
}

Result<void> NeatCrew::end() { return crew_.end_stage(""); }

Result<void> NeatCrew::serve() {
  RETURN_IF_ERROR(crew_.serve(work_));
  return {};
}

}  // namespace lamarck::neat
