// One thread of an HTTP server and its connections.

#pragma once

// This must precede Boost.Asio, which is included only here. One thread runs
// each loop, so handlers need no fences, which ThreadSanitizer does not
// understand.
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
#include "lamarck/net/internal/memory_budget.h"

namespace lamarck::net::internal {

namespace asio = boost::asio;
using asio::ip::tcp;
using boost::system::error_code;

// State shared by all threads of a server.
struct ServerShare {
  HttpServerOptions options;
  HttpServer::Handler handler;
  HttpServer::Gate gate;
  std::atomic<std::size_t> connection_count{0};
  std::atomic<std::uint64_t> connections_accepted{0};
  MemoryBudget unfinished{options.max_total_unfinished_bytes};
  std::atomic<std::size_t> waiting_bytes{0};  // Bodies of requests in handlers.
  MemoryBudget unsent{options.max_total_unsent_bytes};
  std::atomic<bool> is_stopping{false};
  std::mutex mutex;
  std::condition_variable connection_left;  // Notified while stopping.
};

class ServerConnection;

// One thread and its connections. Only this thread uses them.
struct ServerLoop {
  explicit ServerLoop(ServerShare& its_service)
      : service(its_service), work(io.get_executor()), sweep_timer(io) {}

  void run();
  void sweep();  // Closes connections that exceed a deadline, periodically.
  void adopt(tcp::socket socket);
  void remove(const std::shared_ptr<ServerConnection>& connection);
  void close_idle();
  void close_all();
  // Runs `function` on this loop's thread and waits for it.
  void call(const std::function<void()>& function);

  ServerShare& service;
  asio::io_context io{1};
  asio::executor_work_guard<asio::io_context::executor_type> work;
  asio::steady_timer sweep_timer;
  bool is_ending = false;
  std::unordered_set<std::shared_ptr<ServerConnection>> connections;
  std::atomic<std::size_t> load{0};  // Number of connections, for balancing.
  std::thread thread;
};

}  // namespace lamarck::net::internal
