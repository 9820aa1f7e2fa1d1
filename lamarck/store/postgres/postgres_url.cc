#include "lamarck/store/postgres/postgres_url.h"

#include <array>

#include "lamarck/base/string_split.h"

namespace lamarck::store {
namespace {

constexpr std::array<std::string_view, 2> kPostgresSchemes = {"postgresql://",
                                                              "postgres://"};

// "" if `place` is not a PostgreSQL URL.
std::string_view postgres_scheme(std::string_view place) {
  for (const std::string_view scheme : kPostgresSchemes) {
    if (place.starts_with(scheme)) return scheme;
  }
  return "";
}

// Drops parameters such as password and sslpassword.
std::string public_parameters(std::string_view query) {
  std::string kept;
  for (const std::string_view part : split_text(query, '&')) {
    const std::string_view name = part.substr(0, part.find('='));
    if (name.find("pass") != std::string_view::npos) continue;
    kept += kept.empty() ? '?' : '&';
    kept += part;
  }
  return kept;
}

}  // namespace

bool is_postgres_url(std::string_view place) {
  return !postgres_scheme(place).empty();
}

std::string shown_postgres_url(std::string_view url) {
  const std::string_view scheme = postgres_scheme(url);
  if (scheme.empty()) return std::string(url);
  std::string_view rest = url.substr(scheme.size());
  std::string shown(scheme);
  // A password may contain unescaped slashes, so the last @ ends it.
  if (const auto at = rest.rfind('@'); at != std::string_view::npos) {
    const std::string_view user = rest.substr(0, at);
    shown += user.substr(0, user.find(':'));
    rest = rest.substr(at);
  }
  const auto query = rest.find('?');
  shown += rest.substr(0, query);
  if (query == std::string_view::npos) return shown;
  return shown + public_parameters(rest.substr(query + 1));
}

PostgresPlace parse_postgres_place(std::string_view url) {
  constexpr std::string_view kName = "schema=";
  PostgresPlace place{.url = std::string(url),
                      .schema = std::string(kDefaultSchema)};
  const auto query = url.find('?');
  if (query == std::string_view::npos) return place;
  place.url = url.substr(0, query);
  char separator = '?';
  for (const std::string_view part : split_text(url.substr(query + 1), '&')) {
    if (part.starts_with(kName)) {
      place.schema = part.substr(kName.size());
      continue;
    }
    place.url += separator;
    place.url += part;
    separator = '&';
  }
  return place;
}

std::string with_schema(std::string_view url, std::string_view schema) {
  std::string changed = parse_postgres_place(url).url;
  changed += changed.find('?') == std::string::npos ? '?' : '&';
  changed += "schema=";
  changed += schema;
  return changed;
}

}  // namespace lamarck::store
