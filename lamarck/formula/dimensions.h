// Whether a formula is dimensionally consistent, and the dimension of its
// value.

#pragma once

#include <cstddef>
#include <optional>
#include <span>
#include <vector>

#include "lamarck/formula/expression.h"
#include "lamarck/formula/unit.h"

namespace lamarck::formula {

// The dimensions of the columns of a table. Numbers in a formula are pure
// numbers, except that they may have the dimension of any product of powers of
// the declared constants: with the constant c in m/s, lengths and times may be
// added.
class Dimensions {
 public:
  Dimensions(std::vector<Dimension> inputs, const Dimension& target,
             std::span<const Dimension> constants = {});

  // Without the part that constants can express.
  const std::vector<Dimension>& inputs() const { return inputs_; }
  const Dimension& target() const { return target_; }
  // Whether anything has a dimension at all.
  bool are_plain() const;

  // The same for some of the inputs.
  Dimensions pick(std::span<const std::size_t> inputs) const;

  // Whether the formula is consistent and has the dimension of the target.
  bool allow(const Expression& body, std::span<const double> params) const;

 private:
  std::vector<Dimension> inputs_;
  Dimension target_;
};

bool are_equal(const Dimension& a, const Dimension& b);

// Returns nullopt if the formula is not consistent, for example because it adds
// a length to a time or takes the sine of a length.
std::optional<Dimension> dimension_of(const Expression& body,
                                      std::span<const double> params,
                                      std::span<const Dimension> inputs);

}  // namespace lamarck::formula
