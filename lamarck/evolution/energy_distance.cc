#include "lamarck/evolution/energy_distance.h"

#include <algorithm>
#include <cmath>

#include "lamarck/base/ensure.h"

namespace lamarck::evolution {
namespace {

// The mean distance of a point of `a` and a point of `b`. If both are the same
// tensor, the pairs of a point with itself add 0 and are not counted.
double mean_distance(const Tensor& a, const Tensor& b, bool is_same) {
  const std::span<const float> from = a.data();
  const std::span<const float> to = b.data();
  const auto width = static_cast<std::size_t>(a.size(1));
  double sum = 0;
  for (std::size_t i = 0; i < from.size(); i += width) {
    for (std::size_t k = 0; k < to.size(); k += width) {
      float squares = 0;
      for (std::size_t n = 0; n < width; ++n) {
        const float off = from[i + n] - to[k + n];
        squares += off * off;
      }
      sum += double{std::sqrt(squares)};
    }
  }
  const auto rows = static_cast<double>(a.size(0));
  const auto others = static_cast<double>(b.size(0)) - (is_same ? 1 : 0);
  return sum / (rows * others);
}

}  // namespace

double energy_distance(const Tensor& a, const Tensor& b) {
  REQUIRE(a.rank() == 2 && b.rank() == 2 && a.size(1) == b.size(1) &&
              a.size(0) >= 2 && b.size(0) >= 2,
          "energy_distance: both tensors must be [points, numbers] with at "
          "least two points and equally many numbers, got {} and {}.",
          a.shape().to_string(), b.shape().to_string());
  const Tensor one = a.contiguous();
  const Tensor two = b.contiguous();
  const double between = mean_distance(one, two, false);
  if (between == 0) return 0;
  const double within =
      mean_distance(one, one, true) + mean_distance(two, two, true);
  return std::clamp(1 - within / (2 * between), 0.0, 1.0);
}

double similarity(const Tensor& a, const Tensor& b) {
  return 1 - std::sqrt(energy_distance(a, b));
}

}  // namespace lamarck::evolution
