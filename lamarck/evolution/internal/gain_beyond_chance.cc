#include "lamarck/evolution/internal/gain_beyond_chance.h"

#include <cmath>
#include <cstddef>

namespace lamarck::evolution {

bool is_beyond_chance(const std::vector<double>& before,
                      const std::vector<double>& after, double errors) {
  if (before.size() < 2 || before.size() != after.size()) return true;
  const auto count = static_cast<double>(before.size());
  double mean = 0;
  for (std::size_t i = 0; i < before.size(); ++i) {
    mean += (before[i] - after[i]) / count;
  }
  double squares = 0;
  for (std::size_t i = 0; i < before.size(); ++i) {
    const double off = before[i] - after[i] - mean;
    squares += off * off;
  }
  return mean > errors * std::sqrt(squares / (count - 1) / count);
}

}  // namespace lamarck::evolution
