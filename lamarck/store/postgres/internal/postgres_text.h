// Text in the form that PostgreSQL can store: valid UTF-8 without zero bytes.

#pragma once

#include <string>
#include <string_view>

namespace lamarck::store::internal {

// Replaces each byte that PostgreSQL rejects, and the escape character itself
// (0x10, data link escape), by the escape character and two hex digits.
std::string to_postgres_text(std::string_view text);

// The inverse.
std::string from_postgres_text(std::string_view stored);

// The same for JSON: jsonb rejects the character that \u0000 stands for.
std::string to_postgres_json(std::string_view json);
std::string from_postgres_json(std::string_view stored);

}  // namespace lamarck::store::internal
