// Inner products of one vector with many, vectorized for the instruction set in
// use.

#pragma once

#include <cstddef>
#include <cstdint>

namespace lamarck::text {

// out[i] = row i times query. REQUIRES: `dimensions` is a multiple of 64; rows
// are adjacent.
void scan_floats(const float* rows, std::size_t count, std::size_t dimensions,
                 const float* query, float* out);

// The same for integers. REQUIRES: `dimensions` is a multiple of 64 and at most
// 65,536, so that no sum overflows.
void scan_bytes(const std::int8_t* rows, std::size_t count,
                std::size_t dimensions, const std::int8_t* query,
                std::int32_t* out);

}  // namespace lamarck::text
