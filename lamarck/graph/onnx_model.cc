#include "lamarck/graph/internal/onnx_model.h"

#include <cstring>
#include <functional>
#include <utility>

#include "lamarck/base/ensure.h"
#include "lamarck/base/error.h"

namespace lamarck {
namespace {

[[noreturn]] void throw_damaged(const std::string& what) {
  throw LogicError(Error(ErrorCode::DataDamaged,
                         "This is not a valid ONNX file: " + what + "."));
}

// One field of a Protocol Buffers message.
struct WireField {
  std::uint64_t number = 0;
  std::uint64_t integer = 0;  // Also the bits of a fixed-size number.
  std::string_view bytes;     // A string, a message or packed numbers.
  bool is_bytes = false;
};

std::uint64_t take_varint(std::string_view& bytes) {
  std::uint64_t value = 0;
  for (int shift = 0; shift < 64; shift += 7) {
    if (bytes.empty()) throw_damaged("it ends inside a number");
    const auto next = static_cast<unsigned char>(bytes.front());
    bytes.remove_prefix(1);
    value |= std::uint64_t{next & 0x7fU} << shift;
    if (next < 0x80) return value;
  }
  throw_damaged("a number has more than 64 bits");
}

std::string_view take_bytes(std::string_view& bytes, std::uint64_t count) {
  if (count > bytes.size()) throw_damaged("it ends inside a field");
  const std::string_view taken = bytes.substr(0, count);
  bytes.remove_prefix(count);
  return taken;
}

template <class T>
T from_bits(std::string_view bytes) {
  T value{};
  std::memcpy(&value, bytes.data(), sizeof(T));
  return value;
}

WireField take_field(std::string_view& bytes) {
  const std::uint64_t key = take_varint(bytes);
  WireField field{.number = key >> 3, .bytes = {}};
  switch (key & 7) {
    case 0:
      field.integer = take_varint(bytes);
      break;
    case 1:
      field.integer = from_bits<std::uint64_t>(take_bytes(bytes, 8));
      break;
    case 2:
      field.bytes = take_bytes(bytes, take_varint(bytes));
      field.is_bytes = true;
      break;
    case 5:
      field.integer = from_bits<std::uint32_t>(take_bytes(bytes, 4));
      break;
    default:
      throw_damaged("it has a field of an unknown kind");
  }
  return field;
}

using FieldVisitor = std::function<void(const WireField&)>;

void for_each_field(std::string_view bytes, const FieldVisitor& visit) {
  while (!bytes.empty()) visit(take_field(bytes));
}

// Repeated integers come one by one or packed into one field.
void append_integers(const WireField& field, std::vector<std::int64_t>& to) {
  if (!field.is_bytes) {
    to.push_back(static_cast<std::int64_t>(field.integer));
    return;
  }
  std::string_view rest = field.bytes;
  while (!rest.empty()) {
    to.push_back(static_cast<std::int64_t>(take_varint(rest)));
  }
}

template <class T>
void append_packed(std::string_view bytes, const auto& add) {
  if (bytes.size() % sizeof(T) != 0) throw_damaged("a tensor is cut off");
  for (; !bytes.empty(); bytes.remove_prefix(sizeof(T))) {
    add(from_bits<T>(bytes));
  }
}

// The numbers of TensorProto.DataType.
constexpr std::int64_t kOnnxFloat = 1;
constexpr std::int64_t kOnnxInt32 = 6;
constexpr std::int64_t kOnnxInt64 = 7;
constexpr std::int64_t kOnnxBool = 9;
constexpr std::int64_t kOnnxDouble = 11;

void append_raw(std::int64_t type, std::string_view raw, OnnxTensor& tensor) {
  const auto number = [&](auto value) {
    tensor.numbers.push_back(static_cast<float>(value));
  };
  const auto integer = [&](auto value) {
    tensor.integers.push_back(static_cast<std::int64_t>(value));
  };
  switch (type) {
    case kOnnxFloat:
      return append_packed<float>(raw, number);
    case kOnnxDouble:
      return append_packed<double>(raw, number);
    case kOnnxInt32:
      return append_packed<std::int32_t>(raw, integer);
    case kOnnxInt64:
      return append_packed<std::int64_t>(raw, integer);
    case kOnnxBool:
      return append_packed<std::uint8_t>(raw, integer);
    default:
      throw LogicError(
          Error(ErrorCode::Unsupported,
                "import_onnx: tensors must hold floats, doubles, integers of "
                "32 or 64 bits or booleans, got ONNX type " +
                    std::to_string(type) + "; convert the model to float32."));
  }
}

std::pair<std::string, OnnxTensor> parse_tensor(std::string_view bytes) {
  std::pair<std::string, OnnxTensor> result;
  std::string& name = result.first;
  OnnxTensor& tensor = result.second;
  std::int64_t type = kOnnxFloat;
  std::string_view raw;
  for_each_field(bytes, [&](const WireField& field) {
    switch (field.number) {
      case 1:
        return append_integers(field, tensor.sizes);
      case 2:
        type = static_cast<std::int64_t>(field.integer);
        return;
      case 4:
        return append_packed<float>(
            field.bytes, [&](float x) { tensor.numbers.push_back(x); });
      case 5:
      case 7:
        return append_integers(field, tensor.integers);
      case 8:
        name = field.bytes;
        return;
      case 9:
        raw = field.bytes;
        return;
      case 10:
        return append_packed<double>(field.bytes, [&](double x) {
          tensor.numbers.push_back(static_cast<float>(x));
        });
      case 14:
        if (field.integer == 1) {
          throw LogicError(Error(ErrorCode::Unsupported,
                                 "import_onnx: the weights must be part of "
                                 "the file, got a tensor in another file."));
        }
        return;
      default:
        return;
    }
  });
  append_raw(type, raw, tensor);
  tensor.is_integer = type != kOnnxFloat && type != kOnnxDouble;
  constexpr std::int64_t kMaxElements = std::int64_t{1} << 40;
  std::int64_t count = 1;
  for (const std::int64_t size : tensor.sizes) {
    if (size < 0 || (size > 0 && count > kMaxElements / size)) {
      throw_damaged("tensor '" + name + "' has an impossible size");
    }
    count *= size;
  }
  const std::size_t given =
      tensor.is_integer ? tensor.integers.size() : tensor.numbers.size();
  if (given != static_cast<std::size_t>(count)) {
    throw_damaged("tensor '" + name + "' has " + std::to_string(given) +
                  " elements instead of " + std::to_string(count));
  }
  return result;
}

std::pair<std::string, OnnxNodeAttribute> parse_attribute(
    std::string_view bytes) {
  std::pair<std::string, OnnxNodeAttribute> result;
  std::string& name = result.first;
  OnnxNodeAttribute& attribute = result.second;
  for_each_field(bytes, [&](const WireField& field) {
    switch (field.number) {
      case 1:
        name = field.bytes;
        return;
      case 2: {
        const auto bits = static_cast<std::uint32_t>(field.integer);
        std::memcpy(&attribute.number, &bits, sizeof(bits));
        return;
      }
      case 3:
        attribute.integer = static_cast<std::int64_t>(field.integer);
        return;
      case 4:
        attribute.text = field.bytes;
        return;
      case 5:
        attribute.tensor = parse_tensor(field.bytes).second;
        return;
      case 8:
        return append_integers(field, attribute.integers);
      default:
        return;
    }
  });
  return result;
}

OnnxNode parse_node(std::string_view bytes) {
  OnnxNode node;
  for_each_field(bytes, [&](const WireField& field) {
    if (field.number == 1) node.inputs.emplace_back(field.bytes);
    if (field.number == 2) node.outputs.emplace_back(field.bytes);
    if (field.number == 4) node.operation = field.bytes;
    if (field.number == 5) node.attributes.insert(parse_attribute(field.bytes));
  });
  return node;
}

std::vector<std::int64_t> parse_sizes(std::string_view shape) {
  std::vector<std::int64_t> sizes;
  for_each_field(shape, [&](const WireField& field) {
    if (field.number != 1) return;
    std::int64_t size = -1;
    for_each_field(field.bytes, [&](const WireField& part) {
      if (part.number == 1 && !part.is_bytes && part.integer > 0) {
        size = static_cast<std::int64_t>(part.integer);
      }
    });
    sizes.push_back(size);
  });
  return sizes;
}

OnnxInput parse_value(std::string_view bytes) {
  OnnxInput value;
  for_each_field(bytes, [&](const WireField& field) {
    if (field.number == 1) value.name = field.bytes;
    if (field.number != 2) return;
    for_each_field(field.bytes, [&](const WireField& type) {
      if (type.number != 1) return;  // Tensors only.
      for_each_field(type.bytes, [&](const WireField& part) {
        if (part.number == 2) value.sizes = parse_sizes(part.bytes);
      });
    });
  });
  return value;
}

OnnxModel parse_graph(std::string_view bytes) {
  OnnxModel model;
  for_each_field(bytes, [&](const WireField& field) {
    if (field.number == 1) model.nodes.push_back(parse_node(field.bytes));
    if (field.number == 5) model.constants.insert(parse_tensor(field.bytes));
    if (field.number == 11) model.inputs.push_back(parse_value(field.bytes));
    if (field.number == 12) {
      model.outputs.push_back(parse_value(field.bytes).name);
    }
  });
  std::erase_if(model.inputs, [&](const OnnxInput& input) {
    return model.constants.contains(input.name);
  });
  return model;
}

}  // namespace

Result<OnnxModel> parse_onnx(std::string_view bytes) {
  try {
    std::optional<OnnxModel> model;
    for_each_field(bytes, [&](const WireField& field) {
      if (field.number == 7) model = parse_graph(field.bytes);
    });
    if (!model || model->outputs.empty()) throw_damaged("it has no graph");
    return *std::move(model);
  } catch (const LogicError& failure) {
    return failure.error();
  }
}

}  // namespace lamarck
