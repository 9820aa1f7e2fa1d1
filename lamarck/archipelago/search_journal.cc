#include "lamarck/archipelago/search_journal.h"

#include <fcntl.h>
#include <unistd.h>
#include <fmt/format.h>

#include <cerrno>
#include <cstring>
#include <fstream>
#include <utility>
#include <nlohmann/json.hpp>

#include "lamarck/base/hash.h"
#include "lamarck/base/macros.h"

namespace lamarck::archipelago {
namespace {

Error io_error(const char* action, const std::filesystem::path& path) {
  const int code = errno;
  ErrorCode kind = ErrorCode::IoFailed;
  if (code == ENOENT) kind = ErrorCode::NotFound;
  if (code == EEXIST) kind = ErrorCode::AlreadyExists;
  return {kind,
          fmt::format("Cannot {} {}: {}.", action, path.string(),
                      std::strerror(code)),
          {{"file", path.string()}}};
}

bool write_all(int file, std::string_view bytes) {
  while (!bytes.empty()) {
    const ssize_t written = ::write(file, bytes.data(), bytes.size());
    if (written < 0 && errno == EINTR) continue;
    if (written < 0) return false;
    bytes.remove_prefix(static_cast<std::size_t>(written));
  }
  return true;
}

Error changed_file(const std::filesystem::path& path) {
  return {ErrorCode::DataDamaged,
          fmt::format("{} has changed since the checkpoint was saved; restore "
                      "the original file.",
                      path.string())};
}

}  // namespace

// Chaining the hashes detects lines that are changed, missing or reordered.
JournalPlace JournalPlace::after(std::string_view line) const {
  return {.bytes = bytes + static_cast<std::int64_t>(line.size()) + 1,
          .lines = lines + 1,
          .chain = mix64(chain ^ stable_hash(line))};
}

JournalWriter::JournalWriter(std::filesystem::path path, int file,
                             JournalPlace place)
    : path_(std::move(path)), file_(file), place_(place) {}

JournalWriter::JournalWriter(JournalWriter&& other) noexcept
    : path_(std::move(other.path_)),
      file_(std::exchange(other.file_, -1)),
      place_(other.place_),
      pending_(std::move(other.pending_)) {}

JournalWriter& JournalWriter::operator=(JournalWriter&& other) noexcept {
  std::swap(path_, other.path_);
  std::swap(file_, other.file_);
  std::swap(place_, other.place_);
  std::swap(pending_, other.pending_);
  return *this;
}

JournalWriter::~JournalWriter() {
  if (file_ >= 0) ::close(file_);
}

Result<JournalWriter> JournalWriter::create(const std::filesystem::path& path) {
  // O_EXCL: never overwrites the journal of another run.
  const int file = ::open(
      path.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_APPEND | O_CLOEXEC, 0666);
  if (file < 0) return io_error("create", path);
  return JournalWriter(path, file, {});
}

Result<JournalWriter> JournalWriter::open_at(const std::filesystem::path& path,
                                             const JournalPlace& place) {
  const int file = ::open(path.c_str(), O_WRONLY | O_APPEND | O_CLOEXEC);
  if (file < 0) return io_error("open", path);
  JournalWriter writer(path, file, place);
  if (::ftruncate(file, place.bytes) != 0) return io_error("truncate", path);
  return writer;
}

void JournalWriter::append(const Json& line) {
  const std::string text = dump_json(line);
  place_ = place_.after(text);
  pending_ += text;
  pending_ += '\n';
}

Result<void> JournalWriter::flush() {
  if (!write_all(file_, pending_)) return io_error("write", path_);
  pending_.clear();
  return {};
}

Result<void> JournalWriter::sync() {
  RETURN_IF_ERROR(flush());
  if (::fsync(file_) != 0) return io_error("sync", path_);
  return {};
}

Result<JournalPlace> read_journal(
    const std::filesystem::path& path,
    const std::function<Result<void>(const Json& line)>& visit,
    const JournalPlace* end) {
  std::ifstream file(path, std::ios::binary);
  if (!file) return io_error("read", path);
  JournalPlace place;
  std::string line;
  while ((end == nullptr || place.bytes < end->bytes) &&
         std::getline(file, line)) {
    if (file.eof()) break;  // No newline: a crash interrupted the write.
    const std::string where =
        fmt::format("{}, line {}", path.string(), place.lines + 1);
    auto json = parse_json(line);
    if (!json) return json.error().within(where);
    if (auto done = visit(*json); !done) return done.error().within(where);
    place = place.after(line);
  }
  if (end != nullptr && place != *end) return changed_file(path);
  return place;
}

}  // namespace lamarck::archipelago
