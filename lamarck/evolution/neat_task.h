// What a NEAT population is to learn.

#pragma once

#include <cstddef>
#include <functional>
#include <string_view>

#include "lamarck/evolution/neat_network.h"

namespace lamarck::evolution {

struct NeatEvaluation {
  double fitness = 0;  // Not negative; more is better.
  bool solved = false;
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
  // In how many situations that it was not trained for a solution does well.
  // May be left out.
  std::function<int(FlatNetwork&)> generalisation;
};

}  // namespace lamarck::evolution
