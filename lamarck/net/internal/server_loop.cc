#include "lamarck/net/internal/server_loop.h"

#include <future>
#include <utility>

#include "lamarck/base/clock.h"
#include "lamarck/net/internal/server_connection.h"

namespace lamarck::net::internal {
namespace {

constexpr std::chrono::milliseconds kSweepInterval{250};

}  // namespace

void ServerLoop::run() {
  sweep();
  while (true) {
    try {
      io.run();
      return;
    } catch (const std::exception&) {
      continue;  // An exception from a handler must not stop the loop.
    }
  }
}

void ServerLoop::sweep() {
  if (is_ending) return;
  // Copy the set: a connection that closes removes itself from it.
  const std::chrono::nanoseconds now = SystemClock().elapsed();
  const std::vector<std::shared_ptr<ServerConnection>> all(connections.begin(),
                                                           connections.end());
  for (const auto& connection : all) connection->check_deadline(now);
  sweep_timer.expires_after(kSweepInterval);
  sweep_timer.async_wait([this](const error_code& error) {
    if (!error) sweep();
  });
}

void ServerLoop::adopt(tcp::socket socket) {
  auto connection =
      std::make_shared<ServerConnection>(*this, std::move(socket));
  connections.insert(connection);
  if (service.is_stopping) {
    remove(connection);
  } else {
    connection->start();
  }
}

void ServerLoop::remove(const std::shared_ptr<ServerConnection>& connection) {
  connections.erase(connection);
  --load;
  --service.connection_count;
  if (!service.is_stopping) return;
  const std::lock_guard lock(service.mutex);
  service.connection_left.notify_all();
}

void ServerLoop::close_idle() {
  const std::vector<std::shared_ptr<ServerConnection>> all(connections.begin(),
                                                           connections.end());
  for (const auto& connection : all) connection->close_if_idle();
}

void ServerLoop::close_all() {
  const std::vector<std::shared_ptr<ServerConnection>> all(connections.begin(),
                                                           connections.end());
  for (const auto& connection : all) connection->close();
  // Cancelling does not stop a sweep that is already due.
  is_ending = true;
  sweep_timer.cancel();
  work.reset();
}

// REQUIRES: not called on this loop's thread, which would wait for itself.
void ServerLoop::call(const std::function<void()>& function) {
  std::promise<void> done;
  asio::post(io, [&] {
    function();
    done.set_value();
  });
  done.get_future().wait();
}

}  // namespace lamarck::net::internal
