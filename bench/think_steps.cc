// Measures the cost of a thought against the disk and a peer, in one run:
//
//   think_steps LAMARCK [PEER...]
//
// LAMARCK is the program; PEER, if given, is the command of another MCP server
// over stdio with a tool `sequentialthinking`. Files are created in the current
// folder and removed at the end.

#include <sched.h>
#include <sys/wait.h>
#include <unistd.h>
#include <sqlite3.h>

#include <algorithm>
#include <array>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <functional>
#include <numeric>
#include <optional>
#include <string>
#include <vector>
#include <nlohmann/json.hpp>

#include "lamarck/base/clock.h"
#include "lamarck/base/json.h"
#include "lamarck/base/rng.h"
#include "lamarck/store/sqlite_journal.h"
#include "lamarck/thought/thought_engine.h"

namespace {

namespace fs = std::filesystem;
using lamarck::Json;

constexpr int kContentBytes = 380;

double seconds_now() {
  return std::chrono::duration<double>(
             std::chrono::steady_clock::now().time_since_epoch())
      .count();
}

[[noreturn]] void give_up(const std::string& why) {
  std::fprintf(stderr, "think_steps: %s\n", why.c_str());
  std::exit(1);
}

// A temporary folder, removed by the destructor.
class Folder {
 public:
  Folder()
      : path_(fs::current_path() /
              ("think_steps_" + std::to_string(::getpid()))) {
    fs::create_directories(path_);
  }
  ~Folder() { fs::remove_all(path_); }
  std::string file(const std::string& name) const {
    return (path_ / name).string();
  }

 private:
  fs::path path_;
};

// An MCP server behind two pipes; one request at a time.
class StdioServer {
 public:
  explicit StdioServer(const std::vector<std::string>& command) {
    std::array<int, 2> to{};
    std::array<int, 2> from{};
    if (::pipe(to.data()) != 0 || ::pipe(from.data()) != 0)
      give_up("cannot create pipes");
    child_ = ::fork();
    if (child_ == 0) {
      ::dup2(to[0], 0);
      ::dup2(from[1], 1);
      for (const int end : {to[0], to[1], from[0], from[1]}) ::close(end);
      std::vector<char*> words;
      for (const std::string& word : command) {
        words.push_back(const_cast<char*>(word.c_str()));
      }
      words.push_back(nullptr);
      ::execvp(words[0], words.data());
      ::_exit(127);
    }
    ::close(to[0]);
    ::close(from[1]);
    in_ = ::fdopen(from[0], "r");
    out_ = to[1];
    initialize();
  }
  ~StdioServer() {
    ::close(out_);
    std::fclose(in_);
    ::waitpid(child_, nullptr, 0);
    std::free(line_);
  }
  StdioServer(const StdioServer&) = delete;
  StdioServer& operator=(const StdioServer&) = delete;

  // Returns the line of the reply.
  std::string call(const std::string& tool, const Json& arguments) {
    return request("tools/call", {{"name", tool}, {"arguments", arguments}});
  }

 private:
  void initialize() {
    request("initialize", {{"protocolVersion", "2025-06-18"},
                           {"capabilities", Json::object()},
                           {"clientInfo", {{"name", "b"}, {"version", "1"}}}});
    send({{"jsonrpc", "2.0"}, {"method", "notifications/initialized"}});
  }
  void send(const Json& message) {
    const std::string line = message.dump() + "\n";
    if (::write(out_, line.data(), line.size()) !=
        static_cast<ssize_t>(line.size())) {
      give_up("the server closed its input");
    }
  }
  std::string request(const std::string& method, Json params) {
    const std::string id = "\"id\":" + std::to_string(++id_);
    send({{"jsonrpc", "2.0"},
          {"id", id_},
          {"method", method},
          {"params", std::move(params)}});
    while (::getline(&line_, &size_, in_) > 0) {
      std::string reply(line_);
      if (reply.find(id) != std::string::npos) return reply;
    }
    give_up("the server ended without a reply");
  }

  pid_t child_ = 0;
  int out_ = -1;
  std::FILE* in_ = nullptr;
  char* line_ = nullptr;
  std::size_t size_ = 0;
  int id_ = 0;
};

// Plain SQLite: one row of the same size per commit.
class BareTable {
 public:
  explicit BareTable(const std::string& file) {
    sqlite3_open(file.c_str(), &db_);
    run("PRAGMA journal_mode=WAL");
    run("PRAGMA synchronous=FULL");
    run("CREATE TABLE events (id INTEGER PRIMARY KEY, content TEXT)");
  }
  ~BareTable() { sqlite3_close(db_); }
  BareTable(const BareTable&) = delete;
  BareTable& operator=(const BareTable&) = delete;

  void commit() { run(insert_.c_str()); }

 private:
  void run(const char* sql) {
    if (sqlite3_exec(db_, sql, nullptr, nullptr, nullptr) != SQLITE_OK) {
      give_up(sqlite3_errmsg(db_));
    }
  }

  sqlite3* db_ = nullptr;
  const std::string insert_ = "INSERT INTO events (content) VALUES ('" +
                              std::string(kContentBytes, 'x') + "')";
};

// A minimal durable server behind pipes: it reads a byte, commits a row with
// plain SQLite and answers with a byte. A lower bound for any durable server.
class BareServer {
 public:
  explicit BareServer(const std::string& file) {
    std::array<int, 2> to{};
    std::array<int, 2> from{};
    if (::pipe(to.data()) != 0 || ::pipe(from.data()) != 0)
      give_up("cannot create pipes");
    child_ = ::fork();
    if (child_ == 0) {
      ::close(to[1]);
      ::close(from[0]);
      BareTable table(file);
      char byte = 0;
      while (::read(to[0], &byte, 1) == 1) {
        table.commit();
        if (::write(from[1], &byte, 1) != 1) break;
      }
      ::_exit(0);
    }
    ::close(to[0]);
    ::close(from[1]);
    out_ = to[1];
    in_ = from[0];
  }
  ~BareServer() {
    ::close(out_);
    ::close(in_);
    ::waitpid(child_, nullptr, 0);
  }
  BareServer(const BareServer&) = delete;
  BareServer& operator=(const BareServer&) = delete;

  void commit() const {
    char byte = 0;
    if (::write(out_, &byte, 1) != 1 || ::read(in_, &byte, 1) != 1) {
      give_up("the bare server ended");
    }
  }

 private:
  pid_t child_ = 0;
  int out_ = -1;
  int in_ = -1;
};

std::string start_session(StdioServer& server) {
  const std::string reply =
      server.call("think_session_start",
                  {{"goal", "Measure"}, {"token_budget", 100'000'000}});
  const Json parsed = Json::parse(reply);
  return parsed["result"]["structuredContent"]["session"];
}

// A client that waits for each answer before it sends the next step.
class StepClient {
 public:
  StepClient(const std::string& lamarck, const std::string& file, bool durable)
      : server_(command(lamarck, file, durable)),
        arguments_({{"session", start_session(server_)},
                    {"content", std::string(kContentBytes, 'x')}}) {}

  void step() { server_.call("think_plan_step", arguments_); }

 private:
  static std::vector<std::string> command(const std::string& lamarck,
                                          const std::string& file,
                                          bool durable) {
    std::vector<std::string> words = {lamarck, "mcp", "--db", file};
    if (!durable) words.push_back("--no-sync");
    return words;
  }

  StdioServer server_;
  const Json arguments_;
};

// Returns calls per second.
template <class Call>
double rate(int count, const Call& call) {
  const double start = seconds_now();
  for (int i = 0; i < count; ++i) call();
  return count / (seconds_now() - start);
}

// Pins this program to one processor during its lifetime; servers that are
// already running are not affected.
class OnProcessor {
 public:
  explicit OnProcessor(int index) {
    sched_getaffinity(0, sizeof before_, &before_);
    const int count = std::max(1, CPU_COUNT(&before_));
    cpu_set_t one;
    CPU_ZERO(&one);
    CPU_SET(nth(index % count), &one);
    sched_setaffinity(0, sizeof one, &one);
  }
  ~OnProcessor() { sched_setaffinity(0, sizeof before_, &before_); }
  OnProcessor(const OnProcessor&) = delete;
  OnProcessor& operator=(const OnProcessor&) = delete;

 private:
  std::size_t nth(int index) const {
    std::size_t processor = 0;
    while (!CPU_ISSET(processor, &before_) || index-- > 0) ++processor;
    return processor;
  }

  cpu_set_t before_{};
};

// The mean without the fastest and the slowest quarter.
double middle_mean(std::vector<double> list) {
  std::ranges::sort(list);
  const auto quarter = std::ssize(list) / 4;
  const double sum =
      std::accumulate(list.begin() + quarter, list.end() - quarter, 0.0);
  return sum / static_cast<double>(std::ssize(list) - 2 * quarter);
}

// The rates of all calls. They alternate, so that a change in the machine's
// load affects all of them. Each round runs on another processor: the disk
// interrupts one of them, and a process that waits there gets its answer a
// tenth earlier.
std::vector<double> rates(int each,
                          const std::vector<std::function<void()>>& calls) {
  constexpr int kRounds = 24;
  std::vector<std::vector<double>> seconds(calls.size());
  for (int round = 0; round < kRounds; ++round) {
    const OnProcessor here(round);
    for (std::size_t i = 0; i < calls.size(); ++i) {
      seconds[i].push_back(1 / rate(each, calls[i]));
    }
  }
  std::vector<double> found;
  for (const auto& list : seconds) found.push_back(1 / middle_mean(list));
  return found;
}

// A client of the peer.
class PeerClient {
 public:
  explicit PeerClient(const std::vector<std::string>& command)
      : server_(command) {}

  void step() {
    server_.call("sequentialthinking",
                 {{"thought", std::string(kContentBytes, 'x')},
                  {"nextThoughtNeeded", true},
                  {"thoughtNumber", ++number_},
                  {"totalThoughts", 1'000'000}});
  }

 private:
  StdioServer server_;
  int number_ = 0;
};

void compare_durable(const std::string& lamarck, const Folder& folder) {
  StepClient client(lamarck, folder.file("durable.db"), true);
  BareTable bare(folder.file("bare.db"));
  const BareServer piped(folder.file("piped.db"));
  const auto found = rates(50, {[&] { client.step(); }, [&] { bare.commit(); },
                                [&] { piped.commit(); }});
  std::printf(
      "durable steps over stdio   %8.0f /s   bare SQLite %8.0f /s   "
      "ratio %.2f\n",
      found[0], found[1], found[0] / found[1]);
  std::printf(
      "  the same                 %8.0f /s   behind pipes%8.0f /s   "
      "ratio %.2f\n",
      found[0], found[2], found[0] / found[2]);
}

void compare_with_peer(const std::string& lamarck, const Folder& folder,
                       const std::vector<std::string>& peer) {
  StepClient relaxed(lamarck, folder.file("relaxed.db"), false);
  StepClient memory(lamarck, ":memory:", false);
  std::vector<std::function<void()>> calls = {[&] { relaxed.step(); },
                                              [&] { memory.step(); }};
  std::optional<PeerClient> other;
  if (!peer.empty()) {
    other.emplace(peer);
    calls.emplace_back([&] { other->step(); });
  }
  const auto found = rates(200, calls);
  const auto print = [&](const char* what, double ours) {
    std::printf("%s %8.0f /s", what, ours);
    if (other) {
      std::printf("   peer %8.0f /s   ratio %.1f", found[2], ours / found[2]);
    }
    std::printf("\n");
  };
  print("durability off (:memory:) ", found[1]);
  print("  with --no-sync instead  ", found[0]);
}

double size_ratio(const std::string& lamarck, const std::string& file) {
  constexpr int kSteps = 1000;
  {
    StepClient client(lamarck, file, false);
    rate(kSteps, [&] { client.step(); });
  }
  double bytes = 0;
  for (const char* ending : {"", "-wal"}) {
    if (fs::exists(file + ending)) {
      bytes += static_cast<double>(fs::file_size(file + ending));
    }
  }
  return bytes / (kSteps * kContentBytes);
}

// Seconds to restore a session of `events` events.
double restore_seconds(const std::string& file, int events) {
  lamarck::SystemClock clock;
  auto journal =
      lamarck::store::open_sqlite_journal({.path = file, .durable = false});
  if (!journal) give_up(journal.error().message());
  std::string id;
  {
    lamarck::thought::ThoughtEngine engine({}, **journal, clock,
                                           lamarck::Rng(1));
    const auto begun = engine.start_session(
        {.goal = "Measure", .budgets = {.tokens = 1'000'000'000}}, {});
    if (!begun) give_up(begun.error().message());
    id = Json::parse(*begun)["session"];
    for (int i = 1; i < events; ++i) {
      const auto step = engine.add_step(
          {.session = id, .content = std::string(kContentBytes, 'x')}, {});
      if (!step) give_up(step.error().message());
    }
  }
  lamarck::thought::ThoughtEngine engine({}, **journal, clock, lamarck::Rng(2));
  const double start = seconds_now();
  const auto session = engine.session(id);
  if (!session) give_up(session.error().message());
  return seconds_now() - start;
}

}  // namespace

int main(int count, char** words) {
  if (count < 2) give_up("usage: think_steps LAMARCK [PEER...]");
  const std::string lamarck = words[1];
  const std::vector<std::string> peer(words + 2, words + count);
  const Folder folder;

  compare_durable(lamarck, folder);
  compare_with_peer(lamarck, folder, peer);
  std::printf("file of 1,000 steps        %8.2f times the content\n",
              size_ratio(lamarck, folder.file("size.db")));
  std::printf("restore of 100,000 events  %8.3f s\n",
              restore_seconds(folder.file("restore.db"), 100'000));
  return 0;
}
