// A journal and its skills as text: one JSON object per line. The last line has
// the counts and the SHA-256 of the lines before it.

#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "lamarck/base/json.h"
#include "lamarck/base/result.h"
#include "lamarck/skills/skill_store.h"
#include "lamarck/store/journal.h"

namespace lamarck::cli {

struct ArchiveCounts {
  std::uint64_t runs = 0;
  std::uint64_t events = 0;
  std::uint64_t replies = 0;
  std::uint64_t skill_rows = 0;

  friend bool operator==(const ArchiveCounts&, const ArchiveCounts&) = default;
};

struct Archive {
  ArchiveCounts counts;
  std::string sha256;  // Of the records.
};

Json to_json(const Archive& archive);
// "3 runs with 20 events, 5 replies and 12 rows of skills".
std::string archive_text(const ArchiveCounts& counts);

// What an archive would contain; appends its lines to `text` unless null.
Result<Archive> write_archive(store::Journal& journal,
                              skills::SkillStore& skills, std::string* text);

// Checks the whole archive before it adds anything. Runs and events that the
// journal already has are skipped; skills need an empty store, or none.
Result<Archive> read_archive(std::string_view text, store::Journal& journal,
                             skills::SkillStore& skills);

}  // namespace lamarck::cli
