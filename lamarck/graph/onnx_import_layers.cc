#include "lamarck/graph/internal/onnx_importer.h"

namespace lamarck {
namespace {

// The padding of both axes, which must be the same at both ends.
PerAxis padding(const OnnxNode& node) {
  const auto found = node.attributes.find("auto_pad");
  const bool is_auto = found != node.attributes.end() &&
                       found->second.text != "NOTSET" &&
                       found->second.text != "VALID";
  const OnnxIntegers pads = integers_attribute(node, "pads", {0, 0, 0, 0});
  if (is_auto || pads.size() != 4 || pads[0] != pads[2] || pads[1] != pads[3]) {
    throw_unsupported(node,
                      "the padding must be given, and equal at both ends of "
                      "two axes");
  }
  return {pads[0], pads[1]};
}

PerAxis two_sizes(const OnnxNode& node, const std::string& name,
                  const OnnxIntegers& usual) {
  const OnnxIntegers sizes = integers_attribute(node, name, usual);
  if (sizes.size() != 2) {
    throw_unsupported(node, name + " must have two sizes");
  }
  return {sizes[0], sizes[1]};
}

}  // namespace

std::optional<Var> OnnxImporter::built_layer(const OnnxNode& node) {
  const std::string& name = node.operation;
  if (name == "MatMul") return input(node, 0).matmul(input(node, 1));
  if (name == "Gemm") return gemm(node);
  if (name == "Conv") return conv(node);
  if (name == "MaxPool" || name == "AveragePool") return pool(node);
  if (name == "BatchNormalization") return batch_norm_layer(node);
  if (name == "LayerNormalization") return layer_norm(node);
  if (name == "GlobalAveragePool") {
    return input(node, 0).mean(3, true).mean(2, true);
  }
  return std::nullopt;
}

Var OnnxImporter::gemm(const OnnxNode& node) {
  if (integer_attribute(node, "transA", 0) != 0) {
    throw_unsupported(node, "transA must be 0");
  }
  const bool is_turned = integer_attribute(node, "transB", 0) != 0;
  const auto* held = std::get_if<OnnxWeight>(&input_value(node, 1));
  const Var right =
      is_turned && held != nullptr
          ? with_parameter(held->name, held->value.transpose().contiguous())
      : is_turned ? input(node, 1).transpose()
                  : input(node, 1);
  Var y = input(node, 0).matmul(right);
  const float alpha = number_attribute(node, "alpha", 1);
  const float beta = number_attribute(node, "beta", 1);
  if (alpha != 1) y *= alpha;
  if (!has_input(node, 2)) return y;
  const Var bias = input(node, 2);
  return y + (beta == 1 ? bias : bias * beta);
}

Var OnnxImporter::conv(const OnnxNode& node) {
  const Conv2dOptions options{.stride = two_sizes(node, "strides", {1, 1}),
                              .padding = padding(node),
                              .dilation = two_sizes(node, "dilations", {1, 1}),
                              .groups = integer_attribute(node, "group", 1)};
  const Var x = input(node, 0);
  const Var kernel = input(node, 1);
  return has_input(node, 2) ? x.conv2d(kernel, input(node, 2), options)
                            : x.conv2d(kernel, options);
}

Var OnnxImporter::pool(const OnnxNode& node) {
  const PerAxis kernel = two_sizes(node, "kernel_shape", {});
  const Pool2dOptions options{.stride = two_sizes(node, "strides", {1, 1}),
                              .padding = padding(node)};
  if (integer_attribute(node, "ceil_mode", 0) != 0) {
    throw_unsupported(node, "ceil_mode must be 0");
  }
  const Var x = input(node, 0);
  if (node.operation == "MaxPool") return x.max_pool2d(kernel, options);
  const bool has_padding = options.padding.y != 0 || options.padding.x != 0;
  if (has_padding && integer_attribute(node, "count_include_pad", 0) == 0) {
    throw_unsupported(node, "count_include_pad must be 1 with padding");
  }
  return x.avg_pool2d(kernel, options);
}

Var OnnxImporter::layer_norm(const OnnxNode& node) {
  const Var x = input(node, 0);
  const std::int64_t axis = integer_attribute(node, "axis", -1);
  if (axis != -1 && axis != static_cast<std::int64_t>(x.shape().rank()) - 1) {
    throw_unsupported(node, "layer norm must be along the last axis");
  }
  const Var shift =
      has_input(node, 2)
          ? input(node, 2)
          : graph().constant(Tensor::zeros({x.shape().from_back(0)}));
  return x.layer_norm(input(node, 1), shift,
                      number_attribute(node, "epsilon", 1e-5f));
}

Var OnnxImporter::batch_norm_layer(const OnnxNode& node) {
  const auto buffer = [&](std::size_t at) {
    return graph().input_named(weight(node, at), unique_name(node.inputs[at]));
  };
  const BatchNormInputs inputs{
      .scale = input(node, 1),
      .shift = input(node, 2),
      .mean = buffer(3),
      .variance = buffer(4),
      .training = graph().input_named(
          Tensor::scalar(0), unique_name(node.outputs[0] + ".training"))};
  return batch_norm(input(node, 0), inputs,
                    {.epsilon = number_attribute(node, "epsilon", 1e-5f)});
}

}  // namespace lamarck
