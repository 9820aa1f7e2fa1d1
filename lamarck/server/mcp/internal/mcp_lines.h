// Reads and writes lines over file descriptors.

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

// Thread safety: any member from any thread; lines never interleave.
class LineWriter {
 public:
  explicit LineWriter(int descriptor) : descriptor_(descriptor) {}
  ~LineWriter() { close(std::chrono::milliseconds(0)); }
  LineWriter(const LineWriter&) = delete;
  LineWriter& operator=(const LineWriter&) = delete;

  // Writes immediately what fits into the pipe. A thread writes the rest as the
  // client reads, so a client may send many requests before it reads. Blocks
  // only while 64 MiB are unread. Does nothing after a write error.
  void write(std::string line);
  bool is_broken() const;
  // Writes pending lines for at most `grace`; afterwards the descriptor is not
  // used any more.
  void close(std::chrono::milliseconds grace);

 private:
  // Returns the part that did not fit.
  std::string_view write_now(std::string_view text);
  void write_rest();

  const int descriptor_;
  mutable std::mutex mutex_;
  std::condition_variable changed_;
  // Guarded by mutex_.
  std::string waiting_;
  bool is_busy_ = false;  // The thread is writing.
  bool is_broken_ = false;
  bool is_closed_ = false;
  std::thread thread_;  // Started on demand.
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
    bool is_too_long = false;  // Then `text` is empty.
  };
  // Returns the next line; the last one needs no line end. nullopt at the end
  // of the input or after `wake`. Errors come from the operating system.
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
  std::size_t begin_ = 0;     // Start of the unread part.
  std::size_t scanned_ = 0;   // No line end before it.
  bool is_skipping_ = false;  // Inside a line that is too long.
  bool is_at_end_ = false;
};

}  // namespace lamarck::mcp
