// Loops over arrays of floats that several operations share, vectorized for the
// instruction set in use.

#pragma once

#include <cstddef>

namespace lamarck {

// The sum. Long arrays are summed pairwise, so that the rounding error stays
// small.
float sum_of(const float* x, std::size_t count);
// The sum of a[i] * b[i].
float dot(const float* a, const float* b, std::size_t count);
float max_of(const float* x, std::size_t count);  // REQUIRES: count > 0.
float min_of(const float* x, std::size_t count);  // REQUIRES: count > 0.

void add_to(const float* x, float* y, std::size_t count);  // y += x
// y += each of `rows` rows of `count` numbers, in order.
void add_rows_to(const float* x, std::size_t rows, float* y, std::size_t count);
// y += factor * x
void add_scaled_to(float factor, const float* x, float* y, std::size_t count);
// y = factor * x
void scale(float factor, const float* x, float* y, std::size_t count);

// y = max(x, y), and y = min(x, y).
void max_to(const float* x, float* y, std::size_t count);
void min_to(const float* x, float* y, std::size_t count);

// y = exp(x - shift); returns the sum of y. REQUIRES: shift >= all x.
float exp_shifted(const float* x, float shift, float* y, std::size_t count);

}  // namespace lamarck
