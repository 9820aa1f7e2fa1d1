#include "lamarck/text/needle/protobuf_fields.h"

#include <cstddef>

namespace lamarck::text {
namespace {

std::uint64_t little_endian(std::string_view bytes) {
  std::uint64_t value = 0;
  for (std::size_t i = bytes.size(); i-- > 0;) {
    value = (value << 8) | static_cast<unsigned char>(bytes[i]);
  }
  return value;
}

}  // namespace

std::optional<std::uint64_t> ProtobufFields::take_varint(
    std::string_view& bytes) {
  std::uint64_t value = 0;
  for (unsigned shift = 0; shift < 64; shift += 7) {
    if (bytes.empty()) return std::nullopt;
    const auto byte = static_cast<unsigned char>(bytes.front());
    bytes.remove_prefix(1);
    value |= std::uint64_t{byte & 0x7Fu} << shift;
    if (byte < 0x80) return value;
  }
  return std::nullopt;
}

std::optional<ProtobufField> ProtobufFields::fail() {
  is_damaged_ = true;
  rest_ = {};
  return std::nullopt;
}

std::optional<ProtobufField> ProtobufFields::next() {
  if (rest_.empty()) return std::nullopt;
  const auto tag = take_varint(rest_);
  if (!tag || *tag >> 32 != 0 || *tag >> 3 == 0) return fail();
  ProtobufField field{.number = static_cast<std::uint32_t>(*tag >> 3)};
  std::size_t size = 0;
  switch (*tag & 7) {
    case 0: {
      const auto value = take_varint(rest_);
      if (!value) return fail();
      field.integer = *value;
      return field;
    }
    case 1:
      size = 8;
      break;
    case 2: {
      const auto length = take_varint(rest_);
      if (!length || *length > rest_.size()) return fail();
      field.bytes = rest_.substr(0, *length);
      field.has_bytes = true;
      rest_.remove_prefix(*length);
      return field;
    }
    case 5:
      size = 4;
      break;
    default:
      return fail();
  }
  if (rest_.size() < size) return fail();
  field.integer = little_endian(rest_.substr(0, size));
  rest_.remove_prefix(size);
  return field;
}

}  // namespace lamarck::text
