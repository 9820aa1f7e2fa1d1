// Remembers the skeletons that a run has evaluated, to avoid evaluating them
// again.

#pragma once

#include <cstddef>
#include <cstdint>
#include <unordered_map>

#include "lamarck/archipelago/evaluator.h"
#include "lamarck/archipelago/function.h"
#include "lamarck/archipelago/skeleton.h"

namespace lamarck::archipelago {

// Thread safety: `find` may be called from several threads, but not during
// `remember`.
class EvolverMemory {
 public:
  struct Entry {
    std::size_t times = 0;  // How often it was evaluated.
    SkeletonPtr skeleton;   // The one with the best evaluation.
    Evaluation evaluation;
    FunctionScore score = 0;
  };

  // Keeps at least the last `capacity` entries and at most twice as many.
  explicit EvolverMemory(std::size_t capacity) : capacity_(capacity) {}

  // Returns null if the hash is unknown. The pointer is valid until the next
  // call to `remember`.
  const Entry* find(std::uint64_t hash) const;
  // REQUIRES: `fn` is evaluated.
  void remember(const Function& fn);
  std::size_t size() const { return recent_.size() + older_.size(); }

 private:
  using Entries = std::unordered_map<std::uint64_t, Entry>;

  std::size_t capacity_;
  // Two generations: when recent_ is full it replaces older_, which drops the
  // oldest entries without tracking the age of each.
  Entries recent_;
  Entries older_;
};

}  // namespace lamarck::archipelago
