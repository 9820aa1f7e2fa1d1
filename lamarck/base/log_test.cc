#include "lamarck/base/log.h"

#include <gtest/gtest.h>

#include <string>
#include <vector>

namespace lamarck {
namespace {

class Log : public testing::Test {
 protected:
  void TearDown() override { set_log_level(LogLevel::Warning); }

  std::vector<std::string> lines_;
  LogCapture capture_{[this](LogLevel, std::string_view message) {
    lines_.emplace_back(message);
  }};
};

TEST_F(Log, DropsLinesBelowLevel) {
  log_info("quiet");
  log_warning("loud");
  set_log_level(LogLevel::Debug);
  log_debug("detail");
  set_log_level(LogLevel::Off);
  log_error("dropped");

  EXPECT_EQ(lines_, (std::vector<std::string>{"loud", "detail"}));
}

TEST_F(Log, DoesNotInterpretFormatCharacters) {
  log_error("a model wrote {} and {0} and %s");
  EXPECT_EQ(lines_.at(0), "a model wrote {} and {0} and %s");
}

TEST_F(Log, EscapesLineEnds) {
  log_error("a\n2026-01-01 error: forged");
  EXPECT_EQ(lines_.at(0), "a\\n2026-01-01 error: forged");
}

TEST_F(Log, CapturesNestAndMayLog) {
  {
    const LogCapture inner([](LogLevel level, std::string_view message) {
      if (level == LogLevel::Error) log_warning("seen " + std::string(message));
    });
    log_error("x");
  }
  log_error("y");
  EXPECT_EQ(lines_, std::vector<std::string>{"y"});
}

TEST_F(Log, ParsesLevelNames) {
  for (const char* name : {"debug", "info", "warning", "error", "off"}) {
    set_log_level(parse_log_level(name).value());
    EXPECT_EQ(log_level(), parse_log_level(name).value()) << name;
  }
  EXPECT_EQ(parse_log_level("loud").error().message(),
            "Unknown log level 'loud'; use one of debug, info, warning, "
            "error, off.");
}

TEST(LogToStderr, WritesLevelAndMessage) {
  testing::internal::CaptureStderr();
  log_warning("disk is nearly full");
  const std::string line = testing::internal::GetCapturedStderr();
  EXPECT_NE(line.find("warning: disk is nearly full"), std::string::npos)
      << line;
}

}  // namespace
}  // namespace lamarck
