#include "lamarck/skills/internal/skill_sql.h"

#include <charconv>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "lamarck/base/macros.h"
#include "lamarck/base/one_line.h"

namespace lamarck::skills::internal {

using store::Query;

std::int64_t to_micros(Clock::WallTime time) {
  return time.time_since_epoch().count();
}

Clock::WallTime time_at(const Query& query, int column) {
  return Clock::WallTime(std::chrono::microseconds(query.integer_at(column)));
}

std::optional<Clock::WallTime> maybe_time_at(const Query& query, int column) {
  if (query.is_null_at(column)) return std::nullopt;
  return time_at(query, column);
}

Query& bind_time(Query& query, const std::optional<Clock::WallTime>& time) {
  return time ? query.integer(to_micros(*time)) : query.null();
}

Result<Json> json_at(const Query& query, int column) {
  const std::string_view text = query.bytes_at(column);
  if (text.empty()) return Json();
  Result<Json> json = parse_json(text);
  if (!json) {
    return Error(ErrorCode::DataDamaged,
                 fmt::format("The skill store contains invalid JSON: {}",
                             json.error().message()));
  }
  return json;
}

Result<std::vector<std::string>> texts_at(const Query& query, int column) {
  ASSIGN_OR_RETURN(const Json list, json_at(query, column));
  std::vector<std::string> texts;
  for (const Json& item : list) {
    if (item.is_string()) texts.push_back(item.get<std::string>());
  }
  return texts;
}

std::string texts_to_json(const std::vector<std::string>& texts) {
  return dump_json(Json(texts));
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
