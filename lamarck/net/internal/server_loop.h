// A thread of an HTTP server, with the connections that live on it.

#pragma once

// Boost.Asio is included here alone, after this line. Only one thread runs a
// loop, so its handlers need no fences, of which ThreadSanitizer knows nothing.
#define BOOST_ASIO_DISABLE_FENCED_BLOCK

#include <atomic>
#include <condition_variable>
#include <functional>
#include <memory>
#include <mutex>
#include <thread>
#include <unordered_set>
#include <boost/asio/executor_work_guard.hpp>
#include <boost/asio/io_context.hpp>
#include <boost/asio/ip/tcp.hpp>
#include <boost/asio/post.hpp>
#include <boost/asio/steady_timer.hpp>

#include "lamarck/net/http_server.h"

namespace lamarck::net::internal {

namespace asio = boost::asio;
using asio::ip::tcp;
using boost::system::error_code;

// What all threads of a server share.
struct ServerShare {
  HttpServerOptions options;
  HttpServer::Handler handler;
  HttpServer::Gate gate;
  std::atomic<std::size_t> connection_count{0};
  std::atomic<bool> is_stopping{false};
  std::mutex mutex;
  std::condition_variable connection_left;  // Told while stopping.
};

class ServerConnection;

// One thread and its connections; only this thread touches them.
struct ServerLoop {
  explicit ServerLoop(ServerShare& its_service)
      : service(its_service), work(io.get_executor()), sweep_timer(io) {}

  void run();
  void sweep();
  void adopt(tcp::socket socket);
  void remove(const std::shared_ptr<ServerConnection>& connection);
  void close_idle();
  void close_all();
  void call(const std::function<void()>& function);  // There, and waits for it.

  ServerShare& service;
  asio::io_context io{1};
  asio::executor_work_guard<asio::io_context::executor_type> work;
  asio::steady_timer sweep_timer;
  std::unordered_set<std::shared_ptr<ServerConnection>> connections;
  std::atomic<std::size_t> load{0};  // Connections, for who hands them out.
  std::thread thread;
};

}  // namespace lamarck::net::internal
