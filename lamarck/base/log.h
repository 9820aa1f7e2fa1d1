// Logging for operators: one line per message, to stderr by default. Line ends
// in a message are written as \n.
//
// The library returns failures to its caller and logs only what would otherwise
// go unnoticed. Thread safety: any function from any thread.

#pragma once

#include <functional>
#include <memory>
#include <string>
#include <string_view>

#include "lamarck/base/result.h"

namespace lamarck {

enum class LogLevel { Debug, Info, Warning, Error, Off };

void log_debug(std::string_view message);
void log_info(std::string_view message);
void log_warning(std::string_view message);
void log_error(std::string_view message);

// Drops lines below `level`. The default is Warning.
void set_log_level(LogLevel level);
LogLevel log_level();

// Parses "debug", "info", "warning", "error" or "off".
Result<LogLevel> parse_log_level(std::string_view name);

// Sends lines to `sink` instead of stderr while the object lives; for tests and
// for programs with their own log. With nested captures the innermost one gets
// the lines. Several threads may call the sink at once.
class LogCapture {
 public:
  using Sink = std::function<void(LogLevel, std::string_view message)>;

  explicit LogCapture(Sink sink);
  ~LogCapture();
  LogCapture(const LogCapture&) = delete;
  LogCapture& operator=(const LogCapture&) = delete;

 private:
  std::shared_ptr<const Sink> sink_;
};

}  // namespace lamarck
