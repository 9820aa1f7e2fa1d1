#include "lamarck/cli/db/database_archive.h"

#include <algorithm>
#include <array>
#include <vector>
#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "lamarck/base/hash.h"
#include "lamarck/base/macros.h"
#include "lamarck/base/string_split.h"
#include "lamarck/store/journal_archive.h"

namespace lamarck::cli {
namespace {

constexpr int kArchiveFormat = 1;
constexpr std::string_view kEndRecord = "end";
// The records of a journal; all others are rows of skills.
constexpr std::array<std::string_view, 5> kJournalRecords = {
    "run", "pruned", "event", "checkpoint", "answer"};

bool is_journal_record(const Json& record) {
  const std::string kind = record.value("record", "");
  return std::find(kJournalRecords.begin(), kJournalRecords.end(), kind) !=
         kJournalRecords.end();
}

Error not_an_archive(std::string_view reason) {
  return {ErrorCode::DataDamaged,
          fmt::format("The file must be complete and as `lamarck db export` "
                      "wrote it: {}. Export it again.",
                      reason)};
}

std::string plural(std::uint64_t count, std::string_view noun,
                   std::string_view nouns) {
  return fmt::format("{} {}", count, count == 1 ? noun : nouns);
}

// Returns the records, without the last line, whose hash must be theirs.
Result<std::vector<Json>> parse_records(std::string_view text) {
  std::vector<Json> records;
  Sha256 hash;
  std::string stated;
  for (const std::string_view line : split_text(text, '\n')) {
    if (line.empty()) continue;
    if (!stated.empty()) return not_an_archive("there is text after its end");
    const auto record = parse_json(line);
    if (!record || !record->is_object()) {
      return not_an_archive(
          fmt::format("line {} is not a JSON object", records.size() + 1));
    }
    if (record->value("record", "") == kEndRecord) {
      if (record->value("format", 0) != kArchiveFormat) {
        return Error(ErrorCode::Unsupported,
                     fmt::format("The export has format {}, but this program "
                                 "reads only format {}; use a newer one.",
                                 record->value("format", 0), kArchiveFormat));
      }
      stated = record->value("sha256", "");
      continue;
    }
    hash.update(line).update("\n");
    records.push_back(*record);
  }
  if (stated.empty()) return not_an_archive("its last line is missing");
  if (stated != hash.finish()) {
    return not_an_archive("its content does not match its SHA-256");
  }
  return records;
}

}  // namespace

Json to_json(const Archive& archive) {
  return {{"runs", archive.counts.runs},
          {"events", archive.counts.events},
          {"replies", archive.counts.replies},
          {"skill_rows", archive.counts.skill_rows},
          {"sha256", archive.sha256}};
}

std::string archive_text(const ArchiveCounts& counts) {
  return fmt::format("{} with {}, {} and {} of skills",
                     plural(counts.runs, "run", "runs"),
                     plural(counts.events, "event", "events"),
                     plural(counts.replies, "reply", "replies"),
                     plural(counts.skill_rows, "row", "rows"));
}

Result<Archive> write_archive(store::Journal& journal,
                              skills::SkillStore& skills, std::string* text) {
  Sha256 hash;
  const auto write = [&](const Json& record) -> Result<void> {
    const std::string line = dump_json(record) + "\n";
    hash.update(line);
    if (text != nullptr) *text += line;
    return {};
  };
  ASSIGN_OR_RETURN(const store::JournalCounts counts,
                   store::export_journal(journal, write));
  Archive archive{.counts = {.runs = counts.runs,
                             .events = counts.events,
                             .replies = counts.answers}};
  ASSIGN_OR_RETURN(archive.counts.skill_rows, skills.export_rows(write));
  archive.sha256 = hash.finish();
  if (text != nullptr) {
    Json end = to_json(archive);
    end["record"] = kEndRecord;
    end["format"] = kArchiveFormat;
    *text += dump_json(end) + "\n";
  }
  return archive;
}

Result<Archive> read_archive(std::string_view text, store::Journal& journal,
                             skills::SkillStore& skills) {
  ASSIGN_OR_RETURN(const std::vector<Json> records, parse_records(text));
  std::vector<Json> rows;
  for (const Json& record : records) {
    if (!is_journal_record(record)) rows.push_back(record);
  }
  // The skills first, because they are refused as a whole.
  if (!rows.empty()) RETURN_IF_ERROR(skills.import_rows(rows));
  store::JournalImport import(journal);
  for (const Json& record : records) {
    if (is_journal_record(record)) RETURN_IF_ERROR(import.add(record));
  }
  ASSIGN_OR_RETURN(const store::JournalCounts counts, import.finish());
  Sha256 hash;
  for (const Json& record : records) hash.update(dump_json(record) + "\n");
  return Archive{.counts = {.runs = counts.runs,
                            .events = counts.events,
                            .replies = counts.answers,
                            .skill_rows = rows.size()},
                 .sha256 = hash.finish()};
}

}  // namespace lamarck::cli
