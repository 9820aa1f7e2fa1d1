// Skeletons that a run has evaluated, so that it need not do so again.

#pragma once

#include <cstddef>
#include <cstdint>
#include <unordered_map>

#include "lamarck/archipelago/evaluator.h"
#include "lamarck/archipelago/function.h"
#include "lamarck/archipelago/skeleton.h"

namespace lamarck::archipelago {

// Thread safety: `find` from several threads while nobody remembers.
class EvolverMemory {
 public:
  struct Entry {
    std::size_t times = 0;  // It was evaluated.
    SkeletonPtr skeleton;   // Of the best evaluation.
    Evaluation evaluation;
    FunctionScore score = 0;
  };

  // Keeps `most` entries at least and twice as many at most, of those that
  // came last.
  explicit EvolverMemory(std::size_t most) : most_(most) {}

  // Null if it is not known. Valid until the next call of `remember`.
  const Entry* find(std::uint64_t hash) const;
  // REQUIRES: evaluated.
  void remember(const Function& fn);
  std::size_t size() const { return recent_.size() + older_.size(); }

 private:
  using Entries = std::unordered_map<std::uint64_t, Entry>;

  std::size_t most_;
  Entries recent_;
  Entries older_;
};

}  // namespace lamarck::archipelago
