#include "lamarck/store/internal/compact_bytes.h"

namespace lamarck::store::internal {
namespace {

constexpr std::string_view kPrefix = "evt_";
constexpr std::size_t kIdSize = 40;
constexpr std::string_view kDigits = "0123456789abcdef";

int digit_value(char digit) {
  if (digit >= '0' && digit <= '9') return digit - '0';
  if (digit >= 'a' && digit <= 'f') return digit - 'a' + 10;
  return -1;
}

// Whether a dash precedes this byte of a UUID.
bool has_dash_before(std::size_t byte) {
  return byte == 4 || byte == 6 || byte == 8 || byte == 10;
}

// The value of two hex digits, or -1 if they are not.
int byte_value(std::string_view digits) {
  const int high = digit_value(digits[0]);
  const int low = digit_value(digits[1]);
  return high < 0 || low < 0 ? -1 : high * 16 + low;
}

void append_digits(char byte, std::string& text) {
  const auto value = static_cast<unsigned char>(byte);
  text.push_back(kDigits[value >> 4]);
  text.push_back(kDigits[value & 15]);
}

}  // namespace

std::optional<PackedEventId> pack_event_id(std::string_view id) {
  if (id.size() != kIdSize || !id.starts_with(kPrefix)) return std::nullopt;
  std::string_view rest = id.substr(kPrefix.size());
  PackedEventId bytes{};
  for (std::size_t i = 0; i < bytes.size(); ++i) {
    if (has_dash_before(i)) {
      if (rest.front() != '-') return std::nullopt;
      rest.remove_prefix(1);
    }
    const int value = byte_value(rest);
    if (value < 0) return std::nullopt;
    bytes[i] = static_cast<char>(value);
    rest.remove_prefix(2);
  }
  return bytes;
}

std::string unpack_event_id(std::string_view bytes) {
  std::string id(kPrefix);
  id.reserve(kIdSize);
  for (std::size_t i = 0; i < bytes.size(); ++i) {
    if (has_dash_before(i)) id.push_back('-');
    append_digits(bytes[i], id);
  }
  return id;
}

std::optional<std::string> pack_hex(std::string_view text) {
  if (text.empty() || text.size() % 2 != 0) return std::nullopt;
  std::string bytes;
  bytes.reserve(text.size() / 2);
  for (; !text.empty(); text.remove_prefix(2)) {
    const int value = byte_value(text);
    if (value < 0) return std::nullopt;
    bytes.push_back(static_cast<char>(value));
  }
  return bytes;
}

std::string unpack_hex(std::string_view bytes) {
  std::string text;
  text.reserve(2 * bytes.size());
  for (const char byte : bytes) append_digits(byte, text);
  return text;
}

}  // namespace lamarck::store::internal
