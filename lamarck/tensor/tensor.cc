#include "lamarck/tensor/tensor.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>
#include <ostream>
#include <utility>

#include "lamarck/base/display_number.h"
#include "lamarck/base/ensure.h"
#include "lamarck/tensor/storage.h"
#include "lamarck/tensor/strided_copy.h"

namespace lamarck {
namespace {

std::array<std::int64_t, Shape::kMaxRank> dense_strides(const Shape& shape) {
  std::array<std::int64_t, Shape::kMaxRank> strides{};
  std::int64_t step = 1;
  for (std::size_t axis = shape.rank(); axis-- > 0;) {
    strides[axis] = step;
    step *= shape[axis];
  }
  return strides;
}

// How to write the elements of a tensor.
struct Layout {
  bool abbreviates = true;
  bool has_lines = false;  // Each row of the innermost axis on its own line.
  std::size_t width = 0;   // Elements are padded to this on the left.
};

constexpr std::int64_t kEdge = 3;  // Elements shown at each end of an axis.

// Calls visit(index) for the shown indices of an axis, and skip() between the
// two ends.
template <class Visit, class Skip>
void for_each_shown(std::int64_t count, bool abbreviates, Visit&& visit,
                    Skip&& skip) {
  for (std::int64_t i = 0; i < count; ++i) {
    if (abbreviates && count > 2 * kEdge && i == kEdge) {
      skip();
      i = count - kEdge;
    }
    visit(i);
  }
}

void print(const Tensor& tensor, const Layout& layout, std::size_t depth,
           std::string& text) {
  if (tensor.rank() == 0) {
    text += fmt::format("{:>{}}", short_number(tensor.item(), 6), layout.width);
    return;
  }
  const bool breaks = layout.has_lines && tensor.rank() > 1;
  const std::string separator =
      breaks ? "," + std::string(tensor.rank() - 1, '\n') +
                   std::string(depth + 1, ' ')
             : ", ";
  text += "[";
  for_each_shown(
      tensor.shape()[0], layout.abbreviates,
      [&](std::int64_t i) {
        if (i > 0) text += separator;
        print(tensor.select(0, i), layout, depth + 1, text);
      },
      [&] { text += separator + "..."; });
  text += "]";
}

// The width of the longest element that is shown.
std::size_t shown_width(const Tensor& tensor, bool abbreviates) {
  if (tensor.rank() == 0) return short_number(tensor.item(), 6).size();
  std::size_t width = 0;
  for_each_shown(
      tensor.shape()[0], abbreviates,
      [&](std::int64_t i) {
        width = std::max(width, shown_width(tensor.select(0, i), abbreviates));
      },
      [] {});
  return width;
}

void require_contiguous(const Tensor& tensor) {
  REQUIRE(
      tensor.is_contiguous(),
      "Tensor::data: the tensor must be contiguous; call contiguous() first, "
      "got a strided view of shape {}.",
      tensor.shape().to_string());
}

}  // namespace

Tensor::Tensor(std::shared_ptr<float[]> storage, std::int64_t offset,
               Shape shape, std::array<std::int64_t, Shape::kMaxRank> strides)
    : storage_(std::move(storage)),
      offset_(offset),
      shape_(shape),
      strides_(strides) {}

Tensor::Tensor() : Tensor(scalar(0)) {}

Tensor Tensor::uninitialized(const Shape& shape) {
  return {std::shared_ptr<float[]>(allocate_floats(shape.element_count())), 0,
          shape, dense_strides(shape)};
}

Tensor Tensor::full(const Shape& shape, float value) {
  Tensor tensor = uninitialized(shape);
  std::ranges::fill(tensor.data(), value);
  return tensor;
}

Tensor Tensor::zeros(const Shape& shape) { return full(shape, 0); }
Tensor Tensor::ones(const Shape& shape) { return full(shape, 1); }
Tensor Tensor::scalar(float value) { return full({}, value); }

Tensor Tensor::borrow(const Shape& shape, std::shared_ptr<float[]> elements) {
  return {std::move(elements), 0, shape, dense_strides(shape)};
}

Tensor Tensor::from(const Shape& shape, std::span<const float> values) {
  if (static_cast<std::int64_t>(values.size()) != shape.element_count()) {
    throw_invalid_value(
        "Tensor::from",
        fmt::format("the number of values must be {} for shape {}, got {}",
                    shape.element_count(), shape.to_string(), values.size()));
  }
  Tensor tensor = uninitialized(shape);
  std::ranges::copy(values, tensor.data().begin());
  return tensor;
}

Tensor Tensor::from(const Shape& shape, std::initializer_list<float> values) {
  return from(shape, std::span(values.begin(), values.size()));
}

Tensor Tensor::rows(std::initializer_list<std::initializer_list<float>> rows) {
  const std::size_t width = rows.size() == 0 ? 0 : rows.begin()->size();
  std::vector<float> values;
  std::size_t index = 0;
  for (const auto& row : rows) {
    REQUIRE(row.size() == width,
            "Tensor::rows: all rows must have the length of row 0, {}; row {} "
            "has length {}.",
            width, index, row.size());
    values.insert(values.end(), row);
    ++index;
  }
  return from({static_cast<std::int64_t>(rows.size()),
               static_cast<std::int64_t>(width)},
              values);
}

Tensor Tensor::rand(const Shape& shape, Rng& rng) {
  Tensor tensor = uninitialized(shape);
  for (float& value : tensor.data()) value = rng.uniform_float();
  return tensor;
}

Tensor Tensor::randn(const Shape& shape, Rng& rng) {
  Tensor tensor = uninitialized(shape);
  for (float& value : tensor.data()) value = static_cast<float>(rng.normal());
  return tensor;
}

Tensor Tensor::uniform(const Shape& shape, float low, float high, Rng& rng) {
  REQUIRE(low <= high, "Tensor::uniform: low must not exceed high, got {} {}.",
          low, high);
  Tensor tensor = uninitialized(shape);
  for (float& value : tensor.data()) {
    value = low + (high - low) * rng.uniform_float();
  }
  return tensor;
}

Tensor Tensor::normal(const Shape& shape, float mean, float deviation,
                      Rng& rng) {
  REQUIRE(deviation >= 0,
          "Tensor::normal: the deviation must be at least 0, got {}.",
          deviation);
  Tensor tensor = uninitialized(shape);
  for (float& value : tensor.data()) {
    value = mean + deviation * static_cast<float>(rng.normal());
  }
  return tensor;
}

Tensor Tensor::range(std::int64_t count) {
  Tensor tensor = uninitialized({count});
  float next = 0;
  for (float& value : tensor.data()) value = next++;
  return tensor;
}

std::int64_t Tensor::size(std::int64_t axis) const {
  return shape_[shape_.axis(axis, "size")];
}

std::int64_t Tensor::index_of(std::span<const std::int64_t> place) const {
  if (place.size() != rank()) {
    throw_invalid_value(
        "Tensor::at",
        fmt::format("the number of indices must be {} for shape {}, got {}",
                    rank(), shape_.to_string(), place.size()));
  }
  std::int64_t position = offset_;
  for (std::size_t axis = 0; axis < rank(); ++axis) {
    const std::int64_t index =
        find_index(shape_, axis, place[axis], "Tensor::at");
    position += index * strides_[axis];
  }
  return position;
}

float& Tensor::at(std::initializer_list<std::int64_t> place) {
  return storage_[index_of(std::span(place.begin(), place.size()))];
}

float Tensor::at(std::initializer_list<std::int64_t> place) const {
  return storage_[index_of(std::span(place.begin(), place.size()))];
}

float Tensor::item() const {
  if (element_count() != 1) {
    throw_invalid_shape("item", shape_,
                        "the tensor must have exactly one element");
  }
  return storage_[offset_];
}

bool Tensor::is_contiguous() const {
  std::int64_t step = 1;
  for (std::size_t axis = rank(); axis-- > 0;) {
    if (shape_[axis] != 1 && strides_[axis] != step) return false;
    step *= shape_[axis];
  }
  return true;
}

std::span<float> Tensor::data() & {
  require_contiguous(*this);
  return {begin_of_data(), static_cast<std::size_t>(element_count())};
}

std::span<const float> Tensor::data() const& {
  require_contiguous(*this);
  return {begin_of_data(), static_cast<std::size_t>(element_count())};
}

std::vector<float> Tensor::to_vector() const {
  const Tensor dense = contiguous();
  const auto values = dense.data();
  return {values.begin(), values.end()};
}

Tensor Tensor::reshape(const Shape& shape) const {
  if (shape.element_count() != element_count()) {
    throw_shape_mismatch("reshape", shape_, shape,
                         "both must have the same number of elements");
  }
  const Tensor dense = contiguous();
  return {dense.storage_, dense.offset_, shape, dense_strides(shape)};
}

Tensor Tensor::reshape(std::span<const std::int64_t> sizes) const {
  return reshape(infer_shape(sizes, shape_, "reshape"));
}

Tensor Tensor::reshape(std::initializer_list<std::int64_t> sizes) const {
  return reshape(std::span(sizes.begin(), sizes.size()));
}

Tensor Tensor::transpose() const {
  if (rank() < 2) {
    throw_invalid_shape("transpose", shape_, "it needs at least two axes");
  }
  std::vector<std::int64_t> axes(rank());
  std::iota(axes.begin(), axes.end(), std::int64_t{0});
  std::swap(axes[rank() - 1], axes[rank() - 2]);
  return permute(axes);
}

Tensor Tensor::permute(std::span<const std::int64_t> axes) const {
  std::vector<bool> seen(rank());
  std::array<std::int64_t, Shape::kMaxRank> sizes{};
  std::array<std::int64_t, Shape::kMaxRank> strides{};
  REQUIRE(
      axes.size() == rank(),
      "Tensor::permute: the number of axes must be {} for shape {}, got {}.",
      rank(), shape_.to_string(), axes.size());
  for (std::size_t i = 0; i < axes.size(); ++i) {
    const std::size_t axis = shape_.axis(axes[i], "permute");
    REQUIRE(!seen[axis],
            "Tensor::permute: each axis of shape {} must be listed once, got "
            "axis {} again at position {}.",
            shape_.to_string(), axis, i);
    seen[axis] = true;
    sizes[i] = shape_[axis];
    strides[i] = strides_[axis];
  }
  return {storage_, offset_, Shape(std::span(sizes.data(), rank())), strides};
}

Tensor Tensor::permute(std::initializer_list<std::int64_t> axes) const {
  return permute(std::span(axes.begin(), axes.size()));
}

Tensor Tensor::slice(std::int64_t axis, std::int64_t begin,
                     std::int64_t end) const {
  const std::size_t at = shape_.axis(axis, "slice");
  const AxisRange range = find_range(shape_, at, begin, end, "slice");
  return {storage_, offset_ + range.begin * strides_[at],
          shape_.with(at, range.end - range.begin), strides_};
}

Tensor Tensor::select(std::int64_t axis, std::int64_t index) const {
  const std::size_t at = shape_.axis(axis, "select");
  const std::int64_t first = find_index(shape_, at, index, "select");
  const Tensor cut = slice(axis, first, first + 1);
  auto strides = cut.strides_;
  std::copy(strides.begin() + static_cast<std::ptrdiff_t>(at) + 1,
            strides.end(), strides.begin() + static_cast<std::ptrdiff_t>(at));
  return {cut.storage_, cut.offset_, cut.shape_.without(at), strides};
}

bool Tensor::is_sole_owner() const {
  // Another thread may have just dropped its reference after reading the
  // elements. Destroying this copy decrements the count with acquire-release
  // order, so those reads happen before whatever the caller writes next.
  const auto copy = storage_;
  return copy.use_count() == 2;
}

Tensor Tensor::clone() const {
  Tensor copy = uninitialized(shape_);
  copy_to_dense(begin_of_data(), strides(), shape_, copy.begin_of_data());
  return copy;
}

Tensor Tensor::contiguous() const { return is_contiguous() ? *this : clone(); }

void Tensor::assign(const Tensor& other) {
  if (!(other.shape_ == shape_)) {
    throw_shape_mismatch("assign", shape_, other.shape_,
                         "both shapes must be equal");
  }
  const Tensor dense = other.contiguous();
  copy_from_dense(dense.begin_of_data(), begin_of_data(), strides(), shape_);
}

void Tensor::fill(float value) { assign(full(shape_, value)); }

std::string Tensor::to_string() const {
  std::string text;
  print(*this, {}, 0, text);
  return text;
}

std::ostream& operator<<(std::ostream& out, const Tensor& tensor) {
  constexpr std::int64_t kMaxShown = 1000;
  Layout layout{.abbreviates = tensor.element_count() > kMaxShown,
                .has_lines = true};
  if (tensor.rank() > 1) layout.width = shown_width(tensor, layout.abbreviates);
  std::string text;
  print(tensor, layout, 0, text);
  return out << text;
}

float max_difference(const Tensor& a, const Tensor& b) {
  if (!(a.shape() == b.shape())) {
    throw_shape_mismatch("max_difference", a.shape(), b.shape(),
                         "both shapes must be equal");
  }
  const auto left = a.to_vector();
  const auto right = b.to_vector();
  float largest = 0;
  for (std::size_t i = 0; i < left.size(); ++i) {
    if (std::isnan(left[i]) != std::isnan(right[i])) {
      return std::numeric_limits<float>::infinity();
    }
    if (left[i] != right[i] && !std::isnan(left[i])) {
      largest = std::max(largest, std::abs(left[i] - right[i]));
    }
  }
  return largest;
}

}  // namespace lamarck
