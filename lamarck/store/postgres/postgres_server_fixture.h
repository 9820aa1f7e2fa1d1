// A PostgreSQL server of the tests: a new cluster in a temporary folder, with a
// Unix socket only, stopped by its process id.

#pragma once

#include <sys/types.h>

#include <filesystem>
#include <string>
#include <vector>

namespace lamarck::store {

class PostgresServer {
 public:
  // Throws std::runtime_error with the last lines of the log if initdb or the
  // server fails.
  PostgresServer();
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
  // Removes what Lamarck stored in the database.
  void clear() const { run("DROP SCHEMA IF EXISTS lamarck CASCADE"); }

 private:
  void initialize();
  pid_t launch(const std::vector<std::string>& words) const;
  bool has_ended();
  std::string last_log_lines() const;

  std::filesystem::path folder_;
  pid_t server_ = 0;  // 0 = stopped.
};

}  // namespace lamarck::store
