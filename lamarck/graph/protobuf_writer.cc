#include "lamarck/graph/internal/protobuf_writer.h"

#include <cstring>

namespace lamarck {
namespace {

// The wire types of the format.
constexpr std::uint64_t kVarint = 0;
constexpr std::uint64_t kBytes = 2;
constexpr std::uint64_t kFixed32 = 5;

}  // namespace

// Seven bits per byte, lowest first; the top bit marks that more bytes follow.
void ProtobufWriter::varint(std::uint64_t value) {
  while (value >= 0x80) {
    bytes_ += static_cast<char>(value | 0x80);
    value >>= 7;
  }
  bytes_ += static_cast<char>(value);
}

ProtobufWriter& ProtobufWriter::integer(std::uint32_t field,
                                        std::int64_t value) {
  varint(std::uint64_t{field} << 3 | kVarint);
  varint(static_cast<std::uint64_t>(value));
  return *this;
}

ProtobufWriter& ProtobufWriter::number(std::uint32_t field, float value) {
  varint(std::uint64_t{field} << 3 | kFixed32);
  bytes_.append(reinterpret_cast<const char*>(&value), sizeof(value));
  return *this;
}

ProtobufWriter& ProtobufWriter::bytes(std::uint32_t field,
                                      std::string_view value) {
  varint(std::uint64_t{field} << 3 | kBytes);
  varint(value.size());
  bytes_ += value;
  return *this;
}

}  // namespace lamarck
