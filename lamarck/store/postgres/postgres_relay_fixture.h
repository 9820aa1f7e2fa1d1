// Passes the bytes of connections to a server on, and cuts them where a test
// wants it.

#pragma once

#include <atomic>
#include <filesystem>
#include <mutex>
#include <string>
#include <thread>
#include <vector>

#include "lamarck/store/postgres/postgres_server_fixture.h"

namespace lamarck::store {

class PostgresRelay {
 public:
  enum class Cut {
    BeforeRequest,  // The server never gets the message.
    BeforeReply,    // The server gets it, but its reply is lost.
  };

  explicit PostgresRelay(const PostgresServer& server);
  ~PostgresRelay();
  PostgresRelay(const PostgresRelay&) = delete;
  PostgresRelay& operator=(const PostgresRelay&) = delete;

  std::string url() const;
  // Cuts all connections, once, at the message of a client after the next
  // `count` ones. New connections are accepted at once.
  void cut_after(int count, Cut cut);
  // Whether the cut of the last `cut_after` has happened.
  bool has_cut();

 private:
  struct Pair {
    int client = -1;
    int server = -1;
  };

  void work();
  void accept_client();
  // Returns false at the end of the connection.
  bool pass(int from, int to) const;
  // Counts a message; returns whether to cut, and when.
  bool is_due(Cut& cut);
  void pass_request(Pair& pair);
  void close_all();

  std::filesystem::path folder_;
  std::filesystem::path server_socket_;
  int listener_ = -1;
  std::vector<Pair> pairs_;  // Of the thread.

  std::mutex mutex_;
  // Guarded by mutex_.
  int remaining_ = -1;  // Negative = no cut.
  Cut cut_ = Cut::BeforeRequest;

  std::atomic<bool> is_stopping_ = false;
  std::thread thread_;
};

}  // namespace lamarck::store
