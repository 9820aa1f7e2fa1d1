// The geometry of windows along one axis of an image.

#pragma once

#include <algorithm>
#include <cstdint>

namespace lamarck {

// The window at position i covers the elements i * stride + k * dilation -
// padding for each k of the kernel. Elements outside the image are zero, or
// ignored.
struct WindowAxis {
  std::int64_t size = 1;  // Elements of the image on this axis.
  std::int64_t kernel = 1;
  std::int64_t stride = 1;
  std::int64_t padding = 0;  // On both sides.
  std::int64_t dilation = 1;

  std::int64_t padded() const { return size + 2 * padding; }
  // The number of elements from the first to the last tap of a window.
  std::int64_t reach() const { return dilation * (kernel - 1) + 1; }
  // The number of windows. REQUIRES: reach() <= padded().
  std::int64_t positions() const { return (padded() - reach()) / stride + 1; }
};

// The elements of the padded axis at phase, phase + stride, phase + 2 stride,
// ... that lie within the image. Within one phase, moving a window by its
// stride is a shift by one element.
struct WindowPhase {
  WindowPhase(const WindowAxis& axis, std::int64_t phase) {
    const std::int64_t before = axis.padding - phase;
    first = before > 0 ? (before + axis.stride - 1) / axis.stride : 0;
    source = first * axis.stride - before;
    const std::int64_t left = axis.size - source;
    count = std::max<std::int64_t>(0, (left + axis.stride - 1) / axis.stride);
  }

  std::int64_t first = 0;   // The first element of the phase within the image.
  std::int64_t count = 0;   // The number of elements within the image.
  std::int64_t source = 0;  // The position of the first one in the image.
};

}  // namespace lamarck
