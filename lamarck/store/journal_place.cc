#include "lamarck/store/journal_place.h"

#include <filesystem>

#include "lamarck/store/memory_journal.h"
#include "lamarck/store/postgres/postgres_journal.h"
#include "lamarck/store/postgres/postgres_url.h"
#include "lamarck/store/sqlite_journal.h"

namespace lamarck::store {

Result<std::unique_ptr<Journal>> open_journal_at(const JournalPlace& place) {
  if (place.place.empty()) return make_memory_journal();
  if (is_postgres_url(place.place)) {
    return open_postgres_journal(
        {.server = {.url = place.place}, .durable = place.durable});
  }
  return open_sqlite_journal({.path = place.place, .durable = place.durable});
}

std::string absolute_place(const std::string& place) {
  if (place.empty() || is_postgres_url(place)) return place;
  return std::filesystem::absolute(place).string();
}

std::string shown_place(std::string_view place) {
  return shown_postgres_url(place);
}

}  // namespace lamarck::store
