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

// By State.
constexpr std::array<std::string_view, 4> kEvents = {"", "deleted", "replaced",
                                                     "emptied"};
constexpr std::array<std::string_view, 4> kRemedies = {
    "", "put it back, or start again to begin a new one",
    "end all that use it, and remove what is left of the -wal and -shm beside "
    "it before you start again with the new one",
    "end all that use it, and restore it from a copy"};
constexpr std::string_view kLogRemedy =
    "put it back, or start again to go on with what the journal has without it";

// Its times are not asked for: Linux notes that somebody knows them, and then
// the next write has to store a new one, which its sync waits for. That would
// cost a durable append a quarter of its time.
std::optional<struct statx> status_of(const std::string& path) {
  struct statx status {};
  if (::statx(AT_FDCWD, path.c_str(), 0, STATX_INO | STATX_SIZE, &status) != 0)
    return std::nullopt;
  return status;
}

dev_t device_of(const struct statx& status) {
  return makedev(status.stx_dev_major, status.stx_dev_minor);
}

}  // namespace

FileIdentity::FileIdentity(std::string path) : path_(std::move(path)) {
  const auto status = status_of(path_);
  if (!status) return;
  is_known_ = true;
  device_ = device_of(*status);
  number_ = status->stx_ino;
  was_empty_ = status->stx_size == 0;
}

FileIdentity::State FileIdentity::state() const {
  if (!is_known_) return State::Same;
  const auto status = status_of(path_);
  if (!status) return State::Deleted;
  const bool is_same =
      device_of(*status) == device_ && status->stx_ino == number_;
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
          "{} {} was {} while it was in use, so nothing more is "
          "written; {}.",
          is_log ? "The log" : "The journal", path_,
          kEvents[static_cast<std::size_t>(found)],
          is_log ? kLogRemedy : kRemedies[static_cast<std::size_t>(found)]),
      {{"file", path_}});
}

}  // namespace lamarck::store::internal
