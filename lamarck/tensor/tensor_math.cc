// The arithmetic of tensor.h. It uses the same kernels as the graph.

#include <algorithm>
#include <array>
#include <vector>

#include "lamarck/base/ensure.h"
#include "lamarck/tensor/binary_ops.h"
#include "lamarck/tensor/gemm.h"
#include "lamarck/tensor/reductions.h"
#include "lamarck/tensor/tensor.h"
#include "lamarck/tensor/unary_ops.h"

namespace lamarck {
namespace {

Tensor binary(std::string_view name, const Tensor& a, const Tensor& b) {
  const Shape shape = broadcast_shape(a.shape(), b.shape(), name);
  Tensor y = Tensor::uninitialized(shape);
  if (shape.element_count() == 0) return y;
  const Tensor dense_a = a.contiguous();
  const Tensor dense_b = b.contiguous();
  run_binary(binary_op(name), BroadcastPlan(a.shape(), b.shape(), shape),
             dense_a.begin_of_data(), dense_b.begin_of_data(),
             y.begin_of_data());
  return y;
}

Tensor binary(std::string_view name, const Tensor& a, float b) {
  return binary(name, a, Tensor::scalar(b));
}
Tensor binary(std::string_view name, float a, const Tensor& b) {
  return binary(name, Tensor::scalar(a), b);
}

Tensor& update(std::string_view name, Tensor& a, const Tensor& b) {
  a.assign(binary(name, a, b));
  return a;
}

Tensor unary(std::string_view name, const Tensor& x,
             const std::array<float, 2>& parameters) {
  const Tensor dense = x.contiguous();
  Tensor y = Tensor::uninitialized(x.shape());
  unary_op(name).value(dense.begin_of_data(), y.begin_of_data(),
                       static_cast<std::size_t>(x.element_count()),
                       parameters.data());
  return y;
}

Shape reduced_shape(const Shape& shape, std::size_t axis, bool keepdim) {
  return keepdim ? shape.with(axis, 1) : shape.without(axis);
}

Tensor reduced(Reduction reduction, const Tensor& a, std::int64_t axis,
               bool keepdim, std::string_view name) {
  const std::size_t at = a.shape().axis(axis, name);
  Tensor y = Tensor::uninitialized(reduced_shape(a.shape(), at, keepdim));
  reduce(reduction, AxisView(a.shape(), at), a.contiguous().begin_of_data(),
         y.begin_of_data());
  return y;
}

Tensor reduced(Reduction reduction, const Tensor& a) {
  Tensor y = Tensor::uninitialized({});
  reduce(reduction, AxisView(a.shape()), a.contiguous().begin_of_data(),
         y.begin_of_data());
  return y;
}

// The axes before the last two, which hold the matrices.
Shape leading(const Shape& shape) {
  return Shape(shape.sizes().first(shape.rank() - 2));
}

}  // namespace

Tensor operator+(const Tensor& a, const Tensor& b) {
  return binary("add", a, b);
}
Tensor operator+(const Tensor& a, float b) { return binary("add", a, b); }
Tensor operator+(float a, const Tensor& b) { return binary("add", a, b); }
Tensor operator-(const Tensor& a, const Tensor& b) {
  return binary("sub", a, b);
}
Tensor operator-(const Tensor& a, float b) { return binary("sub", a, b); }
Tensor operator-(float a, const Tensor& b) { return binary("sub", a, b); }
Tensor operator*(const Tensor& a, const Tensor& b) {
  return binary("mul", a, b);
}
Tensor operator*(const Tensor& a, float b) { return binary("mul", a, b); }
Tensor operator*(float a, const Tensor& b) { return binary("mul", a, b); }
Tensor operator/(const Tensor& a, const Tensor& b) {
  return binary("div", a, b);
}
Tensor operator/(const Tensor& a, float b) { return binary("div", a, b); }
Tensor operator/(float a, const Tensor& b) { return binary("div", a, b); }
Tensor operator-(const Tensor& a) { return apply("neg", a); }

Tensor& operator+=(Tensor& a, const Tensor& b) { return update("add", a, b); }
Tensor& operator+=(Tensor& a, float b) {
  return update("add", a, Tensor::scalar(b));
}
Tensor& operator-=(Tensor& a, const Tensor& b) { return update("sub", a, b); }
Tensor& operator-=(Tensor& a, float b) {
  return update("sub", a, Tensor::scalar(b));
}
Tensor& operator*=(Tensor& a, const Tensor& b) { return update("mul", a, b); }
Tensor& operator*=(Tensor& a, float b) {
  return update("mul", a, Tensor::scalar(b));
}
Tensor& operator/=(Tensor& a, const Tensor& b) { return update("div", a, b); }
Tensor& operator/=(Tensor& a, float b) {
  return update("div", a, Tensor::scalar(b));
}

Tensor operator>(const Tensor& a, const Tensor& b) {
  return binary("greater", a, b);
}
Tensor operator>(const Tensor& a, float b) { return binary("greater", a, b); }
Tensor operator>(float a, const Tensor& b) { return binary("greater", a, b); }
Tensor operator>=(const Tensor& a, const Tensor& b) {
  return binary("greater_equal", a, b);
}
Tensor operator>=(const Tensor& a, float b) {
  return binary("greater_equal", a, b);
}
Tensor operator>=(float a, const Tensor& b) {
  return binary("greater_equal", a, b);
}
Tensor operator<(const Tensor& a, const Tensor& b) {
  return binary("less", a, b);
}
Tensor operator<(const Tensor& a, float b) { return binary("less", a, b); }
Tensor operator<(float a, const Tensor& b) { return binary("less", a, b); }
Tensor operator<=(const Tensor& a, const Tensor& b) {
  return binary("less_equal", a, b);
}
Tensor operator<=(const Tensor& a, float b) {
  return binary("less_equal", a, b);
}
Tensor operator<=(float a, const Tensor& b) {
  return binary("less_equal", a, b);
}
Tensor operator==(const Tensor& a, const Tensor& b) {
  return binary("equal", a, b);
}
Tensor operator==(const Tensor& a, float b) { return binary("equal", a, b); }
Tensor operator==(float a, const Tensor& b) { return binary("equal", a, b); }
Tensor operator!=(const Tensor& a, const Tensor& b) {
  return binary("not_equal", a, b);
}
Tensor operator!=(const Tensor& a, float b) {
  return binary("not_equal", a, b);
}
Tensor operator!=(float a, const Tensor& b) {
  return binary("not_equal", a, b);
}

Tensor apply(std::string_view function, const Tensor& x) {
  return unary(function, x, unary_op(function).default_parameters);
}
Tensor sqrt(const Tensor& x) { return apply("sqrt", x); }
Tensor exp(const Tensor& x) { return apply("exp", x); }
Tensor log(const Tensor& x) { return apply("log", x); }
Tensor abs(const Tensor& x) { return apply("abs", x); }
Tensor tanh(const Tensor& x) { return apply("tanh", x); }
Tensor pow(const Tensor& x, float exponent) {
  return unary("pow", x, {exponent, 0});
}
Tensor clamp(const Tensor& x, float low, float high) {
  return unary("clamp", x, {low, high});
}

Tensor matmul(const Tensor& a, const Tensor& b) {
  const Shape shape = matmul_shape(a.shape(), b.shape());
  Tensor y = Tensor::uninitialized(shape);
  const Tensor dense_a = a.contiguous();
  const Tensor dense_b = b.contiguous();
  const Gemm product{.m = a.shape().from_back(1),
                     .n = b.shape().from_back(0),
                     .k = a.shape().from_back(0)};
  const Shape batch = leading(shape);
  const auto steps_a = broadcast_strides(leading(a.shape()), batch);
  const auto steps_b = broadcast_strides(leading(b.shape()), batch);
  for (std::int64_t i = 0; i < batch.element_count(); ++i) {
    std::int64_t rest = i;
    std::int64_t at_a = 0;
    std::int64_t at_b = 0;
    for (std::size_t axis = batch.rank(); axis-- > 0;) {
      const std::int64_t index = rest % batch[axis];
      rest /= batch[axis];
      at_a += index * steps_a[axis];
      at_b += index * steps_b[axis];
    }
    gemm(product, dense_a.begin_of_data() + at_a * product.m * product.k,
         dense_b.begin_of_data() + at_b * product.k * product.n,
         y.begin_of_data() + i * product.m * product.n);
  }
  return y;
}

Tensor sum(const Tensor& a) { return reduced(Reduction::Sum, a); }
Tensor sum(const Tensor& a, std::int64_t axis, bool keepdim) {
  return reduced(Reduction::Sum, a, axis, keepdim, "sum");
}
Tensor mean(const Tensor& a) { return reduced(Reduction::Mean, a); }
Tensor mean(const Tensor& a, std::int64_t axis, bool keepdim) {
  return reduced(Reduction::Mean, a, axis, keepdim, "mean");
}
Tensor max(const Tensor& a) { return reduced(Reduction::Max, a); }
Tensor max(const Tensor& a, std::int64_t axis, bool keepdim) {
  return reduced(Reduction::Max, a, axis, keepdim, "max");
}
Tensor min(const Tensor& a) { return reduced(Reduction::Min, a); }
Tensor min(const Tensor& a, std::int64_t axis, bool keepdim) {
  return reduced(Reduction::Min, a, axis, keepdim, "min");
}

Tensor argmax(const Tensor& a) {
  Tensor y = Tensor::uninitialized({});
  argmax(AxisView(a.shape()), a.contiguous().begin_of_data(),
         y.begin_of_data());
  return y;
}

Tensor argmax(const Tensor& a, std::int64_t axis, bool keepdim) {
  const std::size_t at = a.shape().axis(axis, "argmax");
  Tensor y = Tensor::uninitialized(reduced_shape(a.shape(), at, keepdim));
  argmax(AxisView(a.shape(), at), a.contiguous().begin_of_data(),
         y.begin_of_data());
  return y;
}

Tensor concat(std::initializer_list<Tensor> parts, std::int64_t axis) {
  return concat(std::span(parts.begin(), parts.size()), axis);
}

Tensor concat(std::span<const Tensor> parts, std::int64_t axis) {
  REQUIRE(!parts.empty(), "concat: parts must not be empty.");
  const std::size_t at = parts[0].shape().axis(axis, "concat");
  std::int64_t total = 0;
  for (const Tensor& part : parts) {
    const Shape& shape = part.shape();
    if (shape.rank() != parts[0].rank() ||
        !(shape.with(at, 0) == parts[0].shape().with(at, 0))) {
      throw_shape_mismatch("concat", parts[0].shape(), shape,
                           "all other axes must be equal");
    }
    total += shape[at];
  }
  Tensor y = Tensor::uninitialized(parts[0].shape().with(at, total));
  std::int64_t begin = 0;
  for (const Tensor& part : parts) {
    const std::int64_t end = begin + part.shape()[at];
    y.slice(axis, begin, end).assign(part);
    begin = end;
  }
  return y;
}

}  // namespace lamarck
