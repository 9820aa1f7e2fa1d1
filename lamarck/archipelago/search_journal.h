// The file of a run to which every candidate is appended: one JSON object in a
// line.

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

// A place in a journal, with a hash over all that stands before it.
struct JournalPlace {
  std::int64_t bytes = 0;
  std::int64_t lines = 0;
  std::uint64_t chain = 0;

  // After one more line, given without its line end.
  JournalPlace after(std::string_view line) const;
  friend bool operator==(const JournalPlace&, const JournalPlace&) = default;
};

// Owned by one thread.
class JournalWriter {
 public:
  // Creates the file; AlreadyExists if there is one.
  static Result<JournalWriter> create(const std::filesystem::path& path);
  // Goes on at `place`; what stands behind it is cut.
  static Result<JournalWriter> open_at(const std::filesystem::path& path,
                                       const JournalPlace& place);
  JournalWriter(JournalWriter&& other) noexcept;
  JournalWriter& operator=(JournalWriter&& other) noexcept;
  ~JournalWriter();

  void append(const Json& line);  // In memory until `flush`.
  Result<void> flush();           // To the operating system.
  Result<void> sync();            // Flushes, then to the disk.
  // After all that was appended.
  const JournalPlace& place() const { return place_; }

 private:
  JournalWriter(std::filesystem::path path, int file, JournalPlace place);

  std::filesystem::path path_;
  int file_;
  JournalPlace place_;
  std::string pending_;
};

// Calls `visit` with each line, parsed, and the place behind it. A last line
// without its end, as a crash leaves it, is left out. Errors, also those of
// `visit`, name the line. With `end`, stops there, and checks that what stands
// before it is what stood there when it was taken.
Result<JournalPlace> read_journal(
    const std::filesystem::path& path,
    const std::function<Result<void>(const Json& line)>& visit,
    const JournalPlace* end = nullptr);

}  // namespace lamarck::archipelago
