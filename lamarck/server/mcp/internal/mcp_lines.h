// Lines over file descriptors.

#pragma once

#include <chrono>
#include <condition_variable>
#include <cstddef>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <string_view>
#include <thread>

#include "lamarck/base/cancel_token.h"
#include "lamarck/base/result.h"

namespace lamarck::mcp {

// Thread safety: any member from any thread; lines are never mixed.
class LineWriter {
 public:
  explicit LineWriter(int descriptor) : descriptor_(descriptor) {}
  ~LineWriter() { close(std::chrono::milliseconds(0)); }
  LineWriter(const LineWriter&) = delete;
  LineWriter& operator=(const LineWriter&) = delete;

  // Writes at once what the other end has room for; a thread writes the rest
  // when it reads on, so a client may send much before it reads. Waits only
  // while very much is unread. After a failure nothing is written.
  void write(std::string line);
  bool is_broken() const;
  // Writes for as long as `grace` what waits; then the descriptor is not
  // touched any more.
  void close(std::chrono::milliseconds grace);

 private:
  // Returns what there was no room for.
  std::string_view write_now(std::string_view text);
  void write_rest();

  const int descriptor_;
  mutable std::mutex mutex_;
  std::condition_variable changed_;
  // Guarded by mutex_.
  std::string waiting_;
  bool is_busy_ = false;  // The thread has taken what waited.
  bool is_broken_ = false;
  bool is_closed_ = false;
  std::thread thread_;  // Started when it is needed.
};

// Thread safety: owned by one thread.
class LineReader {
 public:
  LineReader(int descriptor, std::size_t max_bytes);
  ~LineReader();
  LineReader(const LineReader&) = delete;
  LineReader& operator=(const LineReader&) = delete;

  struct Line {
    std::string_view text;  // Without LF or CR LF; valid until the next call.
    bool is_too_long = false;  // Then without its text.
  };
  // The next line, the last one also without an end; nothing at the end of the
  // input or after `wake`. The error is the operating system's.
  Result<std::optional<Line>> next();

  // Makes `next` return. Thread safety: from any thread.
  void wake() const;

 private:
  enum class Filled { Yes, End };
  Result<Filled> fill();
  std::optional<Line> take(std::size_t end, std::size_t next_begin);

  const int descriptor_;
  const std::size_t max_bytes_;
  int wake_read_ = -1;
  int wake_write_ = -1;
  const std::unique_ptr<char[]> chunk_;
  std::string buffer_;
  std::size_t begin_ = 0;     // Of what was not given yet.
  std::size_t scanned_ = 0;   // No line end before.
  bool is_skipping_ = false;  // In the middle of a line that is too long.
  bool is_at_end_ = false;
};

}  // namespace lamarck::mcp
