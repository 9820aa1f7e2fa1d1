// How windows lie along one axis of an image.

#pragma once

#include <algorithm>
#include <cstdint>

namespace lamarck {

// The window at position i covers i * stride + k * dilation - padding for each
// k of the kernel; what lies outside the image is zero, or left out.
struct WindowAxis {
  std::int64_t size = 1;  // Of the image.
  std::int64_t kernel = 1;
  std::int64_t stride = 1;
  std::int64_t padding = 0;  // On both sides.
  std::int64_t dilation = 1;

  std::int64_t padded() const { return size + 2 * padding; }
  std::int64_t reach() const { return dilation * (kernel - 1) + 1; }
  // How many windows there are. REQUIRES: reach() <= padded().
  std::int64_t positions() const { return (padded() - reach()) / stride + 1; }
};

// The elements of the padded image at `phase`, phase + stride, ... that lie
// within the image: so windows of any stride become shifts by one.
struct WindowPhase {
  WindowPhase(const WindowAxis& axis, std::int64_t phase) {
    const std::int64_t before = axis.padding - phase;
    first = before > 0 ? (before + axis.stride - 1) / axis.stride : 0;
    source = first * axis.stride - before;
    const std::int64_t left = axis.size - source;
    count = std::max<std::int64_t>(0, (left + axis.stride - 1) / axis.stride);
  }

  std::int64_t first = 0;   // Of the phase's elements.
  std::int64_t count = 0;   // From there on.
  std::int64_t source = 0;  // Where in the image the first of them is.
};

}  // namespace lamarck
