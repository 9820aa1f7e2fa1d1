// What operators read: one line each, to stderr unless told otherwise; line
// ends in a message are shown as \n.
//
// The library reports failures to its caller; it logs only what nobody would
// hear of otherwise. Thread safety: any function from any thread.

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

// Lines below the level are dropped; Warning at first.
void set_log_level(LogLevel level);
LogLevel log_level();

// "debug", "info", "warning", "error" or "off".
Result<LogLevel> log_level_named(std::string_view name);

// Sends lines to `sink` instead of stderr while the scope lives; for tests, and
// for programs that have a log of their own. The innermost capture gets them;
// several threads may call its sink at once.
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
