// Logarithm and exponential built from additions, multiplications and divisions
// only, which IEEE 754 rounds the same everywhere. The versions of libm differ
// in the last bit, so the same seed could otherwise give different runs.

#pragma once

namespace lamarck {

// Accurate to 2 ulp; -inf for 0, NaN for negative x.
double portable_log(double x);

// Accurate to 2 ulp; 0 and inf beyond the range of a double.
double portable_exp(double x);

}  // namespace lamarck
