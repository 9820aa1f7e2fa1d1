// Whether one network is better than another by more than chance.

#pragma once

#include <vector>

namespace lamarck::evolution {

// A paired test: whether the mean of before - after over the same rows exceeds
// `errors` standard errors. True without rows, where it cannot be tested.
bool is_beyond_chance(const std::vector<double>& before,
                      const std::vector<double>& after, double errors);

}  // namespace lamarck::evolution
