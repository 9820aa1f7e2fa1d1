// The interface of a task for NEAT.

#pragma once

#include <cstddef>
#include <functional>
#include <string_view>

#include "lamarck/neat/neat_genome.h"
#include "lamarck/neat/neat_network.h"

namespace lamarck::neat {

struct NeatEvaluation {
  double fitness = 0;  // Finite and 0 or more; higher is better.
  bool solved = false;
};

// An additional measure of a network for reports, such as "accuracy".
struct NeatMeasure {
  std::string_view name;
  std::function<double(FlatNetwork&)> of;
};

// Thread safety: several threads call the functions at once.
struct NeatTask {
  std::string_view name;
  std::size_t inputs = 0;
  std::size_t outputs = 0;
  // The result must depend only on the network, whose state is initially 0.
  std::function<NeatEvaluation(FlatNetwork&)> evaluate;
  // Called before `evaluate` unless it is empty: lets a genome learn, for
  // example by gradient descent on its graph, and changes its weights. Children
  // inherit what it learned (Lamarckian evolution). The result must depend only
  // on the genome. It must not change the topology.
  std::function<void(Genome&)> learn;
  // A more expensive test, for tasks where a single evaluation cannot prove a
  // solution. Applied to champions of species that beat their own record, and
  // not counted as an evaluation. Optional.
  std::function<bool(FlatNetwork&, double fitness)> is_solution;
  NeatMeasure measure;  // Reported for the best network. Optional.
};

}  // namespace lamarck::neat
