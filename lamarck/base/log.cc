#include "lamarck/base/log.h"

#include <spdlog/logger.h>
#include <spdlog/sinks/base_sink.h>
#include <spdlog/sinks/dist_sink.h>
#include <spdlog/sinks/stdout_color_sinks.h>

#include <array>
#include <memory>
#include <mutex>
#include <utility>
#include <vector>

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

const Level& entry_for(spdlog::level::level_enum level) {
  for (const Level& entry : kLevels) {
    if (entry.spdlog == level) return entry;
  }
  return kLevels.back();
}

using Destination = spdlog::sinks::dist_sink_mt;

const std::shared_ptr<Destination>& destination() {
  static const auto kDestination = [] {
    auto made = std::make_shared<Destination>();
    made->add_sink(std::make_shared<spdlog::sinks::stderr_color_sink_mt>());
    return made;
  }();
  return kDestination;
}

spdlog::logger& logger() {
  static const auto kLogger = [] {
    auto made = std::make_unique<spdlog::logger>("lamarck", destination());
    made->set_level(spdlog::level::warn);
    made->set_pattern("%Y-%m-%dT%H:%M:%S.%e %^%l%$: %v");
    return made;
  }();
  return *kLogger;
}

class FunctionSink : public spdlog::sinks::base_sink<std::mutex> {
 public:
  explicit FunctionSink(LogCapture::Sink function)
      : function_(std::move(function)) {}

 protected:
  void sink_it_(const spdlog::details::log_msg& message) override {
    function_(entry_for(message.level).level,
              {message.payload.data(), message.payload.size()});
  }
  void flush_() override {}

 private:
  LogCapture::Sink function_;
};

spdlog::string_view_t view(std::string_view text) {
  return {text.data(), text.size()};
}

}  // namespace

void log_debug(std::string_view message) { logger().debug(view(message)); }
void log_info(std::string_view message) { logger().info(view(message)); }
void log_warning(std::string_view message) { logger().warn(view(message)); }
void log_error(std::string_view message) { logger().error(view(message)); }

void set_log_level(LogLevel level) {
  for (const Level& entry : kLevels) {
    if (entry.level == level) logger().set_level(entry.spdlog);
  }
}

LogLevel log_level() { return entry_for(logger().level()).level; }

Result<LogLevel> log_level_named(std::string_view name) {
  std::vector<std::string_view> names;
  for (const Level& entry : kLevels) {
    if (entry.name == name) return entry.level;
    names.push_back(entry.name);
  }
  return Error(ErrorCode::InvalidArgument,
               "There is no log level '" + std::string(name) +
                   "'; choose one of " + join_text(names, ", ") + ".");
}

LogCapture::LogCapture(Sink sink) {
  logger();  // Its pattern is set before sinks change.
  destination()->set_sinks({std::make_shared<FunctionSink>(std::move(sink))});
}

LogCapture::~LogCapture() {
  destination()->set_sinks(
      {std::make_shared<spdlog::sinks::stderr_color_sink_mt>()});
  logger().set_pattern("%Y-%m-%dT%H:%M:%S.%e %^%l%$: %v");
}

}  // namespace lamarck
