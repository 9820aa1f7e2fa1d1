#include "lamarck/graph/internal/onnx_importer.h"

#include <algorithm>

namespace lamarck {

bool OnnxImporter::fold_integers(const OnnxNode& node) {
  const std::string& name = node.operation;
  if (name == "Identity" || name == "Dropout") {
    set(node, input_value(node, 0));
    return true;
  }
  if (name == "Constant") {
    add_constant(node);
    return true;
  }
  if (name == "Shape") {
    const Shape shape = input(node, 0).shape();
    OnnxIntegers sizes(shape.begin(), shape.end());
    if (!sizes.empty()) sizes[0] = kOnnxOpen;
    if (sizes.size() == 3) sizes[1] = kOnnxOpen;  // Steps and batch.
    set(node, sizes);
    return true;
  }
  if (name == "ConstantOfShape") {
    OnnxIntegers sizes = integers(node, 0, "");
    std::ranges::replace(sizes, kOnnxOpen, std::int64_t{1});
    set(node, OnnxWeight{node.outputs[0], Tensor::zeros(Shape(sizes))});
    return true;
  }
  if (name == "Expand" &&
      std::holds_alternative<OnnxWeight>(input_value(node, 0))) {
    // Where a weight is read, its rows repeat as needed.
    set(node, input_value(node, 0));
    return true;
  }
  return fold_list(node);
}

bool OnnxImporter::fold_list(const OnnxNode& node) {
  if (node.inputs.empty() || node.inputs[0].empty()) return false;
  const auto* list = std::get_if<OnnxIntegers>(&value_of(node.inputs[0]));
  if (list == nullptr) return false;
  const std::string& name = node.operation;
  if (name == "Cast" || name == "Unsqueeze" || name == "Squeeze") {
    set(node, *list);
    return true;
  }
  if (name == "Concat") {
    OnnxIntegers all;
    for (std::size_t i = 0; i < node.inputs.size(); ++i) {
      const OnnxIntegers part = integers(node, i, "");
      all.insert(all.end(), part.begin(), part.end());
    }
    set(node, all);
    return true;
  }
  const auto size = static_cast<std::int64_t>(list->size());
  const auto place = [&](std::int64_t at) {
    return std::clamp(at < 0 ? at + size : at, std::int64_t{0}, size);
  };
  if (name == "Gather") {
    OnnxIntegers picked;
    for (const std::int64_t at : integers(node, 1, "")) {
      picked.push_back(list->at(static_cast<std::size_t>(place(at))));
    }
    set(node, picked);
    return true;
  }
  if (name == "Slice") {
    const std::int64_t begin = place(integers(node, 1, "starts").at(0));
    const std::int64_t end = place(integers(node, 2, "ends").at(0));
    set(node, OnnxIntegers(list->begin() + begin,
                           list->begin() + std::max(begin, end)));
    return true;
  }
  return false;
}

void OnnxImporter::add_constant(const OnnxNode& node) {
  for (const auto& [name, attribute] : node.attributes) {
    if (name == "value" && attribute.tensor) {
      const OnnxTensor& tensor = *attribute.tensor;
      if (tensor.is_integer && tensor.sizes.size() < 2) {
        set(node, tensor.integers);
      } else {
        set(node, OnnxWeight{node.outputs[0], to_tensor(tensor)});
      }
      return;
    }
    if (name == "value_float") {
      set(node, OnnxWeight{node.outputs[0], Tensor::scalar(attribute.number)});
      return;
    }
    if (name == "value_int") return set(node, OnnxIntegers{attribute.integer});
    if (name == "value_ints") return set(node, attribute.integers);
  }
  throw_unsupported(node, "a constant must be a tensor or a number");
}

bool OnnxImporter::is_scalar(const std::string& name) const {
  const auto held = model_.constants.find(name);
  if (held != model_.constants.end()) return held->second.sizes.empty();
  const OnnxNode* node = producer(name);
  if (node == nullptr || node->operation != "Constant") return false;
  const auto value = node->attributes.find("value");
  return value == node->attributes.end()
             ? node->attributes.contains("value_int")
             : value->second.tensor && value->second.tensor->sizes.empty();
}

}  // namespace lamarck
