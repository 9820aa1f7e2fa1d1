#include "lamarck/store/internal/file_identity.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>

#include <array>
#include <optional>
#include <string_view>
#include <utility>
#include <fmt/format.h>

namespace lamarck::store::internal {
namespace {

// Indexed by State.
constexpr std::array<std::string_view, 4> kEvents = {"", "deleted", "replaced",
                                                     "emptied"};
constexpr std::array<std::string_view, 4> kRemedies = {
    "", "put it back, or restart to create a new one",
    "stop all programs that use it and remove the -wal and -shm files next to "
    "it before you restart with the new one",
    "stop all programs that use it and restore it from a backup"};
constexpr std::string_view kLogRemedy =
    "put it back, or restart to continue with the journal as it is without the "
    "log";

// Does not query timestamps: once they are read, Linux must store a new one at
// the next write, and the sync waits for that. It would slow a durable append
// by a quarter.
std::optional<struct statx> read_status(const std::string& path) {
  struct statx status {};
  if (::statx(AT_FDCWD, path.c_str(), 0, STATX_INO | STATX_SIZE, &status) != 0)
    return std::nullopt;
  return status;
}

dev_t device_number(const struct statx& status) {
  return makedev(status.stx_dev_major, status.stx_dev_minor);
}

}  // namespace

FileIdentity::FileIdentity(std::string path) : path_(std::move(path)) {
  const auto status = read_status(path_);
  if (!status) return;
  is_known_ = true;
  device_ = device_number(*status);
  number_ = status->stx_ino;
  was_empty_ = status->stx_size == 0;
}

FileIdentity::State FileIdentity::state() const {
  if (!is_known_) return State::Same;
  const auto status = read_status(path_);
  if (!status) return State::Deleted;
  const bool is_same =
      device_number(*status) == device_ && status->stx_ino == number_;
  if (!is_same) return State::Replaced;
  return status->stx_size == 0 && !was_empty_ ? State::Emptied : State::Same;
}

Result<void> FileIdentity::check() const {
  const State found = state();
  if (found == State::Same) return {};
  const bool is_log = path_.ends_with("-wal");
  return Error(
      ErrorCode::Unavailable,
      fmt::format(
          "{} {} was {} while in use, so no more is written to it; {}.",
          is_log ? "The log" : "The journal", path_,
          kEvents[static_cast<std::size_t>(found)],
          is_log ? kLogRemedy : kRemedies[static_cast<std::size_t>(found)]),
      {{"file", path_}});
}

}  // namespace lamarck::store::internal
