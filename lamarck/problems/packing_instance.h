// Online bin packing: items arrive one by one and go into bins of one capacity.

#pragma once

#include <cstddef>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "lamarck/base/result.h"
#include "lamarck/base/rng.h"

namespace lamarck::problems {

struct PackingInstance {
  std::string name;
  int capacity = 0;
  std::vector<int> items;  // Sizes in order of arrival, 1 to capacity.
};

// A lower bound of the bins of any packing: the sum of the sizes divided by the
// capacity, rounded up.
int min_bins(const PackingInstance& instance);

// Instances with uniformly distributed sizes. The defaults are the distribution
// of the first set of the OR-Library (Falkenauer 1996).
struct UniformPacking {
  std::size_t instances = 20;
  std::size_t items = 120;
  int smallest = 20;
  int largest = 100;
  int capacity = 150;
};

// REQUIRES: 0 < smallest <= largest <= capacity.
std::vector<PackingInstance> uniform_packing(const UniformPacking& options,
                                             Rng& rng);

// Reads the format of the OR-Library: the number of instances, then for each
// its name, a line "capacity items best" and the sizes, all integers.
Result<std::vector<PackingInstance>> parse_packing(std::string_view text);

}  // namespace lamarck::problems
