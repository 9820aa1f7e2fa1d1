#include "lamarck/base/log.h"

#include <spdlog/logger.h>
#include <spdlog/sinks/stdout_color_sinks.h>

#include <array>
#include <memory>
#include <mutex>
#include <utility>
#include <vector>

#include "lamarck/base/one_line.h"
#include "lamarck/base/string_split.h"

namespace lamarck {
namespace {

struct Level {
  LogLevel level;
  std::string_view name;
  spdlog::level::level_enum spdlog;
};

constexpr std::array kLevels = {
    Level{LogLevel::Debug, "debug", spdlog::level::debug},
    Level{LogLevel::Info, "info", spdlog::level::info},
    Level{LogLevel::Warning, "warning", spdlog::level::warn},
    Level{LogLevel::Error, "error", spdlog::level::err},
    Level{LogLevel::Off, "off", spdlog::level::off},
};

const Level& entry_for(LogLevel level) {
  return kLevels[static_cast<std::size_t>(level)];
}

const Level& entry_for(spdlog::level::level_enum level) {
  for (const Level& entry : kLevels) {
    if (entry.spdlog == level) return entry;
  }
  return kLevels.back();
}

spdlog::logger& logger() {
  static const auto kLogger = [] {
    auto created = std::make_unique<spdlog::logger>(
        "lamarck", std::make_shared<spdlog::sinks::stderr_color_sink_mt>());
    created->set_level(spdlog::level::warn);
    created->set_pattern("%Y-%m-%dT%H:%M:%S.%e %^%l%$: %v");
    return created;
  }();
  return *kLogger;
}

// The active captures, innermost last.
struct Captures {
  std::mutex mutex;
  // Guarded by mutex.
  std::vector<std::shared_ptr<const LogCapture::Sink>> sinks;
};

Captures& captures() {
  static Captures all;
  return all;
}

std::shared_ptr<const LogCapture::Sink> current_capture() {
  const std::lock_guard lock(captures().mutex);
  return captures().sinks.empty() ? nullptr : captures().sinks.back();
}

void log(LogLevel level, std::string_view message) {
  const spdlog::level::level_enum spdlog_level = entry_for(level).spdlog;
  if (!logger().should_log(spdlog_level)) return;
  constexpr std::size_t kMaxCharacters = 10'000;  // Per line.
  const std::string line = one_line(message, kMaxCharacters);
  // Called without the lock, so that a sink may log.
  if (const auto capture = current_capture()) {
    (*capture)(level, line);
  } else {
    logger().log(spdlog_level, spdlog::string_view_t(line.data(), line.size()));
  }
}

}  // namespace

void log_debug(std::string_view message) { log(LogLevel::Debug, message); }
void log_info(std::string_view message) { log(LogLevel::Info, message); }
void log_warning(std::string_view message) { log(LogLevel::Warning, message); }
void log_error(std::string_view message) { log(LogLevel::Error, message); }

void set_log_level(LogLevel level) {
  logger().set_level(entry_for(level).spdlog);
}

LogLevel log_level() { return entry_for(logger().level()).level; }

Result<LogLevel> parse_log_level(std::string_view name) {
  std::vector<std::string_view> names;
  for (const Level& entry : kLevels) {
    if (entry.name == name) return entry.level;
    names.push_back(entry.name);
  }
  return Error(ErrorCode::InvalidArgument,
               "Unknown log level '" + std::string(name) + "'; use one of " +
                   join_text(names, ", ") + ".");
}

LogCapture::LogCapture(Sink sink)
    : sink_(std::make_shared<const Sink>(std::move(sink))) {
  const std::lock_guard lock(captures().mutex);
  captures().sinks.push_back(sink_);
}

LogCapture::~LogCapture() {
  const std::lock_guard lock(captures().mutex);
  std::erase(captures().sinks, sink_);
}

}  // namespace lamarck
