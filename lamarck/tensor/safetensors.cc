#include "lamarck/tensor/safetensors.h"

#include <algorithm>
#include <array>
#include <bit>
#include <cstring>
#include <utility>
#include <vector>
#include <nlohmann/json.hpp>

#include "lamarck/base/file.h"
#include "lamarck/base/json.h"
#include "lamarck/base/macros.h"
#include "lamarck/base/one_line.h"

namespace lamarck {
namespace {

static_assert(std::endian::native == std::endian::little);

constexpr std::size_t kPrefixSize = 8;
constexpr std::uint64_t kMaxHeaderSize = 100'000'000;  // A limit of the format.

Error damaged(const std::string& what) {
  return Error(ErrorCode::DataDamaged,
               "This is not a valid safetensors file: " + what + ".");
}

// memcpy, because the elements of a file need not be aligned.
template <class T>
float plain(const char* at) {
  T value;
  std::memcpy(&value, at, sizeof(value));
  return static_cast<float>(value);
}

// bfloat16 is the upper half of a 32-bit float.
float from_bfloat16(const char* at) {
  std::uint16_t bits = 0;
  std::memcpy(&bits, at, sizeof(bits));
  return std::bit_cast<float>(std::uint32_t{bits} << 16);
}

float from_half(const char* at) {
  std::uint16_t bits = 0;
  std::memcpy(&bits, at, sizeof(bits));
  const std::uint32_t sign = std::uint32_t{bits & 0x8000u} << 16;
  const std::uint32_t exponent = (bits >> 10) & 0x1fu;
  const std::uint32_t fraction = bits & 0x3ffu;
  if (exponent == 0) {  // Zero or subnormal: fraction * 2^-24.
    const float size = static_cast<float>(fraction) * 0x1p-24f;
    return sign != 0 ? -size : size;
  }
  // 112 is the difference of the exponent biases, 127 - 15; 31 marks infinity
  // and NaN.
  const std::uint32_t wide = exponent == 31 ? 255 : exponent + 112;
  return std::bit_cast<float>(sign | wide << 23 | fraction << 13);
}

struct ElementType {
  std::string_view name;
  std::size_t size;
  float (*read)(const char* at);
};

constexpr std::array kTypes = {
    ElementType{"F32", 4, plain<float>},
    ElementType{"F64", 8, plain<double>},
    ElementType{"F16", 2, from_half},
    ElementType{"BF16", 2, from_bfloat16},
    ElementType{"I64", 8, plain<std::int64_t>},
    ElementType{"I32", 4, plain<std::int32_t>},
    ElementType{"I16", 2, plain<std::int16_t>},
    ElementType{"I8", 1, plain<std::int8_t>},
    ElementType{"U8", 1, plain<std::uint8_t>},
    ElementType{"BOOL", 1, plain<std::uint8_t>},
};

Result<Shape> read_shape(const Json& sizes, const std::string& name) {
  const Error error =
      damaged("the shape of " + in_quotes(name) + " is not valid");
  std::vector<std::int64_t> list;
  if (!sizes.is_array()) return error;
  for (const Json& size : sizes) {
    if (!size.is_number_integer()) return error;
    list.push_back(size.get<std::int64_t>());
  }
  try {
    return Shape(list);
  } catch (const LogicError&) {
    return error;
  }
}

// Returns the bytes of a tensor, after checking its offsets against the file.
Result<std::string_view> find_bytes(const Json& entry, const std::string& name,
                                    std::string_view data) {
  ASSIGN_OR_RETURN(const Json offsets, json_field<Json>(entry, "data_offsets"));
  if (!offsets.is_array() || offsets.size() != 2 ||
      !offsets[0].is_number_unsigned() || !offsets[1].is_number_unsigned()) {
    return damaged("the data_offsets of " + in_quotes(name) +
                   " are not two offsets");
  }
  const auto begin = offsets[0].get<std::uint64_t>();
  const auto end = offsets[1].get<std::uint64_t>();
  if (begin > end || end > data.size()) {
    return damaged(in_quotes(name) + " extends beyond its end");
  }
  return data.substr(begin, end - begin);
}

Result<Tensor> read_tensor(const Json& entry, const std::string& name,
                           std::string_view data) {
  ASSIGN_OR_RETURN(const std::string dtype,
                   json_field<std::string>(entry, "dtype"));
  const auto* const type = std::ranges::find(kTypes, dtype, &ElementType::name);
  if (type == kTypes.end()) {
    return Error(ErrorCode::Unsupported,
                 "The tensor " + in_quotes(name) + " has elements of type " +
                     in_quotes(dtype) +
                     ", which is not supported; store floats.");
  }
  ASSIGN_OR_RETURN(const Json sizes, json_field<Json>(entry, "shape"));
  ASSIGN_OR_RETURN(const Shape shape, read_shape(sizes, name));
  ASSIGN_OR_RETURN(const std::string_view bytes, find_bytes(entry, name, data));
  if (static_cast<std::uint64_t>(shape.element_count()) !=
          bytes.size() / type->size ||
      bytes.size() % type->size != 0) {
    return damaged(in_quotes(name) + " has " + std::to_string(bytes.size()) +
                   " bytes, which do not fit " + shape.to_string() + " of " +
                   dtype);
  }
  Tensor tensor = Tensor::uninitialized(shape);
  const char* from = bytes.data();
  for (float& element : tensor.data()) {
    element = type->read(from);
    from += type->size;
  }
  return tensor;
}

}  // namespace

std::string safetensors_to_bytes(const NamedTensors& tensors) {
  Json header = Json::object();
  std::string data;
  for (const auto& [name, tensor] : tensors) {
    const Tensor dense = tensor.contiguous();
    const std::size_t begin = data.size();
    data.append(
        reinterpret_cast<const char*>(dense.begin_of_data()),
        static_cast<std::size_t>(dense.element_count()) * sizeof(float));
    header[name] = {{"dtype", "F32"},
                    {"shape", std::vector<std::int64_t>(dense.shape().begin(),
                                                        dense.shape().end())},
                    {"data_offsets", {begin, data.size()}}};
  }
  std::string text = dump_json(header);
  // The format pads the header with spaces, so that the data is aligned.
  text.append((8 - text.size() % 8) % 8, ' ');
  const auto size = static_cast<std::uint64_t>(text.size());
  std::string bytes(reinterpret_cast<const char*>(&size), sizeof(size));
  return bytes + text + data;
}

Result<NamedTensors> safetensors_from_bytes(std::string_view bytes) {
  if (bytes.size() < kPrefixSize) return damaged("it is truncated");
  std::uint64_t size = 0;
  std::memcpy(&size, bytes.data(), sizeof(size));
  if (size > kMaxHeaderSize || size > bytes.size() - kPrefixSize) {
    return damaged("its header size of " + std::to_string(size) +
                   " bytes exceeds the file or the limit of " +
                   std::to_string(kMaxHeaderSize));
  }
  ASSIGN_OR_RETURN(const Json header,
                   parse_json(bytes.substr(kPrefixSize, size),
                              {.size_bytes = kMaxHeaderSize, .depth = 8}));
  if (!header.is_object()) return damaged("its header is not a JSON object");
  NamedTensors tensors;
  for (const auto& [name, entry] : header.items()) {
    if (name == "__metadata__") continue;
    ASSIGN_OR_RETURN(
        Tensor tensor,
        read_tensor(entry, name, bytes.substr(kPrefixSize + size)));
    tensors.emplace(name, std::move(tensor));
  }
  return tensors;
}

Result<void> write_safetensors(const std::filesystem::path& path,
                               const NamedTensors& tensors) {
  return write_file(path, safetensors_to_bytes(tensors));
}

Result<NamedTensors> read_safetensors(const std::filesystem::path& path) {
  ASSIGN_OR_RETURN(const std::string bytes,
                   read_file(path, std::uint64_t{1} << 40));
  Result<NamedTensors> tensors = safetensors_from_bytes(bytes);
  if (tensors) return tensors;
  return Error(tensors.error().code(),
               in_quotes(path.string()) + ": " + tensors.error().message());
}

}  // namespace lamarck
