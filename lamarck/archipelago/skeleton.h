// A function without its evaluation: its source text and a way to call it.

#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "lamarck/base/result.h"

namespace lamarck::archipelago {

// Immutable. Thread safety: all members may be called from any thread.
class Skeleton {
 public:
  virtual ~Skeleton() = default;

  virtual const std::string& source() const = 0;
  // Nodes of a formula, characters of other sources.
  virtual std::size_t size() const = 0;
  // Equal for skeletons that differ only in layout, comments or names of local
  // variables and, for formulas, in what algebraic simplification removes.
  virtual std::uint64_t hash() const = 0;
  // Starting values of the constants, inherited from a parent. May be empty.
  virtual std::span<const double> constants() const { return {}; }

  // Calls the function element by element. The arguments are columns of equal
  // length; a column of length 1 is repeated.
  virtual Result<std::vector<double>> call(
      std::span<const std::vector<double>> arguments) const = 0;
};

using SkeletonPtr = std::shared_ptr<const Skeleton>;

}  // namespace lamarck::archipelago
