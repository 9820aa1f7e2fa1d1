#include "lamarck/net/internal/server_loop.h"

#include <gtest/gtest.h>

#include "lamarck/base/eventually_fixture.h"

namespace lamarck::net::internal {
namespace {

// With thousands of connections a sweep is often due when the server stops.
TEST(ServerLoop, EndsIfSweepIsDueWhenItCloses) {
  ServerShare share;
  ServerLoop loop(share);
  loop.sweep();
  std::this_thread::sleep_for(std::chrono::milliseconds(300));
  asio::post(loop.io, [&] { loop.close_all(); });
  std::atomic<bool> has_ended = false;
  std::thread thread([&] {
    loop.io.run();
    has_ended = true;
  });
  EXPECT_TRUE(eventually("the loop ends", [&] { return has_ended.load(); }));
  loop.io.stop();
  thread.join();
}

}  // namespace
}  // namespace lamarck::net::internal
