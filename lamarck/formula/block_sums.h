// Sums over arrays, computed with SIMD.

#pragma once

#include <cstddef>

namespace lamarck::formula {

// Returns sum a[i] b[i].
double dot(const double* a, const double* b, std::size_t size);
// Returns sum (a[i] - shift)^2.
double squared_distance(const double* a, double shift, std::size_t size);
// sum[i] += scale a[i]
void add_scaled(const double* a, double scale, double* sum, std::size_t size);
// out[i] = a[i] b[i]; `out` may be `a` or `b`.
void multiply(const double* a, const double* b, double* out, std::size_t size);
// out[i] = factor a[i]; `out` may be `a`.
void scale(const double* a, double factor, double* out, std::size_t size);
// products[i * vectors + j] = sum over k of rows[i * size + k] others[j * size
// + k]: the product of two small matrices, without threads or packing.
void dot_all(const float* rows, std::size_t count, const float* others,
             std::size_t vectors, std::size_t size, float* products);
// Whether no element is infinite or NaN.
bool all_finite(const double* a, std::size_t size);
// The largest |a[i]|, or NaN if an element is not finite.
double largest_magnitude(const double* a, std::size_t size);

}  // namespace lamarck::formula
