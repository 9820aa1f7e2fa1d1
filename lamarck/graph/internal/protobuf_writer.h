// The subset of the Protocol Buffers wire format that ONNX files need.

#pragma once

#include <cstdint>
#include <string>
#include <string_view>

namespace lamarck {

// Builds one message, field by field. Each function appends a field.
class ProtobufWriter {
 public:
  ProtobufWriter& integer(std::uint32_t field, std::int64_t value);
  ProtobufWriter& number(std::uint32_t field, float value);
  // A string, raw bytes or an embedded message.
  ProtobufWriter& bytes(std::uint32_t field, std::string_view value);
  ProtobufWriter& message(std::uint32_t field, const ProtobufWriter& inner) {
    return bytes(field, inner.bytes_);
  }

  const std::string& result() const { return bytes_; }

 private:
  void varint(std::uint64_t value);

  std::string bytes_;
};

}  // namespace lamarck
