// Reads the fields of a protobuf message one after the other. The bytes are
// untrusted: nothing is read beyond them.

#pragma once

#include <cstdint>
#include <optional>
#include <string_view>

namespace lamarck::text {

struct ProtobufField {
  std::uint32_t number = 0;
  std::uint64_t integer = 0;  // Of varints and fixed-size numbers (its bits).
  std::string_view bytes;     // Of texts, bytes and messages; else empty.
  bool has_bytes = false;
};

// Points into the message.
class ProtobufFields {
 public:
  explicit ProtobufFields(std::string_view message) : rest_(message) {}

  // The next field, or nullopt at the end and where the message is damaged.
  std::optional<ProtobufField> next();
  bool is_damaged() const { return is_damaged_; }

  // Reads one varint from the front of `bytes`.
  static std::optional<std::uint64_t> take_varint(std::string_view& bytes);

 private:
  std::optional<ProtobufField> fail();

  std::string_view rest_;
  bool is_damaged_ = false;
};

}  // namespace lamarck::text
