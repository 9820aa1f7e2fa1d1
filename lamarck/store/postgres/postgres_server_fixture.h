// A PostgreSQL server of the tests: a new cluster in a temporary folder, with a
// Unix socket only, stopped by its process id.

#pragma once

#include <sys/types.h>

#include <filesystem>
#include <string>
#include <vector>

namespace lamarck::store {

struct PostgresServerOptions {
  // The folder in which the cluster's folder is; "" = that for temporary files.
  std::filesystem::path parent;
  // Flushes to the disk, as benchmarks need it. Without, what a killed server
  // has written is still in the kernel.
  bool durable = false;
};

class PostgresServer {
 public:
  // Throws std::runtime_error with the last lines of the log if initdb or the
  // server fails.
  explicit PostgresServer(PostgresServerOptions options = {});
  ~PostgresServer();
  PostgresServer(const PostgresServer&) = delete;
  PostgresServer& operator=(const PostgresServer&) = delete;

  // One server for all tests of the program, started by the first call.
  static PostgresServer& shared();

  std::string url(const std::string& database = "postgres",
                  const std::string& user = "lamarck") const;
  const std::filesystem::path& folder() const { return folder_; }

  void start();     // REQUIRES: stopped.
  void stop();      // Ends open connections and stops the server.
  void kill_all();  // Kills the server and all its processes with SIGKILL.
  // Runs SQL in the database; throws if it fails.
  void run(const std::string& sql) const;
  // Starts a program as the server's user, in the server's folder. Returns its
  // process id.
  pid_t launch(const std::vector<std::string>& words) const;
  // Removes what Lamarck stored in the database.
  void clear() const { run("DROP SCHEMA IF EXISTS lamarck CASCADE"); }

 private:
  void initialize();
  bool has_ended();
  std::string last_log_lines() const;

  const PostgresServerOptions options_;
  std::filesystem::path folder_;
  pid_t server_ = 0;  // 0 = stopped.
};

// pgbouncer in transaction mode in front of a server: few connections for many
// clients, each of which lasts for one transaction.
class PostgresPooler {
 public:
  explicit PostgresPooler(const PostgresServer& server);
  ~PostgresPooler();
  PostgresPooler(const PostgresPooler&) = delete;
  PostgresPooler& operator=(const PostgresPooler&) = delete;

  // One for the shared server, started by the first call.
  static PostgresPooler& shared();

  std::string url() const;

 private:
  const std::filesystem::path folder_;  // Of the server.
  pid_t process_ = 0;
};

}  // namespace lamarck::store
