// Logarithm and exponential made of additions, multiplications and divisions
// alone, which every machine rounds alike. The system's own differ in the last
// bit between processors and libraries, and would let one seed give two runs.

#pragma once

namespace lamarck {

// Within 2 units in the last place; -inf for 0, NaN below.
double portable_log(double x);

// Within 2 units in the last place; 0 and inf beyond the range of a double.
double portable_exp(double x);

}  // namespace lamarck
