#include <libpq-fe.h>

#include <bit>
#include <charconv>

#include <fmt/format.h>

#include "lamarck/store/postgres/internal/binary_number.h"
#include "lamarck/store/postgres/internal/postgres_text.h"
#include "lamarck/store/postgres/postgres_connection.h"

namespace lamarck::store {
namespace {

// Reads the parts of a binary value one after another. Reading beyond the end
// gives empty parts.
class BinaryReader {
 public:
  explicit BinaryReader(std::string_view bytes) : rest_(bytes) {}

  std::string_view take(std::size_t size) {
    const std::string_view part = rest_.substr(0, size);
    rest_.remove_prefix(part.size());
    return part;
  }
  std::int64_t take_integer() {
    return internal::from_big_endian(take(sizeof(std::int32_t)));
  }

 private:
  std::string_view rest_;
};

// The elements of a one-dimensional array; NULL elements are "".
std::vector<std::string_view> array_elements(std::string_view bytes) {
  std::vector<std::string_view> elements;
  BinaryReader reader(bytes);
  const std::int64_t dimensions = reader.take_integer();
  reader.take(2 * sizeof(std::int32_t));  // Has NULLs; the element type.
  if (dimensions != 1) return elements;
  const std::int64_t count = reader.take_integer();
  reader.take(sizeof(std::int32_t));  // The first index.
  for (std::int64_t i = 0; i < count; ++i) {
    const std::int64_t size = reader.take_integer();
    elements.push_back(reader.take(size < 0 ? 0 : std::size_t(size)));
  }
  return elements;
}

// The numbers of a vector of pgvector: their count, two unused bytes, and four
// bytes for each.
std::vector<std::string_view> vector_elements(std::string_view bytes) {
  std::vector<std::string_view> elements;
  BinaryReader reader(bytes);
  const auto count = internal::from_big_endian(reader.take(2));
  reader.take(2);
  for (std::int64_t i = 0; i < count; ++i) {
    elements.push_back(reader.take(sizeof(float)));
  }
  return elements;
}

}  // namespace

void PostgresRows::clear(pg_result* result) { PQclear(result); }

std::size_t PostgresRows::size() const {
  return static_cast<std::size_t>(PQntuples(result_.get()));
}

std::int64_t PostgresRows::changed_count() const {
  const std::string_view text = PQcmdTuples(result_.get());
  std::int64_t count = 0;
  std::from_chars(text.data(), text.data() + text.size(), count);
  return count;
}

std::string_view PostgresRows::bytes(std::size_t row, int column) const {
  const int place = static_cast<int>(row);
  return {PQgetvalue(result_.get(), place, column),
          static_cast<std::size_t>(PQgetlength(result_.get(), place, column))};
}

bool PostgresRows::is_null(std::size_t row, int column) const {
  return PQgetisnull(result_.get(), static_cast<int>(row), column) == 1;
}

std::int64_t PostgresRows::integer(std::size_t row, int column) const {
  return internal::from_big_endian(bytes(row, column));
}

double PostgresRows::real(std::size_t row, int column) const {
  return std::bit_cast<double>(integer(row, column));
}

bool PostgresRows::boolean(std::size_t row, int column) const {
  return integer(row, column) != 0;
}

std::string PostgresRows::text(std::size_t row, int column) const {
  return internal::from_postgres_text(bytes(row, column));
}

Clock::WallTime PostgresRows::time(std::size_t row, int column) const {
  return Clock::WallTime(std::chrono::microseconds(integer(row, column) +
                                                   internal::kPostgresEpoch));
}

std::string PostgresRows::json(std::size_t row, int column) const {
  const std::string_view value = bytes(row, column);
  // The text follows the version of the type.
  return internal::from_postgres_json(value.substr(value.empty() ? 0 : 1));
}

std::string PostgresRows::uuid(std::size_t row, int column) const {
  std::string text;
  const std::string_view value = bytes(row, column);
  for (std::size_t i = 0; i < value.size(); ++i) {
    if (i == 4 || i == 6 || i == 8 || i == 10) text += '-';
    text += fmt::format(
        "{:02x}", static_cast<unsigned>(static_cast<unsigned char>(value[i])));
  }
  return text;
}

std::vector<std::string> PostgresRows::texts(std::size_t row,
                                             int column) const {
  std::vector<std::string> list;
  for (const std::string_view element : array_elements(bytes(row, column))) {
    list.push_back(internal::from_postgres_text(element));
  }
  return list;
}

bool PostgresRows::is_uuid(int column) const {
  return PQftype(result_.get(), column) == static_cast<Oid>(PostgresType::Uuid);
}

std::vector<float> PostgresRows::reals(std::size_t row, int column) const {
  constexpr Oid kRealArray = 1021;
  const bool is_array = PQftype(result_.get(), column) == kRealArray;
  std::vector<float> list;
  for (const std::string_view element :
       is_array ? array_elements(bytes(row, column))
                : vector_elements(bytes(row, column))) {
    const std::int64_t bits = internal::from_big_endian(element);
    list.push_back(std::bit_cast<float>(static_cast<std::int32_t>(bits)));
  }
  return list;
}

}  // namespace lamarck::store
