#include "lamarck/store/postgres/postgres_values.h"

#include <bit>
#include <utility>

#include "lamarck/store/postgres/internal/binary_number.h"
#include "lamarck/store/postgres/internal/postgres_text.h"

namespace lamarck::store {
namespace {

using internal::big_endian;
using internal::kPostgresEpoch;

std::string time_bytes(Clock::WallTime time) {
  return big_endian(time.time_since_epoch().count() - kPostgresEpoch);
}

std::uint32_t type_number(PostgresType type) {
  return static_cast<std::uint32_t>(type);
}

// The type of an array with elements of this type.
std::uint32_t array_type(PostgresType element) {
  switch (element) {
    case PostgresType::Boolean:
      return 1000;
    case PostgresType::Bytes:
      return 1001;
    case PostgresType::Integer:
      return 1016;
    case PostgresType::Text:
      return 1009;
    case PostgresType::Json:
      return 3807;
    case PostgresType::Real:
      return 1021;
    case PostgresType::Double:
      return 1022;
    case PostgresType::Time:
      return 1185;
    case PostgresType::Uuid:
      return 2951;
    case PostgresType::Unknown:
      break;
  }
  return 0;
}

std::optional<std::string> uuid_bytes(std::string_view text) {
  std::string digits(text);
  std::erase(digits, '-');
  if (text.size() != 36 || digits.size() != 32) return std::nullopt;
  std::string bytes;
  for (std::size_t i = 0; i < digits.size(); i += 2) {
    const auto byte =
        internal::parse_hex_byte(std::string_view(digits).substr(i, 2));
    if (!byte) return std::nullopt;
    bytes += static_cast<char>(*byte);
  }
  return bytes;
}

}  // namespace

void PostgresArray::add(std::string_view bytes) {
  bytes_ += big_endian(static_cast<std::int32_t>(bytes.size()));
  bytes_ += bytes;
  ++size_;
}

PostgresArray& PostgresArray::integer(std::int64_t value) {
  add(big_endian(value));
  return *this;
}
PostgresArray& PostgresArray::real(float value) {
  add(big_endian(std::bit_cast<std::int32_t>(value)));
  return *this;
}
PostgresArray& PostgresArray::boolean(bool value) {
  add(std::string_view(value ? "\1" : "\0", 1));
  return *this;
}
PostgresArray& PostgresArray::text(std::string_view value) {
  add(internal::to_postgres_text(value));
  return *this;
}
PostgresArray& PostgresArray::text_or_null(std::string_view value) {
  return value.empty() ? null() : text(value);
}
PostgresArray& PostgresArray::time(Clock::WallTime value) {
  add(time_bytes(value));
  return *this;
}
PostgresArray& PostgresArray::null() {
  bytes_ += big_endian(std::int32_t{-1});
  has_null_ = true;
  ++size_;
  return *this;
}

std::string PostgresArray::encoded() const {
  constexpr std::int32_t kDimensions = 1;
  constexpr std::int32_t kFirstIndex = 1;
  return big_endian(kDimensions) +
         big_endian(static_cast<std::int32_t>(has_null_)) +
         big_endian(static_cast<std::int32_t>(element_)) + big_endian(size_) +
         big_endian(kFirstIndex) + bytes_;
}

void PostgresParameters::add(std::uint32_t type,
                             std::optional<std::string> bytes) {
  types_.push_back(type);
  bytes_.push_back(std::move(bytes));
}

PostgresParameters& PostgresParameters::integer(std::int64_t value) {
  add(type_number(PostgresType::Integer), big_endian(value));
  return *this;
}
PostgresParameters& PostgresParameters::real(double value) {
  add(type_number(PostgresType::Double),
      big_endian(std::bit_cast<std::int64_t>(value)));
  return *this;
}
PostgresParameters& PostgresParameters::boolean(bool value) {
  add(type_number(PostgresType::Boolean), std::string(1, value ? '\1' : '\0'));
  return *this;
}
PostgresParameters& PostgresParameters::text(std::string_view value) {
  add(type_number(PostgresType::Text), internal::to_postgres_text(value));
  return *this;
}
PostgresParameters& PostgresParameters::text_or_null(std::string_view value) {
  return value.empty() ? null(PostgresType::Text) : text(value);
}
PostgresParameters& PostgresParameters::time(Clock::WallTime value) {
  add(type_number(PostgresType::Time), time_bytes(value));
  return *this;
}
PostgresParameters& PostgresParameters::json(std::string_view value) {
  // The binary form begins with the version of the type.
  add(type_number(PostgresType::Json),
      '\1' + internal::to_postgres_json(value));
  return *this;
}
PostgresParameters& PostgresParameters::uuid(std::string_view value) {
  add(type_number(PostgresType::Uuid), uuid_bytes(value));
  return *this;
}
PostgresParameters& PostgresParameters::array(const PostgresArray& value) {
  add(array_type(value.element()), value.encoded());
  return *this;
}
PostgresParameters& PostgresParameters::null(PostgresType type) {
  add(type_number(type), std::nullopt);
  return *this;
}

const char* const* PostgresParameters::values() {
  values_.clear();
  for (const auto& bytes : bytes_) {
    values_.push_back(bytes ? bytes->data() : nullptr);
  }
  return values_.data();
}

const int* PostgresParameters::lengths() {
  lengths_.clear();
  for (const auto& bytes : bytes_) {
    lengths_.push_back(bytes ? static_cast<int>(bytes->size()) : 0);
  }
  return lengths_.data();
}

std::string text_array_literal(const std::vector<std::string>& values) {
  std::string literal = "{";
  for (const std::string& value : values) {
    literal += literal.size() == 1 ? "\"" : ",\"";
    for (const char letter : value) {
      if (letter == '"' || letter == '\\') literal += '\\';
      literal += letter;
    }
    literal += '"';
  }
  return literal + "}";
}

}  // namespace lamarck::store
