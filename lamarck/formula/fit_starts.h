// Start values for a fit: params that suit the values they are combined with.

#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "lamarck/base/rng.h"
#include "lamarck/formula/expression_plan.h"

namespace lamarck::formula {

// Samples evenly spaced rows. The expression must outlive the drawer; the
// columns are only used by the constructor.
class StartDrawer {
 public:
  StartDrawer(const Expression& expression, const Columns& columns);

  // Draws the params from the leaves to the root, each when the first operation
  // that uses it is reached, so that the values of the other argument are
  // known.
  std::vector<double> draw(Rng& rng);

 private:
  static constexpr std::size_t kRows = 32;

  std::span<double> values_of(std::size_t node);
  void draw_for(std::size_t node, std::vector<double>& params, Rng& rng);
  double drawn(std::size_t node, std::size_t argument_index, Rng& rng);
  double drawn_beside(std::size_t node, std::size_t argument_index,
                      std::span<const double> others, Rng& rng) const;

  const Expression& expression_;
  std::vector<double> values_;            // [node][row]
  std::vector<std::uint8_t> is_done_;     // Whether a node's values are set.
  std::vector<Op> user_;                  // The first operation that uses it.
  std::vector<std::uint8_t> is_guarded_;  // Should not change sign.
};

}  // namespace lamarck::formula
