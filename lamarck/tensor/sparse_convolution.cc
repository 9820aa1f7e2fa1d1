#include "lamarck/tensor/sparse_convolution.h"

#include <algorithm>
#include <new>

#include "lamarck/tensor/sparse_gradient.h"
#include "lamarck/tensor/vector_math.h"

namespace lamarck {
namespace {

// As many images are processed together as fit into this many floats (32 KiB),
// so that they stay in the L1 cache.
constexpr std::int64_t kSparseCachedFloats = 1 << 13;

// A padded image with its channels last: [padded y][padded x][channels].
struct ChannelsLast {
  explicit ChannelsLast(const Convolution& c)
      : channels(c.channels),
        row(c.x.padded() * channels),
        image(c.y.padded() * row),
        window_row(c.x.kernel * channels),
        sums(c.y.kernel * padded_length(window_row)) {}

  std::int64_t channels;
  std::int64_t row;         // Floats from one row of the image to the next.
  std::int64_t image;       // Floats from one image to the next.
  std::int64_t window_row;  // Floats of one row of a window.
  std::int64_t sums;        // Floats of one output's sums.
};

std::int64_t positions(const Convolution& c) {
  return c.y.positions() * c.x.positions();
}

std::int64_t sparse_images_at_once(const Convolution& c) {
  return std::clamp<std::int64_t>(kSparseCachedFloats / ChannelsLast(c).image,
                                  1, std::max<std::int64_t>(c.batch, 1));
}

// The size of each part of the scratch memory, in floats.
struct SparseSizes {
  explicit SparseSizes(const Convolution& c)
      : images(sparse_images_at_once(c) * ChannelsLast(c).image + kSparseSlack),
        sums(c.outputs * ChannelsLast(c).sums),
        found(sparse_images_at_once(c) * positions(c) + kSparseSlack),
        places(positions(c)) {}

  std::int64_t total() const { return images + sums + 2 * found + places; }

  std::int64_t images;
  std::int64_t sums;
  std::int64_t found;
  std::int64_t places;
};

struct SparseWorkspace {
  SparseWorkspace(const SparseSizes& sizes, float* scratch)
      : images(scratch),
        sums(images + sizes.images),
        values(sums + sizes.sums),
        offsets(integers(values + sizes.found, sizes.found)),
        places(integers(values + 2 * sizes.found, sizes.places)) {}

  static std::int32_t* integers(float* at, std::int64_t count) {
    return new (at) std::int32_t[static_cast<std::size_t>(count)];
  }

  float* images;
  float* sums;            // [outputs][kernel y][padded window row]
  float* values;          // Nonzero elements of one output's gradient,
  std::int32_t* offsets;  // and where their windows begin in `images`.
  std::int32_t* places;   // Where each window begins in an image.
};

void set_places(const Convolution& c, const ChannelsLast& layout,
                std::int32_t* places) {
  for (std::int64_t i = 0; i < c.y.positions(); ++i) {
    for (std::int64_t j = 0; j < c.x.positions(); ++j) {
      *places++ = static_cast<std::int32_t>(i * c.y.stride * layout.row +
                                            j * c.x.stride * layout.channels);
    }
  }
}

// Copies an image into a cleared buffer; the padding stays zero.
void copy_channels_last(const Convolution& c, const ChannelsLast& layout,
                        const float* from, float* image) {
  float* const start =
      image + c.y.padding * layout.row + c.x.padding * layout.channels;
  for (std::int64_t channel = 0; channel < c.channels; ++channel) {
    for (std::int64_t i = 0; i < c.y.size; ++i) {
      float* to = start + i * layout.row + channel;
      for (std::int64_t j = 0; j < c.x.size; ++j) {
        to[j * layout.channels] = *from++;
      }
    }
  }
}

// Adds sums [outputs][y][x, channels] to kernels [outputs][channels][y][x].
void add_sums(const Convolution& c, const ChannelsLast& layout,
              const float* sums, float* kernels) {
  for (std::int64_t output = 0; output < c.outputs; ++output) {
    const float* of_output = sums + output * layout.sums;
    for (std::int64_t channel = 0; channel < c.channels; ++channel) {
      for (std::int64_t y = 0; y < c.y.kernel; ++y) {
        const float* row = of_output + y * padded_length(layout.window_row);
        for (std::int64_t x = 0; x < c.x.kernel; ++x) {
          *kernels++ += row[x * layout.channels + channel];
        }
      }
    }
  }
}

}  // namespace

bool is_sparse_cheaper(const Convolution& c, const float* dy) {
  if (c.groups != 1 || c.x.dilation != 1 || c.batch == 0) return false;
  const std::int64_t all = c.outputs * positions(c);
  const std::int64_t nonzeros = all - std::count(dy, dy + all, 0.0f);
  const std::int64_t taps = c.channels * c.y.kernel * c.x.kernel;
  // Each nonzero element costs its window, in whole vectors, and about as much
  // again to find and load it.
  return 2 * nonzeros * ChannelsLast(c).sums < all * taps;
}

std::int64_t sparse_scratch(const Convolution& c) {
  return SparseSizes(c).total();
}

void sparse_weight_gradient(const Convolution& c, const float* x,
                            const float* dy, const ConvolutionSums& sums,
                            float* scratch) {
  const ChannelsLast layout(c);
  const SparseWorkspace work(SparseSizes(c), scratch);
  const std::int64_t at_once = sparse_images_at_once(c);
  std::fill(work.images, work.values, 0.0f);
  set_places(c, layout, work.places);
  for (std::int64_t n = 0; n < c.batch; n += at_once) {
    const std::int64_t images = std::min(at_once, c.batch - n);
    for (std::int64_t i = 0; i < images; ++i) {
      copy_channels_last(c, layout,
                         x + (n + i) * c.channels * c.y.size * c.x.size,
                         work.images + i * layout.image);
    }
    // For each output, collect the nonzero elements of all images, then add
    // their windows with one pass over the sums.
    for (std::int64_t output = 0; output < c.outputs; ++output) {
      std::int64_t found = 0;
      for (std::int64_t i = 0; i < images; ++i) {
        found += gather_nonzeros(
            dy + ((n + i) * c.outputs + output) * positions(c), work.places,
            positions(c), static_cast<std::int32_t>(i * layout.image),
            work.values + found, work.offsets + found);
      }
      if (sums.bias != nullptr) {
        sums.bias[output] +=
            sum_of(work.values, static_cast<std::size_t>(found));
      }
      if (sums.kernels == nullptr) continue;
      sparse_sums({.values = work.values,
                   .offsets = work.offsets,
                   .count = found,
                   .in = work.images,
                   .rows = c.y.kernel,
                   .row_pitch = c.y.dilation * layout.row,
                   .row_length = layout.window_row,
                   .sums = work.sums + output * layout.sums});
    }
  }
  if (sums.kernels != nullptr) {
    add_sums(c, layout, work.sums, sums.kernels);
  }
}

}  // namespace lamarck
