#include "lamarck/server/mcp/internal/mcp_lines.h"

#include <fcntl.h>
#include <poll.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <chrono>
#include <cstring>
#include <thread>
#include <utility>

#include "lamarck/base/clock.h"
#include "lamarck/base/macros.h"

namespace lamarck::mcp {
namespace {

constexpr std::size_t kChunk = std::size_t{64} << 10;
constexpr std::chrono::microseconds kSpinTime{200};

Error io_error(std::string_view what) {
  return {ErrorCode::IoFailed,
          std::string(what) + " failed: " + std::strerror(errno) + "."};
}

// Polls for a short time before sleeping: waking a sleeping core takes longer
// than a fast client needs to answer.
bool soon_ready(std::array<pollfd, 2>& waited) {
  static const bool kHasCores = std::thread::hardware_concurrency() > 1;
  if (!kHasCores) return false;
  const SystemClock clock;
  const auto end = clock.elapsed() + kSpinTime;
  do {
    if (poll(waited.data(), waited.size(), 0) > 0) return true;
  } while (clock.elapsed() < end);
  return false;
}

// A writable pipe accepts at least this much without blocking (PIPE_BUF).
constexpr std::size_t kPiece = 4096;
constexpr std::size_t kMaxPending = std::size_t{64} << 20;
constexpr int kPollMilliseconds = 50;

bool is_writable(int descriptor, int milliseconds) {
  pollfd waited{descriptor, POLLOUT, 0};
  return poll(&waited, 1, milliseconds) > 0;
}

}  // namespace

void LineWriter::write(std::string line) {
  line += '\n';
  std::unique_lock lock(mutex_);
  changed_.wait(lock, [&] {
    return waiting_.size() < kMaxPending || is_broken_ || is_closed_;
  });
  if (is_closed_ || is_broken_) return;
  // Lines that wait must be written first.
  const bool is_free = waiting_.empty() && !is_busy_;
  const std::string_view rest = is_free ? write_now(line) : line;
  if (rest.empty() || is_broken_) return;
  waiting_ += rest;
  if (!thread_.joinable()) thread_ = std::thread([this] { write_rest(); });
  changed_.notify_all();
}

std::string_view LineWriter::write_now(std::string_view text) {
  while (!text.empty() && is_writable(descriptor_, 0)) {
    const ssize_t written =
        ::write(descriptor_, text.data(), std::min(text.size(), kPiece));
    if (written >= 0) {
      text.remove_prefix(static_cast<std::size_t>(written));
    } else if (errno != EAGAIN && errno != EINTR) {
      is_broken_ = true;
      return "";
    }
  }
  return text;
}

void LineWriter::write_rest() {
  std::unique_lock lock(mutex_);
  while (!is_closed_ && !is_broken_) {
    if (waiting_.empty()) {
      changed_.wait(lock);
      continue;
    }
    std::string taken = std::exchange(waiting_, {});
    is_busy_ = true;
    std::string_view rest = taken;
    while (!rest.empty() && !is_closed_ && !is_broken_) {
      lock.unlock();
      // Waits without the lock, so that write() can queue more lines.
      is_writable(descriptor_, kPollMilliseconds);
      lock.lock();
      if (!is_closed_) rest = write_now(rest);
    }
    is_busy_ = false;
    changed_.notify_all();
  }
}

bool LineWriter::is_broken() const {
  const std::lock_guard lock(mutex_);
  return is_broken_;
}

void LineWriter::close(std::chrono::milliseconds grace) {
  {
    std::unique_lock lock(mutex_);
    changed_.wait_for(lock, grace, [&] {
      return (waiting_.empty() && !is_busy_) || is_broken_ || is_closed_;
    });
    is_closed_ = true;
  }
  changed_.notify_all();
  if (thread_.joinable()) thread_.join();
}

LineReader::LineReader(int descriptor, std::size_t max_bytes)
    : descriptor_(descriptor),
      max_bytes_(max_bytes),
      chunk_(std::make_unique<char[]>(kChunk)) {
  std::array<int, 2> ends{};
  if (pipe2(ends.data(), O_CLOEXEC | O_NONBLOCK) == 0) {
    wake_read_ = ends[0];
    wake_write_ = ends[1];
  }
}

LineReader::~LineReader() {
  if (wake_read_ >= 0) close(wake_read_);
  if (wake_write_ >= 0) close(wake_write_);
}

void LineReader::wake() const {
  const char byte = 0;
  // If the pipe is full, the reader wakes up anyway.
  static_cast<void>(::write(wake_write_, &byte, 1) == 1);
}

Result<LineReader::Filled> LineReader::fill() {
  while (true) {
    std::array<pollfd, 2> waited = {
        {{descriptor_, POLLIN, 0}, {wake_read_, POLLIN, 0}}};
    if (!soon_ready(waited) && poll(waited.data(), waited.size(), -1) < 0) {
      if (errno == EINTR) continue;
      return io_error("Waiting for the input");
    }
    if (waited[1].revents != 0) return Filled::End;
    const ssize_t count = read(descriptor_, chunk_.get(), kChunk);
    if (count > 0) {
      buffer_.append(chunk_.get(), static_cast<std::size_t>(count));
      return Filled::Yes;
    }
    if (count == 0) return Filled::End;
    if (errno != EINTR && errno != EAGAIN) return io_error("Reading the input");
  }
}

std::optional<LineReader::Line> LineReader::take(std::size_t end,
                                                 std::size_t next_begin) {
  std::string_view text =
      std::string_view(buffer_).substr(begin_, end - begin_);
  begin_ = scanned_ = next_begin;
  if (is_skipping_ || text.size() > max_bytes_) {
    is_skipping_ = false;
    return Line{"", true};
  }
  if (text.ends_with('\r')) text.remove_suffix(1);
  return Line{text, false};
}

Result<std::optional<LineReader::Line>> LineReader::next() {
  while (true) {
    const std::size_t end = buffer_.find('\n', scanned_);
    if (end != std::string::npos) return take(end, end + 1);
    buffer_.erase(0, begin_);
    begin_ = 0;
    // Drops a line that is too long while reading it, so memory stays bounded.
    if (buffer_.size() > max_bytes_) {
      is_skipping_ = true;
      buffer_.clear();
    }
    scanned_ = buffer_.size();
    if (is_at_end_) return std::optional<Line>();
    ASSIGN_OR_RETURN(const Filled filled, fill());
    if (filled == Filled::Yes) continue;
    is_at_end_ = true;
    if (!buffer_.empty() || is_skipping_) {
      return take(buffer_.size(), buffer_.size());
    }
  }
}

}  // namespace lamarck::mcp
