// The journal of a run: an append-only file with one JSON object per line. Each
// line ends with a hash of itself and all lines before it, so that a changed,
// missing or moved line is found. The hashes have no key: they show damage and
// careless edits, not a forger who computes them again.

#pragma once

#include <cstdint>
#include <filesystem>
#include <functional>
#include <string>
#include <string_view>

#include "lamarck/base/json.h"
#include "lamarck/base/result.h"

namespace lamarck::archipelago {

inline constexpr const char* kJournalName = "journal.jsonl";

// A position in a journal, with a hash of everything before it.
struct JournalPlace {
  std::int64_t bytes = 0;
  std::int64_t lines = 0;
  std::uint64_t chain = 0;  // Hash over all lines before the position.
  // False in a journal of format 1, whose lines have no hashes.
  bool is_hashed = true;

  // The position after one more line, given without its newline and its hash.
  // `is_hashed` of the result says that the line in the file has one.
  JournalPlace after(std::string_view content, bool has_hash) const;
  friend bool operator==(const JournalPlace&, const JournalPlace&) = default;
};

// Owned by one thread.
class JournalWriter {
 public:
  // Creates the file. Returns AlreadyExists if it exists.
  static Result<JournalWriter> create(const std::filesystem::path& path);
  // Continues at `place` and truncates what comes after it.
  static Result<JournalWriter> open_at(const std::filesystem::path& path,
                                       const JournalPlace& place);
  JournalWriter(JournalWriter&& other) noexcept;
  JournalWriter& operator=(JournalWriter&& other) noexcept;
  ~JournalWriter();

  // Buffers the line until `flush`. REQUIRES: a JSON object with members.
  void append(const Json& line);
  Result<void> flush();  // Writes to the operating system.
  Result<void> sync();   // Flushes, then writes to the disk.
  // The position after all appended lines.
  const JournalPlace& place() const { return place_; }

 private:
  JournalWriter(std::filesystem::path path, int file, JournalPlace place);

  std::filesystem::path path_;
  int file_;
  JournalPlace place_;
  std::string pending_;
};

// Calls `visit` with each parsed line, without its hash, after checking it.
// Skips a last line without a newline, as a crash may leave it. Errors,
// including those of `visit`, name the line. With `end`, stops there and checks
// that the text before it has not changed. Returns the position after the last
// line; if its `is_hashed` is false, changes of the journal cannot be found.
Result<JournalPlace> read_journal(
    const std::filesystem::path& path,
    const std::function<Result<void>(const Json& line)>& visit,
    const JournalPlace* end = nullptr);

}  // namespace lamarck::archipelago
