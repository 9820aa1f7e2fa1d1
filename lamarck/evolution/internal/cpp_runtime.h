// The text of the helper functions in exported C++ sources. Everything below
// becomes part of the user's file, so it must compile as C++17 by itself.

#pragma once

namespace lamarck::evolution {

inline constexpr const char* kCppIncludes = R"(
#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>
#include <vector>

)";

inline constexpr const char* kCppActivations = R"(
inline float sigmoid(float x) { return 1 / (1 + std::exp(-x)); }
inline float relu(float x) { return x < 0 ? 0 : x; }
inline float leaky_relu(float x) { return x > 0 ? x : 0.01f * x; }
)";

// Unlike std::max, these keep NaN.
inline constexpr const char* kCppLargest = R"(
inline float larger(float a, float b) {
  return a > b || std::isnan(a) ? a : b;
}
inline float largest(std::initializer_list<float> values) {
  float result = *values.begin();
  for (const float each : values) result = larger(result, each);
  return result;
}
)";

// Matrices are [from, to].
inline constexpr const char* kCppLayers = R"(
inline float dot(const float* x, const float* weights, std::size_t size) {
  float sum = 0;
  for (std::size_t i = 0; i < size; ++i) sum += x[i] * weights[i];
  return sum;
}

inline std::vector<float> product(const float* x, std::size_t rows,
                                  const float* weights, std::size_t columns) {
  std::vector<float> sums(columns);
  for (std::size_t i = 0; i < rows; ++i) {
    for (std::size_t j = 0; j < columns; ++j) {
      sums[j] += x[i] * weights[i * columns + j];
    }
  }
  return sums;
}

inline void add(std::vector<float>& to, const std::vector<float>& what) {
  for (std::size_t i = 0; i < to.size(); ++i) to[i] += what[i];
}
inline void multiply(std::vector<float>& to, const std::vector<float>& what) {
  for (std::size_t i = 0; i < to.size(); ++i) to[i] *= what[i];
}
inline void keep_larger(std::vector<float>& to,
                        const std::vector<float>& what) {
  for (std::size_t i = 0; i < to.size(); ++i) to[i] = larger(to[i], what[i]);
}
inline void add_bias(std::vector<float>& to, const float* bias) {
  for (std::size_t i = 0; i < to.size(); ++i) to[i] += bias[i];
}
)";

// Kernels are [to, from, height, width].
inline constexpr const char* kCppImages = R"(
inline void add_channel_bias(std::vector<float>& to, const float* bias,
                             std::size_t area) {
  for (std::size_t i = 0; i < to.size(); ++i) to[i] += bias[i / area];
}

// Adds to `sums`; the image is padded with zeros, so that it keeps its size.
inline void convolve(const float* image, int channels, int height, int width,
                     const float* kernels, int outputs, int kernel,
                     std::vector<float>& sums) {
  float* sum = sums.data();
  for (int o = 0; o < outputs; ++o) {
    for (int y = 0; y < height; ++y) {
      for (int x = 0; x < width; ++x, ++sum) {
        for (int c = 0; c < channels; ++c) {
          for (int ky = 0; ky < kernel; ++ky) {
            for (int kx = 0; kx < kernel; ++kx) {
              const int iy = y + ky - kernel / 2;
              const int ix = x + kx - kernel / 2;
              if (iy < 0 || iy >= height || ix < 0 || ix >= width) continue;
              *sum += image[(c * height + iy) * width + ix] *
                      kernels[((o * channels + c) * kernel + ky) * kernel + kx];
            }
          }
        }
      }
    }
  }
}

inline std::vector<float> max_pool(const std::vector<float>& image,
                                   int channels, int height, int width,
                                   int pool) {
  std::vector<float> largest;
  for (int c = 0; c < channels; ++c) {
    for (int y = 0; y + pool <= height; y += pool) {
      for (int x = 0; x + pool <= width; x += pool) {
        float best = image[static_cast<std::size_t>((c * height + y) * width + x)];
        for (int i = 0; i < pool * pool; ++i) {
          best = larger(best, image[static_cast<std::size_t>(
              (c * height + y + i / pool) * width + x + i % pool)]);
        }
        largest.push_back(best);
      }
    }
  }
  return largest;
}
)";

inline constexpr const char* kCppLstm = R"(
// Gates: input, forget, candidate, output.
inline std::vector<float> lstm(const std::vector<float>& gates,
                               std::vector<float>& cell) {
  const std::size_t size = cell.size();
  std::vector<float> values(size);
  for (std::size_t i = 0; i < size; ++i) {
    cell[i] = sigmoid(gates[size + i]) * cell[i] +
              sigmoid(gates[i]) * std::tanh(gates[2 * size + i]);
    values[i] = sigmoid(gates[3 * size + i]) * std::tanh(cell[i]);
  }
  return values;
}
)";

inline constexpr const char* kCppGru = R"(
// Gates: reset, update, candidate.
inline std::vector<float> gru(const std::vector<float>& gates,
                              const std::vector<float>& from_before,
                              const std::vector<float>& before) {
  const std::size_t size = before.size();
  std::vector<float> values(size);
  for (std::size_t i = 0; i < size; ++i) {
    const float reset = sigmoid(gates[i] + from_before[i]);
    const float update = sigmoid(gates[size + i] + from_before[size + i]);
    const float candidate =
        std::tanh(gates[2 * size + i] + reset * from_before[2 * size + i]);
    values[i] = candidate + update * (before[i] - candidate);
  }
  return values;
}
)";

inline constexpr const char* kCppSoftmax = R"(
template <std::size_t Size>
std::array<float, Size> softmax(std::array<float, Size> values) {
  // Subtracting the largest value keeps exp from overflowing.
  const float largest = *std::max_element(values.begin(), values.end());
  float sum = 0;
  for (float& each : values) sum += each = std::exp(each - largest);
  for (float& each : values) each /= sum;
  return values;
}
)";

inline constexpr const char* kCppMainBegin = R"(
#ifdef LAMARCK_MODEL_MAIN

#include <cstdio>
#include <cstdlib>
#include <iostream>
#include <string>

// Reads rows of inputs from stdin and prints rows of outputs.
int main() {
)";

inline constexpr const char* kCppMainOfSequences = R"(  std::string row;
  while (std::getline(std::cin, row)) {
    if (row.empty()) {  // An empty line starts a new sequence.
      model.reset();
      std::puts("");
      continue;
    }
)";

inline constexpr const char* kCppMainOfRows = R"(  std::string row;
  while (std::getline(std::cin, row)) {
    if (row.empty()) continue;
)";

inline constexpr const char* kCppMainEnd = R"(    for (char& each : row) {
      if (each == ',' || each == ';') each = ' ';
    }
    std::array<float, decltype(model)::kInputs> inputs;
    const char* at = row.c_str();
    for (float& each : inputs) {
      char* end = nullptr;
      each = std::strtof(at, &end);
      if (end == at) {
        std::fprintf(stderr, "A row must have %zu numbers, got: %s\n",
                     inputs.size(), row.c_str());
        return 1;
      }
      at = end;
    }
    const char* before = "";
    for (const float output : model(inputs)) {
      std::printf("%s%.9g", before, static_cast<double>(output));
      before = " ";
    }
    std::puts("");
  }
  return 0;
}

#endif  // LAMARCK_MODEL_MAIN
)";

}  // namespace lamarck::evolution
