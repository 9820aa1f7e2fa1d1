// Values in PostgreSQL's binary form, as parameters of statements.

#pragma once

#include <cstdint>
#include <deque>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "lamarck/base/clock.h"

namespace lamarck::store {

// The column types in use, by their fixed numbers in every server.
enum class PostgresType : std::uint32_t {
  Unknown = 0,  // The server infers it.
  Boolean = 16,
  Bytes = 17,
  Integer = 20,  // bigint
  Text = 25,
  Json = 3802,  // jsonb
  Real = 700,
  Double = 701,
  Time = 1184,  // timestamptz
  Uuid = 2950,
};

// An array of values of one type, such as text[]. Adding a value of another
// type is a bug in the caller, which the server reports.
class PostgresArray {
 public:
  explicit PostgresArray(PostgresType element) : element_(element) {}

  PostgresArray& integer(std::int64_t value);
  PostgresArray& real(float value);
  PostgresArray& boolean(bool value);
  PostgresArray& text(std::string_view value);
  PostgresArray& text_or_null(std::string_view value);  // "" = NULL.
  PostgresArray& time(Clock::WallTime value);
  PostgresArray& null();

  std::int32_t size() const { return size_; }
  PostgresType element() const { return element_; }
  std::string encoded() const;

 private:
  void add(std::string_view bytes);

  const PostgresType element_;
  std::int32_t size_ = 0;
  bool has_null_ = false;
  std::string bytes_;
};

// The parameters $1, $2 ... of one statement, in this order.
class PostgresParameters {
 public:
  PostgresParameters& integer(std::int64_t value);
  PostgresParameters& real(double value);
  PostgresParameters& boolean(bool value);
  PostgresParameters& text(std::string_view value);
  PostgresParameters& text_or_null(std::string_view value);  // "" = NULL.
  PostgresParameters& time(Clock::WallTime value);
  PostgresParameters& json(std::string_view value);
  // A lower-case UUID with hyphens; anything else becomes NULL.
  PostgresParameters& uuid(std::string_view value);
  PostgresParameters& array(const PostgresArray& value);
  PostgresParameters& null(PostgresType type);

  int count() const { return static_cast<int>(types_.size()); }
  const std::uint32_t* types() const { return types_.data(); }
  // Valid until the next parameter is added.
  const char* const* values();
  const int* lengths();

 private:
  void add(std::uint32_t type, std::optional<std::string> bytes);

  std::vector<std::uint32_t> types_;
  std::deque<std::optional<std::string>> bytes_;
  std::vector<const char*> values_;
  std::vector<int> lengths_;
};

// The values of a text[] as the literal of one, for arrays of arrays: "{a,b}"
// is cast to text[] by the statement.
std::string text_array_literal(const std::vector<std::string>& values);

}  // namespace lamarck::store
