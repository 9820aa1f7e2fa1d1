#include "lamarck/archipelago/search_journal.h"

#include <fcntl.h>
#include <unistd.h>
#include <fmt/format.h>

#include <cerrno>
#include <charconv>
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

// The end of a line: ,"chain":"0123456789abcdef"} with the hash in hex.
constexpr std::string_view kHashStart = ",\"chain\":\"";
constexpr std::string_view kHashEnd = "\"}";
constexpr std::size_t kHexSize = 16;
// A line is its content with the } replaced by the hash.
constexpr std::size_t kHashSize =
    kHashStart.size() + kHexSize + kHashEnd.size() - 1;

// The first 64 bits of the SHA-256 of the hash before and the content.
std::uint64_t chained_hash(std::uint64_t before, std::string_view content) {
  const std::string hex =
      Sha256().update(to_hex64(before)).update(content).finish();
  std::uint64_t hash = 0;
  std::from_chars(hex.data(), hex.data() + kHexSize, hash, 16);
  return hash;
}

std::string with_hash(std::string content, std::uint64_t hash) {
  content.pop_back();
  content += kHashStart;
  content += to_hex64(hash);
  content += kHashEnd;
  return content;
}

struct JournalLine {
  std::string content;
  std::string hash;  // Empty if the line has none.
};

JournalLine split_line(const std::string& line) {
  const std::size_t size = kHashSize + 1;
  if (line.size() < size || !line.ends_with(kHashEnd)) return {line, ""};
  const std::size_t start = line.size() - size;
  if (line.compare(start, kHashStart.size(), kHashStart) != 0) {
    return {line, ""};
  }
  return {line.substr(0, start) + "}",
          line.substr(start + kHashStart.size(), kHexSize)};
}

Error broken_chain(const char* what) {
  return {ErrorCode::DataDamaged,
          fmt::format("{}, so the journal was changed after it was written; "
                      "restore the original file.",
                      what)};
}

// Returns the position after the line, or fails if its hash is wrong.
Result<JournalPlace> check_line(const JournalPlace& place,
                                const JournalLine& line) {
  const bool has_hash = !line.hash.empty();
  if (place.lines > 0 && has_hash != place.is_hashed) {
    return broken_chain(has_hash ? "the line has a hash, but not those before"
                                 : "the line has no hash");
  }
  const JournalPlace next = place.after(line.content, has_hash);
  if (has_hash && to_hex64(next.chain) != line.hash) {
    return broken_chain("the line does not match its hash");
  }
  return next;
}

// Format 2 has hashes; a first line without one was changed.
Result<void> check_format(const JournalPlace& place, const Json& first) {
  if (place.lines > 1 || place.is_hashed || !first.is_object()) return {};
  const auto format = first.find("format");
  const bool is_old = format == first.end() || !format->is_number_integer() ||
                      format->get<std::int64_t>() < 2;
  return is_old ? Result<void>() : broken_chain("the line has no hash");
}

// A crash leaves the beginning of a line, never text after its end.
bool is_cut_line(const std::string& rest) {
  const std::size_t start = rest.rfind(kHashStart);
  return start == std::string::npos || rest.size() - start <= kHashSize + 1;
}

Error changed_file(const std::filesystem::path& path) {
  return {ErrorCode::DataDamaged,
          fmt::format("{} has changed since the checkpoint was saved; restore "
                      "the original file.",
                      path.string())};
}

}  // namespace

JournalPlace JournalPlace::after(std::string_view content,
                                 bool has_hash) const {
  const auto size = static_cast<std::int64_t>(content.size());
  if (!has_hash) {
    return {.bytes = bytes + size + 1,
            .lines = lines + 1,
            .chain = mix64(chain ^ stable_hash(content)),
            .is_hashed = false};
  }
  return {.bytes = bytes + size + static_cast<std::int64_t>(kHashSize) + 1,
          .lines = lines + 1,
          .chain = chained_hash(chain, content),
          .is_hashed = true};
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
  std::string text = dump_json(line);
  place_ = place_.after(text, place_.is_hashed);
  pending_ += place_.is_hashed ? with_hash(std::move(text), place_.chain)
                               : std::move(text);
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
    const std::string where =
        fmt::format("{}, line {}", path.string(), place.lines + 1);
    if (file.eof()) {  // No newline: a crash interrupted the write.
      if (is_cut_line(line)) break;
      return broken_chain("the line does not end with its hash").within(where);
    }
    const JournalLine parts = split_line(line);
    const auto next = check_line(place, parts);
    if (!next) return next.error().within(where);
    auto json = parse_json(parts.content);
    if (!json) return json.error().within(where);
    if (auto done = check_format(*next, *json); !done) {
      return done.error().within(where);
    }
    if (auto done = visit(*json); !done) return done.error().within(where);
    place = *next;
  }
  if (end != nullptr && place != *end) return changed_file(path);
  return place;
}

}  // namespace lamarck::archipelago
