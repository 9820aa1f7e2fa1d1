// Where a fit may begin: params that suit what they are added to, multiplied
// with or raised to.

#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "lamarck/base/rng.h"
#include "lamarck/formula/expression_plan.h"

namespace lamarck::formula {

// Looks at some rows, spread evenly. The expression must live as long; the
// columns only until it is made.
class StartDrawer {
 public:
  StartDrawer(const Expression& expression, const Columns& columns);

  // Params from the leaves to the root, each drawn when an operation first
  // needs it and when the values of the other argument are known.
  std::vector<double> draw(Rng& rng);

 private:
  static constexpr std::size_t kRows = 32;

  std::span<double> values_of(std::size_t node);
  void draw_for(std::size_t node, std::vector<double>& params, Rng& rng);
  double drawn(std::size_t node, std::size_t place, Rng& rng);
  double drawn_beside(std::size_t node, std::size_t place,
                      std::span<const double> others, Rng& rng) const;

  const Expression& expression_;
  std::vector<double> values_;         // [node][row]
  std::vector<std::uint8_t> is_done_;  // Whether a node has its values.
  std::vector<Op> user_;               // The first operation that uses a node.
  std::vector<std::uint8_t> is_guarded_;  // Is best without a change of sign.
};

}  // namespace lamarck::formula
