// A multidimensional array of floats.

#pragma once

#include <cstdint>
#include <initializer_list>
#include <iosfwd>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "lamarck/base/rng.h"
#include "lamarck/tensor/shape.h"

namespace lamarck {

// Copies and views (reshape, transpose, slice, select) share their elements: a
// write through one is visible in all. `clone` makes an independent copy. Wrong
// shapes and indices throw LogicError. Thread safety: like a pointer.
class Tensor {
 public:
  Tensor();  // A scalar 0.

  static Tensor zeros(const Shape& shape);
  static Tensor ones(const Shape& shape);
  static Tensor full(const Shape& shape, float value);
  static Tensor uninitialized(const Shape& shape);
  static Tensor scalar(float value);
  // Takes values in row-major order, one for each element of the shape.
  static Tensor from(const Shape& shape, std::span<const float> values);
  static Tensor from(const Shape& shape, std::initializer_list<float> values);
  // Shares elements of another owner, in row-major order and without a copy.
  // REQUIRES: there are as many as the shape has.
  static Tensor borrow(const Shape& shape, std::shared_ptr<float[]> elements);
  // A matrix from its rows, which must have equal lengths.
  static Tensor rows(std::initializer_list<std::initializer_list<float>> rows);
  static Tensor rand(const Shape& shape, Rng& rng);   // Uniform in [0, 1).
  static Tensor randn(const Shape& shape, Rng& rng);  // Standard normal.
  static Tensor range(std::int64_t count);            // 0, 1, 2, ...
  // Uniform in [low, high). REQUIRES: low <= high.
  static Tensor uniform(const Shape& shape, float low, float high, Rng& rng);
  // REQUIRES: deviation >= 0.
  static Tensor normal(const Shape& shape, float mean, float deviation,
                       Rng& rng);

  const Shape& shape() const { return shape_; }
  std::size_t rank() const { return shape_.rank(); }
  std::int64_t size(std::int64_t axis) const;
  std::int64_t element_count() const { return shape_.element_count(); }
  std::span<const std::int64_t> strides() const {
    return {strides_.data(), shape_.rank()};
  }

  // One element. Negative indices count from the end. Throws LogicError if an
  // index is out of range.
  float& at(std::initializer_list<std::int64_t> place);
  float at(std::initializer_list<std::int64_t> place) const;
  // The only element. Throws LogicError unless there is exactly one.
  float item() const;

  // Whether the elements are adjacent in memory, in row-major order.
  bool is_contiguous() const;
  // All elements in order. Deleted for temporaries, which may own the elements.
  // REQUIRES: is_contiguous().
  std::span<float> data() &;
  std::span<const float> data() const&;
  void data() const&& = delete;
  // The first element; the others follow at strides().
  float* begin_of_data() { return storage_.get() + offset_; }
  const float* begin_of_data() const { return storage_.get() + offset_; }
  std::vector<float> to_vector() const;

  bool shares_elements_with(const Tensor& other) const {
    return storage_ == other.storage_;
  }

  // Whether no other tensor shares the elements. If it is true, reads by other
  // threads through tensors that no longer exist have completed.
  bool is_sole_owner() const;

  // Views of the same elements.
  Tensor reshape(const Shape& shape) const;  // Copies if not contiguous.
  // One size may be -1; it is inferred from the number of elements.
  Tensor reshape(std::span<const std::int64_t> sizes) const;
  Tensor reshape(std::initializer_list<std::int64_t> sizes) const;
  Tensor transpose() const;  // Swaps the last two axes.
  Tensor permute(std::span<const std::int64_t> axes) const;
  Tensor permute(std::initializer_list<std::int64_t> axes) const;
  // Negative numbers count from the end; kToEnd is the end.
  Tensor slice(std::int64_t axis, std::int64_t begin, std::int64_t end) const;
  Tensor select(std::int64_t axis,
                std::int64_t index) const;  // Drops the axis.

  Tensor clone() const;       // A contiguous copy with its own elements.
  Tensor contiguous() const;  // This tensor if it is contiguous, else a clone.
  // Copies the elements of `other` into this one. REQUIRES: the shapes are
  // equal.
  void assign(const Tensor& other);
  void fill(float value);

  // "[[1, 2], [3, 4]]"; long axes are abbreviated in the middle.
  std::string to_string() const;

 private:
  Tensor(std::shared_ptr<float[]> storage, std::int64_t offset, Shape shape,
         std::array<std::int64_t, Shape::kMaxRank> strides);
  std::int64_t index_of(std::span<const std::int64_t> place) const;

  std::shared_ptr<float[]> storage_;
  std::int64_t offset_ = 0;
  Shape shape_;
  std::array<std::int64_t, Shape::kMaxRank> strides_{};
};

// One row of the innermost axis per line, in columns. Tensors of more than 1000
// elements are abbreviated in the middle.
std::ostream& operator<<(std::ostream& out, const Tensor& tensor);

// Elementwise, with broadcasting.
Tensor operator+(const Tensor& a, const Tensor& b);
Tensor operator+(const Tensor& a, float b);
Tensor operator+(float a, const Tensor& b);
Tensor operator-(const Tensor& a, const Tensor& b);
Tensor operator-(const Tensor& a, float b);
Tensor operator-(float a, const Tensor& b);
Tensor operator*(const Tensor& a, const Tensor& b);
Tensor operator*(const Tensor& a, float b);
Tensor operator*(float a, const Tensor& b);
Tensor operator/(const Tensor& a, const Tensor& b);
Tensor operator/(const Tensor& a, float b);
Tensor operator/(float a, const Tensor& b);
Tensor operator-(const Tensor& a);

// These write into the elements of `a`, which views of it share. Throw
// LogicError unless `b` broadcasts to the shape of `a`.
Tensor& operator+=(Tensor& a, const Tensor& b);
Tensor& operator+=(Tensor& a, float b);
Tensor& operator-=(Tensor& a, const Tensor& b);
Tensor& operator-=(Tensor& a, float b);
Tensor& operator*=(Tensor& a, const Tensor& b);
Tensor& operator*=(Tensor& a, float b);
Tensor& operator/=(Tensor& a, const Tensor& b);
Tensor& operator/=(Tensor& a, float b);

// Comparisons give masks of 0 and 1. To compare whole tensors, see
// max_difference.
Tensor operator>(const Tensor& a, const Tensor& b);
Tensor operator>(const Tensor& a, float b);
Tensor operator>(float a, const Tensor& b);
Tensor operator>=(const Tensor& a, const Tensor& b);
Tensor operator>=(const Tensor& a, float b);
Tensor operator>=(float a, const Tensor& b);
Tensor operator<(const Tensor& a, const Tensor& b);
Tensor operator<(const Tensor& a, float b);
Tensor operator<(float a, const Tensor& b);
Tensor operator<=(const Tensor& a, const Tensor& b);
Tensor operator<=(const Tensor& a, float b);
Tensor operator<=(float a, const Tensor& b);
Tensor operator==(const Tensor& a, const Tensor& b);
Tensor operator==(const Tensor& a, float b);
Tensor operator==(float a, const Tensor& b);
Tensor operator!=(const Tensor& a, const Tensor& b);
Tensor operator!=(const Tensor& a, float b);
Tensor operator!=(float a, const Tensor& b);

// Elementwise functions. `apply` takes any entry of unary_ops(), by name, with
// its default parameters.
Tensor apply(std::string_view function, const Tensor& x);
Tensor sqrt(const Tensor& x);
Tensor exp(const Tensor& x);
Tensor log(const Tensor& x);
Tensor abs(const Tensor& x);
Tensor tanh(const Tensor& x);
Tensor pow(const Tensor& x, float exponent);
Tensor clamp(const Tensor& x, float low, float high);

// [.., m, k] x [.., k, n] = [.., m, n]; leading axes broadcast.
Tensor matmul(const Tensor& a, const Tensor& b);

// Reductions over all elements, or along one axis, which is dropped or, with
// `keepdim`, kept with size 1.
Tensor sum(const Tensor& a);
Tensor sum(const Tensor& a, std::int64_t axis, bool keepdim = false);
Tensor mean(const Tensor& a);
Tensor mean(const Tensor& a, std::int64_t axis, bool keepdim = false);
Tensor max(const Tensor& a);
Tensor max(const Tensor& a, std::int64_t axis, bool keepdim = false);
Tensor min(const Tensor& a);
Tensor min(const Tensor& a, std::int64_t axis, bool keepdim = false);
// The index of the largest element, in row-major order or along one axis; the
// first of several equal ones.
Tensor argmax(const Tensor& a);
Tensor argmax(const Tensor& a, std::int64_t axis, bool keepdim = false);

Tensor concat(std::span<const Tensor> parts, std::int64_t axis);
Tensor concat(std::initializer_list<Tensor> parts, std::int64_t axis);

// The largest |a - b|; infinity if an element is NaN in only one of them.
float max_difference(const Tensor& a, const Tensor& b);

}  // namespace lamarck
