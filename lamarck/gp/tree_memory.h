// The hashes of the latest functions of an island, to avoid making one twice.

#pragma once

#include <cstddef>
#include <cstdint>
#include <deque>
#include <unordered_set>

#include "lamarck/base/json.h"
#include "lamarck/base/result.h"

namespace lamarck::gp {

// Owned by one thread at a time.
class TreeMemory {
 public:
  static constexpr std::size_t kCapacity = 4096;  // Drops the oldest beyond it.

  // Returns whether the hash is new.
  bool add(std::uint64_t hash);
  std::size_t size() const { return order_.size(); }

  Json to_json() const;
  static Result<TreeMemory> from_json(const Json& json);

 private:
  std::deque<std::uint64_t> order_;  // Oldest first.
  std::unordered_set<std::uint64_t> hashes_;
};

}  // namespace lamarck::gp
