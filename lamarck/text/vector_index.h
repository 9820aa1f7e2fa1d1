// Finds the vectors most like a given one among those of one organization, by
// comparing all of them: exact, and fast enough for 100,000 (see
// docs/decisions/vectors.md).

#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

namespace lamarck::text {

enum class VectorFormat : std::uint8_t {
  Float32,
  Int8,  // A quarter of the memory and time; similarities differ by up to 0.01.
};

struct VectorMatch {
  std::string key;
  double similarity = 0;  // The inner product.

  friend bool operator==(const VectorMatch&, const VectorMatch&) = default;
};

// Thread safety: searches may run at the same time, but not during a change.
class VectorIndex {
 public:
  explicit VectorIndex(std::size_t dimensions,
                       VectorFormat format = VectorFormat::Float32);
  ~VectorIndex();
  VectorIndex(VectorIndex&&) noexcept;
  VectorIndex& operator=(VectorIndex&&) noexcept;

  std::size_t size() const { return keys_.size(); }
  std::size_t dimensions() const { return dimensions_; }

  // Replaces the vector of a known key. Throws LogicError if the size differs
  // or an element is not finite.
  void insert(std::string_view key, std::span<const float> vector);
  // Returns whether the key was there.
  bool erase(std::string_view key);

  // Up to `max_count` matches, best first; equal similarities in the order of
  // their keys. Throws LogicError if the size of the query differs.
  std::vector<VectorMatch> search(std::span<const float> query,
                                  std::size_t max_count) const;

 private:
  struct Rows;

  std::size_t dimensions_;
  std::vector<std::string> keys_;  // One per row.
  std::unordered_map<std::string, std::size_t> rows_of_keys_;
  std::unique_ptr<Rows> rows_;
};

}  // namespace lamarck::text
