// Lets a test wait for another thread or process.

#pragma once

#include <gtest/gtest.h>

#include <chrono>
#include <functional>
#include <string_view>
#include <thread>

namespace lamarck {

// Polls until `condition` holds:
//   ASSERT_TRUE(eventually("the server has two requests", [&] { ... }));
// Fails with this text after a minute, far more than a loaded machine needs.
inline ::testing::AssertionResult eventually(
    std::string_view awaited, const std::function<bool()>& condition,
    std::chrono::milliseconds timeout = std::chrono::seconds(60)) {
  constexpr std::chrono::milliseconds kPause(1);
  for (auto waited = kPause; !condition(); waited += kPause) {
    if (waited > timeout) {
      return ::testing::AssertionFailure()
             << "Timed out after " << timeout.count() << " ms waiting until "
             << awaited << ".";
    }
    std::this_thread::sleep_for(kPause);
  }
  return ::testing::AssertionSuccess();
}

}  // namespace lamarck
