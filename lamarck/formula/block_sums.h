// Sums over vectors of doubles, with the widest vectors of the machine.

#pragma once

#include <cstddef>

namespace lamarck::formula {

// sum a[i] b[i]
double dot(const double* a, const double* b, std::size_t size);
// sum (a[i] - shift)^2
double squared_distance(const double* a, double shift, std::size_t size);
// sum[i] += scale a[i]
void add_scaled(const double* a, double scale, double* sum, std::size_t size);
// out[i] = a[i] b[i]; `out` may be one of them.
void multiply(const double* a, const double* b, double* out, std::size_t size);
// out[i] = scale a[i]
void scale(const double* a, double factor, double* out, std::size_t size);
// products[i * vectors + j] = sum over k of rows[i * size + k] others[j * size
// + k]: a product of small matrices, without threads or packing.
void dot_all(const float* rows, std::size_t count, const float* others,
             std::size_t vectors, std::size_t size, float* products);
// Whether none is infinite or not a number.
bool all_finite(const double* a, std::size_t size);
// The largest |a[i]|; not finite if one is not.
double largest_magnitude(const double* a, std::size_t size);

}  // namespace lamarck::formula
