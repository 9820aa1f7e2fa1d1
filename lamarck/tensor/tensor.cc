#include "lamarck/tensor/tensor.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>
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

void print(const Tensor& tensor, std::string& text) {
  constexpr std::int64_t kShown = 6;  // Per axis, half from each end.
  if (tensor.rank() == 0) {
    text += short_number(tensor.item(), 6);
    return;
  }
  const std::int64_t count = tensor.shape()[0];
  text += "[";
  for (std::int64_t i = 0; i < count; ++i) {
    if (i > 0) text += ", ";
    if (count > kShown && i == kShown / 2) {
      text += "..., ";
      i = count - kShown / 2;
    }
    print(tensor.select(0, i), text);
  }
  text += "]";
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
    if (place[axis] < 0 || place[axis] >= shape_[axis]) {
      throw_invalid_value(
          "Tensor::at",
          fmt::format("the index for axis {} of shape {} must be at least 0 "
                      "and less than {}, got {}",
                      axis, shape_.to_string(), shape_[axis], place[axis]));
    }
    position += place[axis] * strides_[axis];
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

Tensor Tensor::transpose() const {
  if (rank() < 2) {
    throw_invalid_shape("transpose", shape_, "it needs at least two axes");
  }
  std::vector<std::size_t> axes(rank());
  for (std::size_t i = 0; i < rank(); ++i) axes[i] = i;
  std::swap(axes[rank() - 1], axes[rank() - 2]);
  return permute(axes);
}

Tensor Tensor::permute(std::span<const std::size_t> axes) const {
  std::vector<bool> seen(rank());
  std::array<std::int64_t, Shape::kMaxRank> sizes{};
  std::array<std::int64_t, Shape::kMaxRank> strides{};
  REQUIRE(
      axes.size() == rank(),
      "Tensor::permute: the number of axes must be {} for shape {}, got {}.",
      rank(), shape_.to_string(), axes.size());
  for (std::size_t i = 0; i < axes.size(); ++i) {
    REQUIRE(axes[i] < rank() && !seen[axes[i]],
            "Tensor::permute: each axis of shape {} must be listed once, got "
            "axis {} at position {}.",
            shape_.to_string(), axes[i], i);
    seen[axes[i]] = true;
    sizes[i] = shape_[axes[i]];
    strides[i] = strides_[axes[i]];
  }
  return {storage_, offset_, Shape(std::span(sizes.data(), rank())), strides};
}

Tensor Tensor::slice(std::int64_t axis, std::int64_t begin,
                     std::int64_t end) const {
  const std::size_t at = shape_.axis(axis, "slice");
  if (begin < 0 || end < begin || end > shape_[at]) {
    throw_invalid_value(
        "slice",
        fmt::format("the range of axis {} of shape {} must satisfy 0 <= begin "
                    "<= end <= {}, got {} to {}",
                    at, shape_.to_string(), shape_[at], begin, end));
  }
  return {storage_, offset_ + begin * strides_[at],
          shape_.with(at, end - begin), strides_};
}

Tensor Tensor::select(std::int64_t axis, std::int64_t index) const {
  const std::size_t at = shape_.axis(axis, "select");
  if (index < 0 || index >= shape_[at]) {
    throw_invalid_value(
        "select",
        fmt::format("the index for axis {} of shape {} must be at least 0 and "
                    "less than {}, got {}",
                    at, shape_.to_string(), shape_[at], index));
  }
  const Tensor cut = slice(axis, index, index + 1);
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
  print(*this, text);
  return text;
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
