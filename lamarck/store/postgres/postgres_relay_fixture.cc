#include "lamarck/store/postgres/postgres_relay_fixture.h"

#include <poll.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

#include <array>
#include <cstdlib>
#include <cstring>
#include <stdexcept>

#include <fmt/format.h>

namespace lamarck::store {
namespace {

// libpq's name for the socket of the default port.
constexpr const char* kSocketName = ".s.PGSQL.5432";

sockaddr_un address_of(const std::filesystem::path& path) {
  sockaddr_un address{};
  address.sun_family = AF_UNIX;
  std::strncpy(address.sun_path, path.c_str(), sizeof(address.sun_path) - 1);
  return address;
}

}  // namespace

PostgresRelay::PostgresRelay(const PostgresServer& server)
    : server_socket_(server.folder() / kSocketName) {
  std::string pattern =
      (std::filesystem::temp_directory_path() / "lamarck_relay_XXXXXX");
  if (::mkdtemp(pattern.data()) == nullptr) {
    throw std::runtime_error("Cannot create a folder for the relay.");
  }
  folder_ = pattern;
  listener_ = ::socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);
  const sockaddr_un address = address_of(folder_ / kSocketName);
  if (::bind(listener_, reinterpret_cast<const sockaddr*>(&address),
             sizeof(address)) != 0 ||
      ::listen(listener_, 64) != 0) {
    throw std::runtime_error("Cannot listen on the relay's socket.");
  }
  thread_ = std::thread([this] { work(); });
}

PostgresRelay::~PostgresRelay() {
  is_stopping_ = true;
  thread_.join();
  close_all();
  ::close(listener_);
  std::error_code ignored;
  std::filesystem::remove_all(folder_, ignored);
}

std::string PostgresRelay::url() const {
  return fmt::format("postgresql://lamarck@/postgres?host={}",
                     folder_.string());
}

void PostgresRelay::cut_after(int count, Cut cut) {
  const std::lock_guard lock(mutex_);
  remaining_ = count;
  cut_ = cut;
}

bool PostgresRelay::has_cut() {
  const std::lock_guard lock(mutex_);
  return remaining_ < 0;
}

void PostgresRelay::work() {
  constexpr int kPollMilliseconds = 20;
  while (!is_stopping_) {
    std::vector<pollfd> waiting = {{listener_, POLLIN, 0}};
    for (const Pair& pair : pairs_) {
      waiting.push_back({pair.client, POLLIN, 0});
      waiting.push_back({pair.server, POLLIN, 0});
    }
    if (::poll(waiting.data(), waiting.size(), kPollMilliseconds) <= 0) {
      continue;
    }
    const std::size_t known = pairs_.size();
    for (std::size_t i = 0; i < known && pairs_.size() == known; ++i) {
      Pair& pair = pairs_[i];
      if (waiting[1 + 2 * i].revents != 0) pass_request(pair);
      if (pairs_.empty()) break;  // Cut.
      const bool has_reply =
          pair.client >= 0 && waiting[2 + 2 * i].revents != 0;
      if (has_reply && !pass(pair.server, pair.client)) {
        ::close(pair.client);
        ::close(pair.server);
        pair = {};
      }
    }
    std::erase_if(pairs_, [](const Pair& pair) { return pair.client < 0; });
    if (waiting[0].revents != 0) accept_client();
  }
}

void PostgresRelay::accept_client() {
  Pair pair;
  pair.client = ::accept4(listener_, nullptr, nullptr, SOCK_CLOEXEC);
  pair.server = ::socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);
  const sockaddr_un address = address_of(server_socket_);
  if (::connect(pair.server, reinterpret_cast<const sockaddr*>(&address),
                sizeof(address)) != 0) {
    ::close(pair.client);
    ::close(pair.server);
    return;
  }
  pairs_.push_back(pair);
}

bool PostgresRelay::pass(int from, int to) const {
  std::array<char, 65536> buffer{};
  const ssize_t size = ::recv(from, buffer.data(), buffer.size(), 0);
  if (size <= 0) return false;
  for (ssize_t sent = 0; sent < size;) {
    const ssize_t part =
        ::send(to, buffer.data() + sent, static_cast<std::size_t>(size - sent),
               MSG_NOSIGNAL);
    if (part <= 0) return false;
    sent += part;
  }
  return true;
}

bool PostgresRelay::is_due(Cut& cut) {
  const std::lock_guard lock(mutex_);
  cut = cut_;
  if (remaining_ < 0) return false;
  return remaining_-- == 0;
}

void PostgresRelay::pass_request(Pair& pair) {
  Cut cut{};
  const bool is_last = is_due(cut);
  if (is_last && cut == Cut::BeforeRequest) {
    close_all();
    return;
  }
  const bool is_alive = pass(pair.client, pair.server);
  if (is_last) {
    // Let the server answer, so that the request has taken effect.
    pollfd reply{pair.server, POLLIN, 0};
    ::poll(&reply, 1, 1000);
    close_all();
  } else if (!is_alive) {
    ::close(pair.client);
    ::close(pair.server);
    pair = {};
  }
}

void PostgresRelay::close_all() {
  for (const Pair& pair : pairs_) {
    if (pair.client < 0) continue;
    ::close(pair.client);
    ::close(pair.server);
  }
  pairs_.clear();
}

}  // namespace lamarck::store
