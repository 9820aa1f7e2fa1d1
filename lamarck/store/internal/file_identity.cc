#include "lamarck/store/internal/file_identity.h"

#include <sys/stat.h>

#include <array>
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

}  // namespace

FileIdentity::FileIdentity(std::string path) : path_(std::move(path)) {
  struct stat status {};
  if (::stat(path_.c_str(), &status) != 0) return;
  is_known_ = true;
  device_ = status.st_dev;
  number_ = status.st_ino;
  was_empty_ = status.st_size == 0;
}

FileIdentity::State FileIdentity::state() const {
  if (!is_known_) return State::Same;
  struct stat status {};
  if (::stat(path_.c_str(), &status) != 0) return State::Deleted;
  const bool is_same = status.st_dev == device_ && status.st_ino == number_;
  if (!is_same) return State::Replaced;
  return status.st_size == 0 && !was_empty_ ? State::Emptied : State::Same;
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
