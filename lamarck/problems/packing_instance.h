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
  std::vector<int> items;  // Sizes in the order of arrival, 1 to capacity.
};

// No packing needs fewer bins: the sum of the sizes over the capacity, rounded
// up.
int min_bins(const PackingInstance& instance);

// The defaults are the distribution of the OR-Library's first set (Falkenauer
// 1996): 120 items, 20 to 100, in bins of 150.
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

// The OR-Library's format: how many instances, then for each its name, a line
// "capacity items best" and the sizes. Sizes are whole numbers.
Result<std::vector<PackingInstance>> parse_packing(std::string_view text);

}  // namespace lamarck::problems
