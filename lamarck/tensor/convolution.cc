#include "lamarck/tensor/convolution.h"

#include <algorithm>
#include <new>

#include "lamarck/tensor/shifted_product.h"
#include "lamarck/tensor/sparse_convolution.h"
#include "lamarck/tensor/vector_math.h"
#include "lamarck/tensor/winograd_rows.h"

namespace lamarck {
namespace {

// The weight gradient processes as many images together as fit into this many
// floats (64 KiB), so that they stay in the cache while all taps read them.
constexpr std::int64_t kCachedFloats = 1 << 14;

// The minimum number of channels and of outputs for which the Winograd
// transforms pay off.
constexpr std::int64_t kWinogradChannels = 4;

std::int64_t ceil_div(std::int64_t a, std::int64_t b) {
  return (a + b - 1) / b;
}

// The layout of the padded copy of an image. Each channel has one plane for
// each phase of the strides (row modulo stride, column modulo stride). Elements
// that adjacent windows read are then adjacent in a plane, so vectors can load
// them for any stride.
struct PaddedImage {
  explicit PaddedImage(const Convolution& c)
      : pitch(ceil_div(c.x.padded(), c.x.stride)),
        plane(ceil_div(c.y.padded(), c.y.stride) * pitch),
        channel(plane * c.y.stride * c.x.stride),
        image(channel * c.channels) {}

  std::int64_t offset(const Convolution& c, std::int64_t ky,
                      std::int64_t kx) const {
    const std::int64_t y = ky * c.y.dilation;
    const std::int64_t x = kx * c.x.dilation;
    const std::int64_t phase = y % c.y.stride * c.x.stride + x % c.x.stride;
    return phase * plane + y / c.y.stride * pitch + x / c.x.stride;
  }

  std::int64_t pitch;
  std::int64_t plane;
  std::int64_t channel;
  std::int64_t image;
};

// The layout of the padded copy of an output gradient. Its margins are wide
// enough for all windows that contain an element of the image.
struct PaddedGradient {
  explicit PaddedGradient(const Convolution& c)
      : top(margin_of(c.y)),
        left(margin_of(c.x)),
        pitch(left + width_of(c.x)),
        plane((top + width_of(c.y)) * pitch) {}

  // The margin before the first element. With stride 1, windows that lie in the
  // padding of the image need no margin.
  static std::int64_t margin_of(const WindowAxis& axis) {
    const std::int64_t all = (axis.reach() - 1) / axis.stride;
    return axis.stride == 1 ? std::max<std::int64_t>(0, all - axis.padding)
                            : all;
  }

  static std::int64_t width_of(const WindowAxis& axis) {
    const std::int64_t last = (axis.size - 1 + axis.padding) / axis.stride;
    return std::max(axis.positions(), last + 1);
  }

  std::int64_t top;
  std::int64_t left;
  std::int64_t pitch;
  std::int64_t plane;
};

std::int64_t window_size(const Convolution& c) {
  return c.y.kernel * c.x.kernel;
}
std::int64_t taps_of(const Convolution& c) {
  return c.channels / c.groups * window_size(c);
}
std::int64_t output_plane(const Convolution& c) {
  return c.y.positions() * c.x.positions();
}
std::int64_t weight_count(const Convolution& c) {
  return c.outputs * taps_of(c);
}

// The number of offsets that the largest product needs.
std::int64_t offset_count(const Convolution& c) {
  return std::max(c.channels, c.outputs) / c.groups * window_size(c);
}

// The size of a plane of the output gradient with the row pitch of the padded
// image. The gaps between rows are zero, so that one long loop can walk both
// without regard to rows.
std::int64_t gapped_plane(const Convolution& c) {
  const std::int64_t length = c.y.positions() * PaddedImage(c).pitch;
  return ceil_div(length, kShiftedStep) * kShiftedStep;
}

std::int64_t images_at_once(const Convolution& c) {
  const std::int64_t floats =
      PaddedImage(c).image + c.outputs * gapped_plane(c);
  return std::clamp<std::int64_t>(kCachedFloats / floats, 1,
                                  std::max<std::int64_t>(c.batch, 1));
}

// The scratch memory, split into parts.
struct Workspace {
  Workspace(const Convolution& c, float* scratch)
      : weights(scratch),
        offsets(new (scratch + weight_count(c))
                    std::int32_t[static_cast<std::size_t>(offset_count(c))]),
        padded(scratch + weight_count(c) + offset_count(c)) {}

  float* weights;
  std::int32_t* offsets;
  float* padded;
};

// Whether winograd_rows.h applies, which computes output rows in pairs. The
// transforms cost as much as a few channels and outputs.
bool is_in_row_pairs(const Convolution& c) {
  return c.y.kernel == 3 && c.y.stride == 1 && c.y.dilation == 1 &&
         c.x.stride == 1 && c.groups == 1 && c.channels >= kWinogradChannels &&
         c.outputs >= kWinogradChannels;
}

WinogradRows make_rows(const Convolution& c, const PaddedImage& layout) {
  return {.outputs = c.outputs,
          .channels = c.channels,
          .columns = c.x.kernel,
          .pitch = layout.pitch,
          .plane = layout.plane,
          .height = c.y.positions(),
          .width = c.x.positions()};
}

// For the input gradient, which is a convolution from outputs to channels.
WinogradRows make_rows(const Convolution& c, const PaddedGradient& layout) {
  return {.outputs = c.channels,
          .channels = c.outputs,
          .columns = c.x.kernel,
          .pitch = layout.pitch,
          .plane = layout.plane,
          .height = c.y.size,
          .width = c.x.size};
}

// The size of the padded planes of one image, which follow the memory of the
// transforms. With an odd height the last pair reads one row more.
std::int64_t planes_size(const WinogradRows& rows) {
  return rows.channels * rows.plane + rows.pitch;
}

// Vectors read past the end, so the slack must hold numbers as well.
void clear(float* padded, std::int64_t count) {
  std::fill_n(padded, count + kShiftedSlack, 0.0f);
}

// Calls each(phase y, phase x, index of the phase).
template <class F>
void for_each_phase(const Convolution& c, F&& each) {
  for (std::int64_t y = 0; y < c.y.stride; ++y) {
    for (std::int64_t x = 0; x < c.x.stride; ++x) {
      each(y, x, y * c.x.stride + x);
    }
  }
}

// Copies an image into a cleared buffer; the padding stays zero.
void copy_image(const Convolution& c, const PaddedImage& layout,
                const float* image, float* padded) {
  for_each_phase(c, [&](std::int64_t py, std::int64_t px, std::int64_t phase) {
    const WindowPhase y(c.y, py);
    const WindowPhase x(c.x, px);
    for (std::int64_t channel = 0; channel < c.channels; ++channel) {
      const float* from =
          image + (channel * c.y.size + y.source) * c.x.size + x.source;
      float* to = padded + channel * layout.channel + phase * layout.plane +
                  y.first * layout.pitch + x.first;
      if (c.x.stride == 1) {
        copy_rows(
            {from, c.y.stride * c.x.size, to, layout.pitch, y.count, x.count});
        continue;
      }
      for (std::int64_t i = 0; i < y.count; ++i) {
        for (std::int64_t j = 0; j < x.count; ++j) {
          to[i * layout.pitch + j] =
              from[i * c.y.stride * c.x.size + j * c.x.stride];
        }
      }
    }
  });
}

// Copies the output gradient of one group into a cleared buffer.
void copy_gradient(const Convolution& c, const PaddedGradient& layout,
                   const float* dy, float* padded) {
  for (std::int64_t output = 0; output < c.outputs / c.groups; ++output) {
    copy_rows({dy + output * output_plane(c), c.x.positions(),
               padded + output * layout.plane + layout.top * layout.pitch +
                   layout.left,
               layout.pitch, c.y.positions(), c.x.positions()});
  }
}

// The offset of each tap: channel by channel, row by row.
void set_image_offsets(const Convolution& c, const PaddedImage& layout,
                       std::int32_t* offsets) {
  for (std::int64_t channel = 0; channel < c.channels / c.groups; ++channel) {
    for (std::int64_t ky = 0; ky < c.y.kernel; ++ky) {
      for (std::int64_t kx = 0; kx < c.x.kernel; ++kx) {
        *offsets++ = static_cast<std::int32_t>(channel * layout.channel +
                                               layout.offset(c, ky, kx));
      }
    }
  }
}

// Prepares the taps that reach the elements of one phase: the kernels mirrored,
// from outputs to channels. Returns the number of taps.
std::int64_t set_phase_weights(const Convolution& c,
                               const PaddedGradient& layout,
                               const float* kernels, std::int64_t py,
                               std::int64_t px, const Workspace& work) {
  const std::int64_t outputs = c.outputs / c.groups;
  const std::int64_t channels = c.channels / c.groups;
  std::int64_t taps = 0;
  const auto for_each_tap = [&](auto&& each) {
    for (std::int64_t ky = 0; ky < c.y.kernel; ++ky) {
      for (std::int64_t kx = 0; kx < c.x.kernel; ++kx) {
        if (ky * c.y.dilation % c.y.stride != py) continue;
        if (kx * c.x.dilation % c.x.stride != px) continue;
        each(ky, kx);
      }
    }
  };
  for_each_tap([&](std::int64_t, std::int64_t) { ++taps; });
  taps *= outputs;
  std::int64_t tap = 0;
  for (std::int64_t output = 0; output < outputs; ++output) {
    for_each_tap([&](std::int64_t ky, std::int64_t kx) {
      const std::int64_t back = ky * c.y.dilation / c.y.stride * layout.pitch +
                                kx * c.x.dilation / c.x.stride;
      work.offsets[tap] =
          static_cast<std::int32_t>(output * layout.plane - back);
      for (std::int64_t channel = 0; channel < channels; ++channel) {
        work.weights[packed_weight(channels, taps, channel, tap)] =
            kernels[((output * channels + channel) * c.y.kernel + ky) *
                        c.x.kernel +
                    kx];
      }
      ++tap;
    });
  }
  return taps;
}

// Adds or writes the dense elements of a phase to their positions in dx.
void put_phase(const Convolution& c, const WindowPhase& y, const WindowPhase& x,
               const float* from, float* dx, bool accumulate) {
  for (std::int64_t channel = 0; channel < c.channels / c.groups; ++channel) {
    for (std::int64_t i = 0; i < y.count; ++i) {
      float* to = dx +
                  (channel * c.y.size + y.source + i * c.y.stride) * c.x.size +
                  x.source;
      for (std::int64_t j = 0; j < x.count; ++j) {
        float& place = to[j * c.x.stride];
        place = accumulate ? place + *from++ : *from++;
      }
    }
  }
}

std::int64_t row_pairs_scratch(const Convolution& c) {
  if (!is_in_row_pairs(c)) return 0;
  const auto size = [&](const WinogradRows& rows) {
    return winograd_scratch(rows) + planes_size(rows) + kShiftedSlack +
           c.x.kernel;
  };
  return std::max(size(make_rows(c, PaddedImage(c))),
                  size(make_rows(c, PaddedGradient(c))));
}

// Where the columns of the kernel read, relative to the column of the output.
struct ColumnShifts {
  std::int64_t first = 0;
  std::int64_t step = 1;
};

// Runs a convolution in pairs of rows. copy(n, planes) fills the planes of
// image n and returns where they start; the outputs go to out + n * out_image.
template <class F>
void multiply_row_pairs(const WinogradRows& rows,
                        const WinogradKernels& kernels, const Convolution& c,
                        const ColumnShifts& columns, float* scratch,
                        const float* bias, float* out, F&& copy) {
  const WinogradWork work(rows, scratch);
  float* const planes = scratch + winograd_scratch(rows);
  auto* const shifts = new (planes + planes_size(rows) + kShiftedSlack)
      std::int32_t[static_cast<std::size_t>(rows.columns)];
  for (std::int64_t k = 0; k < rows.columns; ++k) {
    shifts[k] = static_cast<std::int32_t>(columns.first + k * columns.step);
  }
  transform_kernels(rows, work, kernels, shifts);
  clear(planes, planes_size(rows));
  const std::int64_t out_image = rows.outputs * rows.height * rows.width;
  for (std::int64_t n = 0; n < c.batch; n += kWinogradImages) {
    const std::int64_t images = std::min(kWinogradImages, c.batch - n);
    for (std::int64_t i = 0; i < images; ++i) {
      transform_image(rows, work, copy(n + i, planes), i);
    }
    multiply_images(rows, work, images, bias, out + n * out_image, out_image);
  }
}

}  // namespace

std::int64_t convolution_scratch(const Convolution& c) {
  const std::int64_t images =
      images_at_once(c) * (PaddedImage(c).image + c.outputs * gapped_plane(c));
  const std::int64_t gradient = c.outputs * PaddedGradient(c).plane +
                                kShiftedSlack +
                                c.channels / c.groups * c.y.size * c.x.size;
  const std::int64_t dense = weight_count(c) + offset_count(c) +
                             std::max(images, gradient) + 2 * kShiftedSlack;
  return std::max({dense, sparse_scratch(c), row_pairs_scratch(c)});
}

void convolve(const Convolution& c, const float* x, const float* kernels,
              const float* bias, float* y, float* scratch) {
  const PaddedImage layout(c);
  if (is_in_row_pairs(c)) {
    const std::int64_t kernel = window_size(c);
    return multiply_row_pairs(
        make_rows(c, layout),
        {kernels, c.channels * kernel, kernel, c.x.kernel}, c,
        {0, c.x.dilation}, scratch, bias, y,
        [&](std::int64_t n, float* planes) {
          copy_image(c, layout, x + n * c.channels * c.y.size * c.x.size,
                     planes);
          return planes;
        });
  }
  const Workspace work(c, scratch);
  const std::int64_t outputs = c.outputs / c.groups;
  const std::int64_t taps = taps_of(c);
  const std::int64_t plane = output_plane(c);
  set_image_offsets(c, layout, work.offsets);
  // Pack the weights in the order in which shifted_product reads them.
  for (std::int64_t i = 0; i < weight_count(c); ++i) {
    const std::int64_t row = i / taps;
    const std::int64_t group = row / outputs;
    work.weights[group * outputs * taps +
                 packed_weight(outputs, taps, row % outputs, i % taps)] =
        kernels[i];
  }
  clear(work.padded, layout.image);
  for (std::int64_t n = 0; n < c.batch; ++n) {
    copy_image(c, layout, x + n * c.channels * c.y.size * c.x.size,
               work.padded);
    for (std::int64_t group = 0; group < c.groups; ++group) {
      const std::int64_t first = group * outputs;
      shifted_product(
          {.rows = outputs,
           .taps = taps,
           .weights = work.weights + first * taps,
           .offsets = work.offsets,
           .in = work.padded + c.channels / c.groups * group * layout.channel,
           .pitch = layout.pitch,
           .height = c.y.positions(),
           .width = c.x.positions(),
           .bias = bias == nullptr ? nullptr : bias + first,
           .out = y + (n * c.outputs + first) * plane});
    }
  }
}

void convolution_input_gradient(const Convolution& c, const float* dy,
                                const float* kernels, float* dx,
                                bool accumulate, float* scratch) {
  const PaddedGradient layout(c);
  if (is_in_row_pairs(c) && !accumulate) {
    // The input gradient convolves dy with the mirrored kernel. The window of
    // an element begins two rows above it, with the last row of the kernel.
    const std::int64_t kernel = window_size(c);
    return multiply_row_pairs(
        make_rows(c, layout),
        {kernels + 2 * c.x.kernel, kernel, c.channels * kernel, -c.x.kernel}, c,
        {layout.left + c.x.padding, -c.x.dilation}, scratch, nullptr, dx,
        [&](std::int64_t n, float* planes) {
          copy_gradient(c, layout, dy + n * c.outputs * output_plane(c),
                        planes);
          return planes + (layout.top - 2 + c.y.padding) * layout.pitch;
        });
  }
  const Workspace work(c, scratch);
  const std::int64_t outputs = c.outputs / c.groups;
  const std::int64_t channels = c.channels / c.groups;
  const std::int64_t size = outputs * layout.plane;
  float* dense = work.padded + size + kShiftedSlack;
  // With a stride, each phase of the image is a dense product of its own, whose
  // elements are then scattered.
  const bool is_direct = c.y.stride * c.x.stride == 1 && !accumulate;
  clear(work.padded, size);
  for (std::int64_t group = 0; group < c.groups; ++group) {
    for_each_phase(c, [&](std::int64_t py, std::int64_t px, std::int64_t) {
      const WindowPhase y(c.y, py);
      const WindowPhase x(c.x, px);
      const std::int64_t taps = set_phase_weights(
          c, layout, kernels + group * outputs * taps_of(c), py, px, work);
      for (std::int64_t n = 0; n < c.batch; ++n) {
        const std::int64_t first = n * c.outputs + group * outputs;
        copy_gradient(c, layout, dy + first * output_plane(c), work.padded);
        float* to =
            dx + (n * c.channels + group * channels) * c.y.size * c.x.size;
        shifted_product({.rows = channels,
                         .taps = taps,
                         .weights = work.weights,
                         .offsets = work.offsets,
                         .in = work.padded +
                               (layout.top + y.first) * layout.pitch +
                               layout.left + x.first,
                         .pitch = layout.pitch,
                         .height = y.count,
                         .width = x.count,
                         .out = is_direct ? to : dense});
        if (!is_direct) put_phase(c, y, x, dense, to, accumulate);
      }
    });
  }
}

void convolution_weight_gradient(const Convolution& c, const float* x,
                                 const float* dy, const ConvolutionSums& sums,
                                 float* scratch) {
  if (is_sparse_cheaper(c, dy)) {
    return sparse_weight_gradient(c, x, dy, sums, scratch);
  }
  const PaddedImage layout(c);
  const Workspace work(c, scratch);
  const std::int64_t outputs = c.outputs / c.groups;
  const std::int64_t length = gapped_plane(c);
  const std::int64_t at_once = images_at_once(c);
  float* gapped = work.padded + at_once * layout.image + kShiftedSlack;
  set_image_offsets(c, layout, work.offsets);
  clear(work.padded, at_once * layout.image);
  clear(gapped, at_once * c.outputs * length);
  for (std::int64_t n = 0; n < c.batch; n += at_once) {
    const std::int64_t images = std::min(at_once, c.batch - n);
    for (std::int64_t i = 0; i < images; ++i) {
      copy_image(c, layout, x + (n + i) * c.channels * c.y.size * c.x.size,
                 work.padded + i * layout.image);
      for (std::int64_t output = 0; output < c.outputs; ++output) {
        const std::int64_t plane = (n + i) * c.outputs + output;
        float* to = gapped + (i * c.outputs + output) * length;
        copy_rows({dy + plane * output_plane(c), c.x.positions(), to,
                   layout.pitch, c.y.positions(), c.x.positions()});
        if (sums.bias != nullptr) {
          sums.bias[output] += sum_of(to, static_cast<std::size_t>(length));
        }
      }
    }
    for (std::int64_t group = 0; sums.kernels != nullptr && group < c.groups;
         ++group) {
      const std::int64_t first = group * outputs;
      shifted_sums({.rows = outputs,
                    .taps = taps_of(c),
                    .images = images,
                    .length = length,
                    .left = gapped + first * length,
                    .left_image = c.outputs * length,
                    .left_row = length,
                    .right = work.padded +
                             c.channels / c.groups * group * layout.channel,
                    .right_image = layout.image,
                    .offsets = work.offsets,
                    .sums = sums.kernels + first * taps_of(c)});
    }
  }
}

}  // namespace lamarck
