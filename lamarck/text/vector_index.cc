#include "lamarck/text/vector_index.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <utility>

#include "lamarck/base/ensure.h"
#include "lamarck/text/internal/vector_scan.h"

namespace lamarck::text {
namespace {

constexpr std::size_t kBlock = 256;  // Rows whose scores stay in the cache.
constexpr std::size_t kAlignment = 64;

std::size_t padded(std::size_t dimensions) {
  return (dimensions + kAlignment - 1) / kAlignment * kAlignment;
}

struct ByteVector {
  std::vector<std::int8_t> bytes;
  float scale = 0;  // The value of one step.
};

ByteVector quantize(std::span<const float> vector, std::size_t size) {
  ByteVector result{std::vector<std::int8_t>(size, 0), 0};
  float largest = 0;
  for (const float x : vector) largest = std::max(largest, std::abs(x));
  if (largest == 0) return result;
  result.scale = largest / 127;
  for (std::size_t i = 0; i < vector.size(); ++i) {
    result.bytes[i] =
        static_cast<std::int8_t>(std::lround(vector[i] / result.scale));
  }
  return result;
}

struct Candidate {
  float similarity;
  std::size_t row;
};

}  // namespace

// The vectors, padded with zeros, in one of the formats.
struct VectorIndex::Rows {
  Rows(std::size_t size, VectorFormat used)
      : width(padded(size)), format(used) {}

  void assign(std::size_t row, std::span<const float> vector) {
    if (format == VectorFormat::Float32) {
      floats.resize(std::max(floats.size(), (row + 1) * width));
      std::copy(vector.begin(), vector.end(), floats.begin() + at(row));
      return;
    }
    const ByteVector quantized = quantize(vector, width);
    bytes.resize(std::max(bytes.size(), (row + 1) * width));
    scales.resize(std::max(scales.size(), row + 1));
    std::copy(quantized.bytes.begin(), quantized.bytes.end(),
              bytes.begin() + at(row));
    scales[row] = quantized.scale;
  }

  // Moves the last row into `row` and drops the last.
  void erase(std::size_t row, std::size_t last) {
    if (format == VectorFormat::Float32) {
      std::copy_n(floats.begin() + at(last), width, floats.begin() + at(row));
      floats.resize(last * width);
      return;
    }
    std::copy_n(bytes.begin() + at(last), width, bytes.begin() + at(row));
    bytes.resize(last * width);
    scales[row] = scales[last];
    scales.resize(last);
  }

  // Calls visit(first row, scores) for blocks of rows.
  template <class Visit>
  void scan(std::span<const float> query, std::size_t count,
            Visit&& visit) const {
    std::vector<float> wide(query.begin(), query.end());
    wide.resize(width, 0.0f);
    const ByteVector narrow =
        format == VectorFormat::Int8 ? quantize(query, width) : ByteVector{};
    std::array<float, kBlock> scores{};
    std::array<std::int32_t, kBlock> sums{};
    for (std::size_t begin = 0; begin < count; begin += kBlock) {
      const std::size_t size = std::min(kBlock, count - begin);
      if (format == VectorFormat::Float32) {
        scan_floats(floats.data() + begin * width, size, width, wide.data(),
                    scores.data());
      } else {
        scan_bytes(bytes.data() + begin * width, size, width,
                   narrow.bytes.data(), sums.data());
        for (std::size_t i = 0; i < size; ++i) {
          scores[i] =
              static_cast<float>(sums[i]) * scales[begin + i] * narrow.scale;
        }
      }
      visit(begin, std::span<const float>(scores.data(), size));
    }
  }

  std::ptrdiff_t at(std::size_t row) const {
    return static_cast<std::ptrdiff_t>(row * width);
  }

  std::size_t width;
  VectorFormat format;
  std::vector<float> floats;
  std::vector<std::int8_t> bytes;
  std::vector<float> scales;
};

VectorIndex::VectorIndex(std::size_t dimensions, VectorFormat format)
    : dimensions_(dimensions),
      rows_(std::make_unique<Rows>(dimensions, format)) {
  REQUIRE(dimensions > 0 && dimensions <= 65536,
          "VectorIndex: dimensions must be between 1 and 65,536, got {}.",
          dimensions);
}
VectorIndex::~VectorIndex() = default;
VectorIndex::VectorIndex(VectorIndex&&) noexcept = default;
VectorIndex& VectorIndex::operator=(VectorIndex&&) noexcept = default;

void VectorIndex::insert(std::string_view key, std::span<const float> vector) {
  REQUIRE(vector.size() == dimensions_,
          "VectorIndex: a vector must have {} dimensions, got {}.", dimensions_,
          vector.size());
  REQUIRE(std::ranges::all_of(vector, [](float x) { return std::isfinite(x); }),
          "VectorIndex: the elements of '{}' must be finite.", key);
  const auto [place, is_new] =
      rows_of_keys_.try_emplace(std::string(key), keys_.size());
  if (is_new) keys_.emplace_back(key);
  rows_->assign(place->second, vector);
}

bool VectorIndex::erase(std::string_view key) {
  const auto place = rows_of_keys_.find(std::string(key));
  if (place == rows_of_keys_.end()) return false;
  const std::size_t row = place->second;
  const std::size_t last = keys_.size() - 1;
  rows_of_keys_.erase(place);
  rows_->erase(row, last);
  if (row != last) {
    keys_[row] = std::move(keys_[last]);
    rows_of_keys_[keys_[row]] = row;
  }
  keys_.pop_back();
  return true;
}

std::vector<VectorMatch> VectorIndex::search(std::span<const float> query,
                                             std::size_t max_count) const {
  REQUIRE(query.size() == dimensions_,
          "VectorIndex: a query must have {} dimensions, got {}.", dimensions_,
          query.size());
  const auto is_better = [this](const Candidate& a, const Candidate& b) {
    if (a.similarity != b.similarity) return a.similarity > b.similarity;
    return keys_[a.row] < keys_[b.row];
  };
  // A heap whose first entry is the worst of the best.
  std::vector<Candidate> best;
  if (max_count == 0) return {};
  rows_->scan(query, size(), [&](std::size_t begin, auto scores) {
    for (std::size_t i = 0; i < scores.size(); ++i) {
      const Candidate candidate{scores[i], begin + i};
      if (best.size() == max_count) {
        if (scores[i] < best.front().similarity) continue;
        if (!is_better(candidate, best.front())) continue;
        std::ranges::pop_heap(best, is_better);
        best.pop_back();
      }
      best.push_back(candidate);
      std::ranges::push_heap(best, is_better);
    }
  });
  std::ranges::sort_heap(best, is_better);
  std::vector<VectorMatch> matches;
  for (const Candidate& one : best) {
    matches.push_back({keys_[one.row], one.similarity});
  }
  return matches;
}

}  // namespace lamarck::text
