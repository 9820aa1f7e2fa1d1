// Values as bytes, for messages between members and for stored results.
//
// Integers take one byte per seven bits; floating-point numbers keep their
// bits. The bytes are the same on every machine.

#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "lamarck/base/result.h"

namespace lamarck::crew {

class ByteWriter {
 public:
  void add_count(std::uint64_t value);
  void add_integer(std::int64_t value);  // Small magnitudes are short.
  void add_bits(std::uint64_t value);    // Always eight bytes.
  void add_flag(bool value);
  void add_number(double value);
  void add_text(std::string_view text);
  void add_floats(std::span<const float> values);

  const std::string& bytes() const { return bytes_; }
  std::string take() { return std::move(bytes_); }

 private:
  std::string bytes_;
};

// Reads what a ByteWriter wrote. After damaged or missing bytes, every read
// returns zero or an empty value, and `check` fails. Keeps a view of the bytes.
class ByteReader {
 public:
  explicit ByteReader(std::string_view bytes) : rest_(bytes) {}

  std::uint64_t count();
  // A count of things that take at least one byte each, so that damaged bytes
  // cannot ask for more memory than they have.
  std::size_t length();
  std::int64_t integer();
  std::uint64_t bits();
  bool flag();
  double number();
  std::string text();
  std::string_view view();  // As `text`, without a copy.
  std::vector<float> floats();

  bool is_good() const { return is_good_; }
  void fail() { is_good_ = false; }
  // Fails with DataDamaged unless all bytes were read and made sense.
  Result<void> check(std::string_view what) const;

 private:
  std::string_view take(std::size_t size);

  std::string_view rest_;
  bool is_good_ = true;
};

}  // namespace lamarck::crew
