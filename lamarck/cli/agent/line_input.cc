#include "lamarck/cli/agent/line_input.h"

#include <poll.h>
#include <unistd.h>
#include <fmt/format.h>

#include <array>
#include <cerrno>
#include <cstring>

#include "lamarck/base/macros.h"

namespace lamarck::cli {
namespace {

constexpr std::size_t kMaxLineBytes = std::size_t{1} << 20;
constexpr int kPollMilliseconds = 100;

}  // namespace

Result<std::optional<std::string>> LineInput::next(const CancelToken& cancel) {
  while (true) {
    if (const auto end = buffer_.find('\n'); end != std::string::npos) {
      std::string line = buffer_.substr(0, end);
      buffer_.erase(0, end + 1);
      if (line.ends_with('\r')) line.pop_back();
      return std::optional(std::move(line));
    }
    if (buffer_.size() > kMaxLineBytes) {
      return invalid_argument(
          fmt::format("A line must have at most {} bytes.", kMaxLineBytes));
    }
    if (has_ended_) {
      if (buffer_.empty()) return std::optional<std::string>();
      return std::optional(std::exchange(buffer_, ""));
    }
    RETURN_IF_ERROR(cancel.check());
    pollfd waiting{.fd = descriptor_, .events = POLLIN, .revents = 0};
    if (poll(&waiting, 1, kPollMilliseconds) <= 0) continue;
    std::array<char, 4096> bytes{};
    const ssize_t count = read(descriptor_, bytes.data(), bytes.size());
    if (count < 0 && (errno == EINTR || errno == EAGAIN)) continue;
    if (count < 0) {
      return Error(
          ErrorCode::IoFailed,
          fmt::format("Cannot read the input: {}.", std::strerror(errno)));
    }
    has_ended_ = count == 0;
    buffer_.append(bytes.data(), static_cast<std::size_t>(count));
  }
}

}  // namespace lamarck::cli
