#include "lamarck/cli/reading_progress.h"

#include <gtest/gtest.h>

#include <sstream>
#include <CLI/CLI.hpp>

namespace lamarck::cli {
namespace {

// What is shown of reading 8 MB in `duration_s` seconds.
std::string shown(int duration_s, bool is_terminal) {
  std::ostringstream out;
  std::ostringstream err;
  const Settings settings =
      Settings::resolve({.environment = [](const std::string& /*name*/) {
        return std::optional<std::string>();
      }}).value();
  ManualClock clock;
  const CLI::App app;
  const CommandContext context{.out = out,
                               .err = err,
                               .settings = settings,
                               .clock = clock,
                               .err_is_terminal = is_terminal,
                               .program = app};
  const data::CsvWatch watch = watch_reading(context, "big.csv");
  for (int step = 1; step <= 8 && watch; ++step) {
    clock.advance(std::chrono::milliseconds(duration_s * 125));
    watch(static_cast<std::size_t>(step) * 1'000'000, 8'000'000);
  }
  return err.str();
}

TEST(ReadingProgress, AppearsOnTerminalAfterOneSecond) {
  const std::string slow = shown(9, true);
  EXPECT_NE(slow.find("Reading big.csv"), std::string::npos);
  EXPECT_TRUE(slow.ends_with("\n"));
  EXPECT_EQ(shown(0, true), "");
  EXPECT_EQ(shown(9, false), "");
}

}  // namespace
}  // namespace lamarck::cli
