#include "lamarck/text/needle/onnx_weights.h"

#include <algorithm>
#include <bit>
#include <cstring>
#include <utility>

#include "lamarck/base/macros.h"
#include "lamarck/base/one_line.h"
#include "lamarck/text/needle/protobuf_fields.h"

namespace lamarck::text {
namespace {

// Numbers of fields and types in onnx.proto.
constexpr std::uint32_t kModelGraph = 7;
constexpr std::uint32_t kGraphNode = 1;
constexpr std::uint32_t kGraphTensor = 5;
constexpr std::uint32_t kNodeInput = 1;
constexpr std::uint32_t kNodeOutput = 2;
constexpr std::uint32_t kTensorSizes = 1;
constexpr std::uint32_t kTensorType = 2;
constexpr std::uint32_t kTensorName = 8;
constexpr std::uint32_t kTensorRaw = 9;
constexpr std::uint64_t kFloat = 1;
constexpr std::uint64_t kHalf = 10;

constexpr std::uint64_t kMaxElements = std::uint64_t{1} << 32;
constexpr std::size_t kMaxRank = 8;

Error damaged_onnx(std::string_view what) {
  return Error(ErrorCode::DataDamaged,
               "The ONNX file is damaged: " + std::string(what) +
                   "; fetch the model again.");
}

float half_to_float(std::uint16_t bits) {
  const std::uint32_t sign = (bits & 0x8000u) << 16;
  const std::uint32_t exponent = (bits >> 10) & 31u;
  const std::uint32_t fraction = bits & 1023u;
  if (exponent == 0) {
    const float small = static_cast<float>(fraction) * 0x1p-24f;
    return sign != 0 ? -small : small;
  }
  const std::uint32_t wide = exponent == 31 ? 255u : exponent + 112u;
  return std::bit_cast<float>(sign | (wide << 23) | (fraction << 13));
}

std::string sizes_text(const std::vector<std::int64_t>& sizes) {
  std::string text = "[";
  for (const std::int64_t size : sizes) {
    if (text.size() > 1) text += ", ";
    text += size == -1 ? "any" : std::to_string(size);
  }
  return text + "]";
}

// A file that does not fit in memory must not make a product overflow.
bool append_size(std::uint64_t size, std::vector<std::int64_t>& sizes) {
  if (size > kMaxElements || sizes.size() == kMaxRank) return false;
  sizes.push_back(static_cast<std::int64_t>(size));
  std::uint64_t product = 1;
  for (const std::int64_t one : sizes) {
    product *= static_cast<std::uint64_t>(one);
    if (product > kMaxElements) return false;
  }
  return true;
}

}  // namespace

Result<OnnxWeights> OnnxWeights::parse(std::string_view file) {
  OnnxWeights weights;
  ProtobufFields fields(file);
  bool has_graph = false;
  while (const auto field = fields.next()) {
    if (field->number != kModelGraph || !field->has_bytes) continue;
    if (std::exchange(has_graph, true)) {
      return damaged_onnx("it has two graphs");
    }
    RETURN_IF_ERROR(weights.read_graph(field->bytes));
  }
  if (fields.is_damaged()) return damaged_onnx("a field is cut off");
  if (!has_graph) return damaged_onnx("it has no graph");
  return weights;
}

Result<void> OnnxWeights::read_graph(std::string_view graph) {
  ProtobufFields fields(graph);
  while (const auto field = fields.next()) {
    if (!field->has_bytes) continue;
    if (field->number == kGraphNode) RETURN_IF_ERROR(read_node(field->bytes));
    if (field->number == kGraphTensor) {
      RETURN_IF_ERROR(read_tensor(field->bytes));
    }
  }
  if (fields.is_damaged()) return damaged_onnx("its graph is cut off");
  return {};
}

Result<void> OnnxWeights::read_tensor(std::string_view tensor) {
  Stored stored;
  std::string name;
  ProtobufFields fields(tensor);
  while (const auto field = fields.next()) {
    if (field->number == kTensorName) name = std::string(field->bytes);
    if (field->number == kTensorRaw) stored.raw = field->bytes;
    if (field->number == kTensorType) stored.type = field->integer;
    if (field->number != kTensorSizes) continue;
    std::string_view packed = field->bytes;
    if (!field->has_bytes && !append_size(field->integer, stored.sizes)) {
      return damaged_onnx("a tensor is too large");
    }
    while (!packed.empty()) {
      const auto size = ProtobufFields::take_varint(packed);
      if (!size || !append_size(*size, stored.sizes)) {
        return damaged_onnx("a tensor is too large");
      }
    }
  }
  if (fields.is_damaged()) return damaged_onnx("a tensor is cut off");
  tensors_[name] = std::move(stored);
  return {};
}

Result<void> OnnxWeights::read_node(std::string_view node) {
  std::vector<std::string> inputs;
  std::vector<std::string> outputs;
  ProtobufFields fields(node);
  while (const auto field = fields.next()) {
    if (field->number == kNodeInput) inputs.emplace_back(field->bytes);
    if (field->number == kNodeOutput) outputs.emplace_back(field->bytes);
  }
  if (fields.is_damaged()) return damaged_onnx("a node is cut off");
  for (std::string& output : outputs) inputs_[std::move(output)] = inputs;
  return {};
}

Result<OnnxTensor> OnnxWeights::tensor(
    const std::string& name, const std::vector<std::int64_t>& sizes) const {
  const auto found = tensors_.find(name);
  if (found == tensors_.end()) {
    return damaged_onnx("the tensor " + in_quotes(name) + " is missing");
  }
  const Stored& stored = found->second;
  const bool fits = std::ranges::equal(
      stored.sizes, sizes,
      [](std::int64_t a, std::int64_t b) { return b == -1 || a == b; });
  if (!fits) {
    return damaged_onnx("the tensor " + in_quotes(name) +
                        " must have the sizes " + sizes_text(sizes) + ", got " +
                        sizes_text(stored.sizes));
  }
  std::size_t count = 1;
  for (const std::int64_t size : stored.sizes) {
    count *= static_cast<std::size_t>(size);
  }
  const std::size_t width = stored.type == kHalf ? 2 : 4;
  if ((stored.type != kHalf && stored.type != kFloat) ||
      stored.raw.size() != count * width) {
    return damaged_onnx("the tensor " + in_quotes(name) +
                        " must have floats of 16 or 32 bits for its sizes " +
                        sizes_text(stored.sizes));
  }
  OnnxTensor tensor{.sizes = stored.sizes, .values = {}};
  tensor.values.resize(count);
  for (std::size_t i = 0; i < count; ++i) {
    const char* const at = stored.raw.data() + i * width;
    if (width == 4) {
      std::memcpy(&tensor.values[i], at, 4);
    } else {
      std::uint16_t bits = 0;
      std::memcpy(&bits, at, 2);
      tensor.values[i] = half_to_float(bits);
    }
  }
  return tensor;
}

Result<OnnxTensor> OnnxWeights::tensor_for(
    const std::string& output, const std::vector<std::int64_t>& sizes) const {
  const auto node = inputs_.find(output);
  if (node == inputs_.end()) {
    return damaged_onnx("no node yields " + in_quotes(output));
  }
  std::vector<std::string> stored;
  for (const std::string& input : node->second) {
    if (tensors_.contains(input)) stored.push_back(input);
  }
  if (stored.size() != 1) {
    return damaged_onnx("the node that yields " + in_quotes(output) +
                        " must use one stored tensor, got " +
                        std::to_string(stored.size()));
  }
  return tensor(stored.front(), sizes);
}

bool OnnxWeights::has_node(const std::string& output) const {
  return inputs_.contains(output);
}

}  // namespace lamarck::text
