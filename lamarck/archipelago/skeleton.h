// The body of a function: its source text, and a way to call it.

#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "lamarck/base/result.h"

namespace lamarck::archipelago {

// Immutable. Thread safety: any member from any thread.
class Skeleton {
 public:
  virtual ~Skeleton() = default;

  virtual const std::string& source() const = 0;
  // What a short one has less of: nodes of a formula, characters else.
  virtual std::size_t size() const = 0;
  // Equal for skeletons that differ only in layout, comments or the names of
  // their locals (and, for formulas, in what algebra removes).
  virtual std::uint64_t hash() const = 0;
  // Constants to begin with, inherited from a parent; empty if it has none.
  virtual std::span<const double> constants() const { return {}; }

  // The function's values, element by element, for arguments of equal length
  // (one of length 1 stands for all).
  virtual Result<std::vector<double>> call(
      std::span<const std::vector<double>> arguments) const = 0;
};

using SkeletonPtr = std::shared_ptr<const Skeleton>;

}  // namespace lamarck::archipelago
