#include "lamarck/graph/internal/onnx_importer.h"

#include <algorithm>
#include <functional>

namespace lamarck {

std::optional<Var> OnnxImporter::built_shape(const OnnxNode& node) {
  const std::string& name = node.operation;
  if (name == "Flatten") {
    if (integer_attribute(node, "axis", 1) != 1) {
      throw_unsupported(node, "the axis must be 1");
    }
    return input(node, 0).flatten();
  }
  if (name == "Reshape") return reshaped(node);
  if (name == "Transpose") return transposed(node);
  if (name == "Concat") return joined(node);
  if (name == "Slice") return sliced(node);
  if (name == "Gather") return gathered(node);
  if (name == "Unsqueeze") {
    Var y = input(node, 0);
    OnnxIntegers axes = integers(node, 1, "axes");
    std::ranges::sort(axes);
    for (const std::int64_t axis : axes) y = y.unsqueeze(axis);
    return y;
  }
  if (name == "Squeeze") return squeezed(node);
  return std::nullopt;
}

Var OnnxImporter::transposed(const OnnxNode& node) {
  const Var x = input(node, 0);
  OnnxIntegers axes(x.shape().rank());
  for (std::size_t i = 0; i < axes.size(); ++i) {
    axes[i] = static_cast<std::int64_t>(axes.size() - 1 - i);
  }
  return x.permute(integers_attribute(node, "perm", axes));
}

Var OnnxImporter::joined(const OnnxNode& node) {
  std::vector<Var> parts;
  for (std::size_t i = 0; i < node.inputs.size(); ++i) {
    parts.push_back(input(node, i));
  }
  return concat(parts, integer_attribute(node, "axis", 0));
}

Var OnnxImporter::squeezed(const OnnxNode& node) {
  Var y = input(node, 0);
  OnnxIntegers axes = integers(node, 1, "axes");
  const auto states = states_.find(node.inputs[0]);
  if (states != states_.end() && axes == OnnxIntegers{1}) {
    return states->second;
  }
  std::ranges::sort(axes, std::greater<>());
  for (const std::int64_t axis : axes) y = y.squeeze(axis);
  return y;
}

Var OnnxImporter::reshaped(const OnnxNode& node) {
  const Var x = input(node, 0);
  OnnxIntegers sizes = integers(node, 1, "shape");
  for (std::size_t i = 0; i < sizes.size(); ++i) {
    // 0 keeps a size; the first one is the batch, which may change.
    if (sizes[i] != 0) continue;
    const bool is_free = i == 0 && std::ranges::count(sizes, kOnnxOpen) == 0;
    sizes[i] = is_free ? kOnnxOpen : x.shape()[i];
  }
  return x.reshape(sizes);
}

Var OnnxImporter::sliced(const OnnxNode& node) {
  Var y = input(node, 0);
  const OnnxIntegers begins = integers(node, 1, "starts");
  const OnnxIntegers ends = integers(node, 2, "ends");
  OnnxIntegers axes = integers(node, 3, "axes");
  const OnnxIntegers steps = integers(node, 4, "steps");
  if (axes.empty()) {
    for (std::size_t i = 0; i < begins.size(); ++i) {
      axes.push_back(static_cast<std::int64_t>(i));
    }
  }
  if (ends.size() != begins.size() || axes.size() != begins.size() ||
      std::ranges::any_of(steps, [](std::int64_t s) { return s != 1; })) {
    throw_unsupported(node, "slices must have steps of 1");
  }
  for (std::size_t i = 0; i < begins.size(); ++i) {
    const std::int64_t size = y.shape()[y.shape().axis(axes[i], "Slice")];
    y = y.slice(axes[i], begins[i], ends[i] >= size ? kToEnd : ends[i]);
  }
  return y;
}

Var OnnxImporter::gathered(const OnnxNode& node) {
  const std::int64_t axis = integer_attribute(node, "axis", 0);
  const OnnxValue& indices = input_value(node, 1);
  if (const auto* list = std::get_if<OnnxIntegers>(&indices)) {
    if (list->size() != 1) {
      throw_unsupported(node, "a constant index must be one number");
    }
    const std::int64_t at = (*list)[0];
    const Var cut = input(node, 0).slice(axis, at, at == -1 ? kToEnd : at + 1);
    return is_scalar(node.inputs[1]) ? cut.squeeze(axis) : cut;
  }
  if (axis != 0) throw_unsupported(node, "the axis must be 0");
  return input(node, 0).embedding(as_var(indices));
}

std::optional<Var> OnnxImporter::built_reduction(const OnnxNode& node) {
  const std::string& name = node.operation;
  if (name == "Softmax" || name == "LogSoftmax") {
    const Var x = input(node, 0);
    std::int64_t axis = integer_attribute(node, "axis", -1);
    if (axis == static_cast<std::int64_t>(x.shape().rank()) - 1) axis = -1;
    return name == "Softmax" ? x.softmax(axis) : x.log_softmax(axis);
  }
  if (name != "ReduceMean" && name != "ReduceSum" && name != "ReduceMax" &&
      name != "ReduceMin") {
    return std::nullopt;
  }
  Var y = input(node, 0);
  const bool keepdim = integer_attribute(node, "keepdims", 1) != 0;
  OnnxIntegers axes = integers(node, 1, "axes");
  for (std::int64_t& axis : axes) {
    axis = static_cast<std::int64_t>(y.shape().axis(axis, name));
  }
  if (axes.empty()) {
    for (std::size_t i = 0; i < y.shape().rank(); ++i) {
      axes.push_back(static_cast<std::int64_t>(i));
    }
  }
  std::ranges::sort(axes, std::greater<>());
  for (const std::int64_t axis : axes) {
    y = name == "ReduceMean"  ? y.mean(axis, keepdim)
        : name == "ReduceSum" ? y.sum(axis, keepdim)
        : name == "ReduceMax" ? y.max(axis, keepdim)
                              : y.min(axis, keepdim);
  }
  return y;
}

}  // namespace lamarck
