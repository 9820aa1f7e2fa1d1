#include "lamarck/archipelago/evolver_memory.h"

#include <utility>

namespace lamarck::archipelago {

const EvolverMemory::Entry* EvolverMemory::find(std::uint64_t hash) const {
  if (const auto found = recent_.find(hash); found != recent_.end()) {
    return &found->second;
  }
  const auto found = older_.find(hash);
  return found == older_.end() ? nullptr : &found->second;
}

void EvolverMemory::remember(const Function& fn) {
  if (capacity_ == 0) return;
  const std::uint64_t hash = fn.skeleton()->hash();
  // Starts a new generation and drops the one before the last.
  if (recent_.size() >= capacity_ && !recent_.contains(hash)) {
    older_ = std::exchange(recent_, {});
  }
  // An entry that is used again moves to the recent generation.
  if (auto old = older_.extract(hash)) recent_.insert(std::move(old));
  Entry& entry = recent_[hash];
  if (entry.times == 0 || fn.score() > entry.score) {
    entry.skeleton = fn.skeleton();
    entry.evaluation = fn.evaluation();
    entry.score = fn.score();
  }
  ++entry.times;
}

}  // namespace lamarck::archipelago
