#include "lamarck/skills/internal/skill_sql.h"

#include <charconv>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "lamarck/base/macros.h"
#include "lamarck/base/one_line.h"

namespace lamarck::skills::internal {

SkillQuery& SkillQuery::null() {
  statement_->bind_null();
  return *this;
}
SkillQuery& SkillQuery::text(std::string_view value) {
  statement_->bind_text(value);
  return *this;
}
SkillQuery& SkillQuery::text_or_null(std::string_view value) {
  return value.empty() ? null() : text(value);
}
SkillQuery& SkillQuery::integer(std::int64_t value) {
  statement_->bind_integer(value);
  return *this;
}
SkillQuery& SkillQuery::real(double value) {
  statement_->bind_real(value);
  return *this;
}
SkillQuery& SkillQuery::boolean(bool value) {
  statement_->bind_boolean(value);
  return *this;
}
SkillQuery& SkillQuery::id(std::string_view value) {
  statement_->bind_id(value);
  return *this;
}
SkillQuery& SkillQuery::id_or_null(std::string_view value) {
  return value.empty() ? null() : id(value);
}
SkillQuery& SkillQuery::time(const std::optional<Clock::WallTime>& value) {
  if (!value) return null();
  statement_->bind_time(*value);
  return *this;
}
SkillQuery& SkillQuery::json(const Json& value) {
  statement_->bind_json(dump_json(value));
  return *this;
}
SkillQuery& SkillQuery::json_or_null(const Json& value) {
  return value.is_null() ? null() : json(value);
}
SkillQuery& SkillQuery::texts(const std::vector<std::string>& value) {
  statement_->bind_texts(value);
  return *this;
}
SkillQuery& SkillQuery::floats(const std::vector<float>& value) {
  statement_->bind_floats(value);
  return *this;
}

Result<void> SkillQuery::run() {
  for (;;) {
    ASSIGN_OR_RETURN(const bool has_row, next());
    if (!has_row) return {};
  }
}

Result<bool> SkillQuery::next() { return statement_->next(); }

std::optional<Clock::WallTime> SkillQuery::maybe_time_at(int column) const {
  if (is_null_at(column)) return std::nullopt;
  return time_at(column);
}

Result<Json> SkillQuery::json_at(int column) const {
  return parse_stored_json(statement_->json_text_at(column));
}

std::int64_t to_micros(Clock::WallTime time) {
  return time.time_since_epoch().count();
}

Result<Json> parse_stored_json(std::string_view text) {
  if (text.empty()) return Json();
  Result<Json> json = parse_json(text);
  if (!json) {
    return Error(ErrorCode::DataDamaged,
                 fmt::format("The skill store contains invalid JSON: {}",
                             json.error().message()));
  }
  return json;
}

Error missing(std::string_view what, std::string_view id) {
  return {ErrorCode::NotFound,
          fmt::format("There is no {} {}.", what, in_quotes(id))};
}

std::string encode_cursor(const PageCursor& cursor) {
  std::string text;
  for (const char c : fmt::format("{}.{}", cursor.created_at, cursor.id)) {
    text += fmt::format("{:02x}", static_cast<unsigned char>(c));
  }
  return text;
}

Result<PageCursor> decode_cursor(std::string_view text) {
  const Error invalid = invalid_argument(
      fmt::format("cursor must be the next_cursor of a previous page, got {}.",
                  in_quotes(text)));
  if (text.size() % 2 != 0 || text.size() > 400) return invalid;
  std::string plain;
  for (std::size_t at = 0; at < text.size(); at += 2) {
    unsigned value = 0;
    const char* const end = text.data() + at + 2;
    if (std::from_chars(text.data() + at, end, value, 16).ptr != end) {
      return invalid;
    }
    plain += static_cast<char>(value);
  }
  const std::size_t dot = plain.find('.');
  if (dot == 0 || dot == std::string::npos) return invalid;
  PageCursor cursor;
  const char* const end = plain.data() + dot;
  if (std::from_chars(plain.data(), end, cursor.created_at).ptr != end) {
    return invalid;
  }
  cursor.id = plain.substr(dot + 1);
  if (cursor.id.empty()) return invalid;
  return cursor;
}

}  // namespace lamarck::skills::internal
