// The ONNX form of an operation, written as an expression:
//
//   Mul(x, Sigmoid(x))
//   Slice(a, [i1], [i2], [i0])
//   Conv(a, b; strides=[i0, i1], group=i6)
//
// A call names an ONNX operator; its attributes follow the semicolon. x or a is
// the first input, b the second and so on, and * stands for all of them. p0 and
// p1 are the node's numbers, i0 .. i7 its integers. A bare number is a constant
// float, a list is a constant of integers, and _ is an omitted input.
// LSTM@2(..) selects output 2 of the operator.

#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "lamarck/base/result.h"
#include "lamarck/graph/operation.h"

namespace lamarck {

using OnnxAttribute =
    std::variant<std::int64_t, float, std::vector<std::int64_t>, std::string>;

// Receives the parts of an expression, innermost first.
class OnnxSink {
 public:
  virtual ~OnnxSink() = default;
  // Each function returns the name of the value that it creates or finds.
  virtual std::string input(std::size_t at) = 0;
  virtual std::string constant(float value) = 0;
  virtual std::string constant(const std::vector<std::int64_t>& values) = 0;
  virtual std::string call(
      const std::string& name, std::size_t output,
      const std::vector<std::string>& inputs,
      const std::map<std::string, OnnxAttribute>& attributes) = 0;
};

// Parses the expression into calls to `sink` and returns the name of the
// result. Expressions come from our own tables, so a malformed one throws
// InvariantError.
std::string write_onnx_expression(std::string_view expression,
                                  std::size_t input_count,
                                  const Attributes& attributes, OnnxSink& sink);

std::string onnx_list(const std::vector<std::int64_t>& values);  // "[1, -1]"

}  // namespace lamarck
