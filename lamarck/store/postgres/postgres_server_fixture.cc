#include "lamarck/store/postgres/postgres_server_fixture.h"

#include <fcntl.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <csignal>
#include <cstdlib>
#include <fstream>
#include <stdexcept>
#include <thread>
#include <vector>

#include <fmt/format.h>

#include "lamarck/store/postgres/postgres_connection.h"

namespace lamarck::store {
namespace {

namespace fs = std::filesystem;

constexpr uid_t kNobody = 65534;  // A server must not run as root.

// The newest installed version; Debian does not put it into PATH.
fs::path postgres_program(const std::string& name) {
  fs::path newest;
  std::error_code ignored;
  for (const auto& entry :
       fs::directory_iterator("/usr/lib/postgresql", ignored)) {
    const fs::path program = entry.path() / "bin" / name;
    if (fs::exists(program) && program > newest) newest = program;
  }
  if (newest.empty()) {
    throw std::runtime_error("Install the Debian package postgresql: " + name +
                             " was not found in /usr/lib/postgresql/*/bin.");
  }
  return newest;
}

void wait_for(pid_t process) {
  int status = 0;
  if (::waitpid(process, &status, 0) != process || status != 0) {
    throw std::runtime_error("initdb failed.");
  }
}

// The processes whose parent is `parent`.
std::vector<pid_t> children_of(pid_t parent) {
  std::vector<pid_t> list;
  std::ifstream file(fmt::format("/proc/{0}/task/{0}/children", parent));
  for (pid_t child = 0; file >> child;) list.push_back(child);
  return list;
}

}  // namespace

PostgresServer::PostgresServer(PostgresServerOptions options)
    : options_(std::move(options)) {
  const fs::path parent =
      options_.parent.empty() ? fs::temp_directory_path() : options_.parent;
  std::string pattern = (parent / "lamarck_pg_XXXXXX");
  if (::mkdtemp(pattern.data()) == nullptr) {
    throw std::runtime_error("Cannot create a folder for the server.");
  }
  folder_ = pattern;
  if (::geteuid() == 0 && ::chown(folder_.c_str(), kNobody, kNobody) != 0) {
    throw std::runtime_error("Cannot give the folder to the server's user.");
  }
  initialize();
  start();
}

PostgresServer::~PostgresServer() {
  if (server_ != 0) {
    ::kill(server_, SIGQUIT);  // At once; the data is removed anyway.
    ::waitpid(server_, nullptr, 0);
  }
  std::error_code ignored;
  fs::remove_all(folder_, ignored);
}

PostgresServer& PostgresServer::shared() {
  static PostgresServer server;
  return server;
}

std::string PostgresServer::url(const std::string& database,
                                const std::string& user) const {
  return fmt::format("postgresql://{}@/{}?host={}", user, database,
                     folder_.string());
}

void PostgresServer::initialize() {
  wait_for(launch({postgres_program("initdb"), "-D", folder_ / "data", "-U",
                   "lamarck", "--auth=trust", "--encoding=UTF8", "--locale=C",
                   "--no-sync", "--no-instructions"}));
}

void PostgresServer::start() {
  std::vector<std::string> words = {postgres_program("postgres"), "-D",
                                    folder_ / "data", "-k", folder_};
  for (const char* const setting :
       {"listen_addresses=", "shared_buffers=32MB", "max_connections=80"}) {
    words.insert(words.end(), {"-c", setting});
  }
  if (!options_.durable) words.insert(words.end(), {"-c", "fsync=off"});
  server_ = launch(words);
  const PostgresOptions options{.url = url()};
  for (int i = 0; i < 6000; ++i) {
    if (PostgresConnection::open(options)) return;
    // After a kill, processes of the old server may still be ending.
    if (has_ended()) server_ = launch(words);
    std::this_thread::sleep_for(std::chrono::milliseconds(10));
  }
  throw std::runtime_error("PostgreSQL did not start: " + last_log_lines());
}

void PostgresServer::stop() {
  if (server_ == 0) return;
  ::kill(server_, SIGINT);
  ::waitpid(server_, nullptr, 0);
  server_ = 0;
}

void PostgresServer::kill_all() {
  if (server_ == 0) return;
  ::kill(server_, SIGSTOP);  // No new processes meanwhile.
  for (const pid_t child : children_of(server_)) ::kill(child, SIGKILL);
  ::kill(server_, SIGKILL);
  ::waitpid(server_, nullptr, 0);
  server_ = 0;
}

void PostgresServer::run(const std::string& sql) const {
  const auto connection = PostgresConnection::open({.url = url()});
  const Result<void> outcome = connection ? (*connection)->execute(sql)
                                          : Result<void>(connection.error());
  if (!outcome) throw std::runtime_error(outcome.error().message());
}

pid_t PostgresServer::launch(const std::vector<std::string>& words) const {
  std::vector<char*> arguments;
  for (const std::string& word : words) {
    arguments.push_back(const_cast<char*>(word.c_str()));
  }
  arguments.push_back(nullptr);
  const std::string log = folder_ / "log";
  const pid_t process = ::fork();
  if (process != 0) return process;
  // Only system calls until exec, because other threads may hold locks.
  const int file = ::open(log.c_str(), O_WRONLY | O_CREAT | O_APPEND, 0666);
  ::dup2(file, STDOUT_FILENO);
  ::dup2(file, STDERR_FILENO);
  if (::geteuid() == 0 && (::setgid(kNobody) != 0 || ::setuid(kNobody) != 0)) {
    ::_exit(126);
  }
  ::prctl(PR_SET_PDEATHSIG, SIGQUIT);
  if (::chdir(folder_.c_str()) != 0) ::_exit(126);
  ::execv(arguments[0], arguments.data());
  ::_exit(127);
}

bool PostgresServer::has_ended() {
  return ::waitpid(server_, nullptr, WNOHANG) == server_;
}

std::string PostgresServer::last_log_lines() const {
  std::ifstream file(folder_ / "log");
  std::string text{std::istreambuf_iterator<char>(file), {}};
  return text.size() < 2000 ? text : text.substr(text.size() - 2000);
}

PostgresPooler::PostgresPooler(const PostgresServer& server)
    : folder_(server.folder()) {
  std::ofstream(folder_ / "pgbouncer.ini") << fmt::format(
      "[databases]\n"
      "postgres = host={0} dbname=postgres user=lamarck\n"
      "[pgbouncer]\nlisten_addr =\nlisten_port = 6432\n"
      "unix_socket_dir = {0}\nauth_type = any\n"
      "pool_mode = transaction\ndefault_pool_size = 3\n"
      "logfile = {0}/pgbouncer.log\n",
      folder_.string());
  process_ =
      server.launch({"/usr/sbin/pgbouncer", "-q", folder_ / "pgbouncer.ini"});
  for (int i = 0; i < 6000; ++i) {
    if (PostgresConnection::open({.url = url()})) return;
    std::this_thread::sleep_for(std::chrono::milliseconds(10));
  }
  throw std::runtime_error(
      "pgbouncer did not start; install the Debian package pgbouncer.");
}

PostgresPooler::~PostgresPooler() {
  ::kill(process_, SIGKILL);
  ::waitpid(process_, nullptr, 0);
}

PostgresPooler& PostgresPooler::shared() {
  static PostgresPooler pooler(PostgresServer::shared());
  return pooler;
}

std::string PostgresPooler::url() const {
  return fmt::format("postgresql://lamarck@/postgres?host={}&port=6432",
                     folder_.string());
}

}  // namespace lamarck::store
