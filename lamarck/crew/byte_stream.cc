#include "lamarck/crew/byte_stream.h"

#include <bit>

namespace lamarck::crew {

void ByteWriter::add_count(std::uint64_t value) {
  while (value >= 0x80) {
    bytes_ += static_cast<char>(value | 0x80);
    value >>= 7;
  }
  bytes_ += static_cast<char>(value);
}

// Zigzag: 0, -1, 1, -2, ... become 0, 1, 2, 3, ...
void ByteWriter::add_integer(std::int64_t value) {
  const auto shifted = static_cast<std::uint64_t>(value) << 1;
  add_count(value < 0 ? ~shifted : shifted);
}

void ByteWriter::add_bits(std::uint64_t value) {
  for (int shift = 0; shift < 64; shift += 8) {
    bytes_ += static_cast<char>(value >> shift);
  }
}

void ByteWriter::add_flag(bool value) { bytes_ += value ? '\1' : '\0'; }

void ByteWriter::add_number(double value) {
  add_bits(std::bit_cast<std::uint64_t>(value));
}

void ByteWriter::add_text(std::string_view text) {
  add_count(text.size());
  bytes_ += text;
}

void ByteWriter::add_floats(std::span<const float> values) {
  add_count(values.size());
  for (const float value : values) {
    const auto bits = std::bit_cast<std::uint32_t>(value);
    for (int shift = 0; shift < 32; shift += 8) {
      bytes_ += static_cast<char>(bits >> shift);
    }
  }
}

std::string_view ByteReader::take(std::size_t size) {
  if (!is_good_ || size > rest_.size()) {
    is_good_ = false;
    return {};
  }
  const std::string_view taken = rest_.substr(0, size);
  rest_.remove_prefix(size);
  return taken;
}

std::uint64_t ByteReader::count() {
  std::uint64_t value = 0;
  for (unsigned shift = 0; shift < 64; shift += 7) {
    const std::string_view next = take(1);
    if (next.empty()) return 0;
    const auto byte = static_cast<unsigned char>(next[0]);
    value |= std::uint64_t{byte & 0x7fu} << shift;
    if (byte < 0x80) return value;
  }
  is_good_ = false;
  return 0;
}

std::size_t ByteReader::length() {
  const std::uint64_t value = count();
  if (value > rest_.size()) is_good_ = false;
  return is_good_ ? static_cast<std::size_t>(value) : 0;
}

std::int64_t ByteReader::integer() {
  const std::uint64_t value = count();
  const std::uint64_t half = value >> 1;
  return static_cast<std::int64_t>((value & 1) != 0 ? ~half : half);
}

std::uint64_t ByteReader::bits() {
  std::uint64_t value = 0;
  unsigned shift = 0;
  for (const char byte : take(8)) {
    value |= std::uint64_t{static_cast<unsigned char>(byte)} << shift;
    shift += 8;
  }
  return value;
}

bool ByteReader::flag() {
  const std::string_view next = take(1);
  return !next.empty() && next[0] != '\0';
}

double ByteReader::number() { return std::bit_cast<double>(bits()); }

std::string_view ByteReader::view() { return take(length()); }

std::string ByteReader::text() { return std::string(view()); }

std::vector<float> ByteReader::floats() {
  const std::size_t size = length();
  const std::string_view bytes = take(size * 4);
  std::vector<float> values;
  values.reserve(bytes.size() / 4);
  for (std::size_t i = 0; i + 4 <= bytes.size(); i += 4) {
    std::uint32_t bits = 0;
    for (unsigned k = 0; k < 4; ++k) {
      bits |= std::uint32_t{static_cast<unsigned char>(bytes[i + k])}
              << (8 * k);
    }
    values.push_back(std::bit_cast<float>(bits));
  }
  return values;
}

Result<void> ByteReader::check(std::string_view what) const {
  if (is_good_ && rest_.empty()) return {};
  return Error(ErrorCode::DataDamaged,
               std::string(what) +
                   " is damaged; make sure that all members run the same "
                   "version of lamarck.");
}

}  // namespace lamarck::crew
