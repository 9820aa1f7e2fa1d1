// What a NEAT population is to learn.

#pragma once

#include <cstddef>
#include <functional>
#include <string_view>

#include "lamarck/neat/neat_network.h"

namespace lamarck::neat {

struct NeatEvaluation {
  double fitness = 0;  // Not negative; more is better.
  bool solved = false;
};

// Something else that is worth knowing of a network, such as "accuracy".
struct NeatMeasure {
  std::string_view name;
  std::function<double(FlatNetwork&)> of;
};

// Thread safety: the functions are called by several threads at once.
struct NeatTask {
  std::string_view name;
  std::size_t inputs = 0;
  std::size_t outputs = 0;
  // Depends on the network alone, whose state is 0.
  std::function<NeatEvaluation(FlatNetwork&)> evaluate;
  // A dearer test, for tasks where no single evaluation shows a solution. Put
  // to champions of species that outdid their own record; not counted as
  // evaluations. May be left out.
  std::function<bool(FlatNetwork&, double fitness)> is_solution;
  NeatMeasure measure;  // Of what was found; may be left out.
};

}  // namespace lamarck::neat
