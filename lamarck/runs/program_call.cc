#include "lamarck/runs/program_call.h"

#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstdlib>
#include <filesystem>
#include <utility>
#include <nlohmann/json.hpp>

#include "lamarck/base/clock.h"
#include "lamarck/base/macros.h"
#include "lamarck/base/one_line.h"

namespace lamarck::runs {
namespace {

constexpr std::size_t kMaxOutput = std::size_t{64} << 20;
constexpr std::chrono::seconds kPredictTimeout{60};
constexpr std::chrono::seconds kExportTimeout{60};
constexpr int kCannotExecute = 127;
constexpr int kPollMilliseconds = 50;

struct Pipe {
  int read = -1;
  int write = -1;

  Pipe() {
    std::array<int, 2> ends{};
    if (pipe2(ends.data(), O_CLOEXEC) == 0) {
      read = ends[0];
      write = ends[1];
    }
  }
  ~Pipe() {
    close_end(read);
    close_end(write);
  }
  Pipe(const Pipe&) = delete;
  Pipe& operator=(const Pipe&) = delete;

  static void close_end(int& end) {
    if (end >= 0) close(end);
    end = -1;
  }
};

struct CalledProcess {
  int pid = -1;
  Pipe in;
  Pipe out;
  Pipe err;

  ~CalledProcess() {
    if (pid <= 0) return;
    kill(pid, SIGKILL);
    waitpid(pid, nullptr, 0);
  }
};

void start_called(CalledProcess& process, const std::string& program,
                  const std::vector<std::string>& words) {
  std::vector<const char*> arguments = {"lamarck"};
  for (const std::string& word : words) arguments.push_back(word.c_str());
  arguments.push_back(nullptr);
  process.pid = fork();
  if (process.pid != 0) return;
  prctl(PR_SET_PDEATHSIG, SIGKILL);
  dup2(process.in.read, STDIN_FILENO);
  dup2(process.out.write, STDOUT_FILENO);
  dup2(process.err.write, STDERR_FILENO);
  sigset_t none;
  sigemptyset(&none);
  sigprocmask(SIG_SETMASK, &none, nullptr);
  execv(program.c_str(), const_cast<char* const*>(arguments.data()));
  _exit(kCannotExecute);
}

// Reads what is there; closes the end at its end.
void read_some(int& end, std::string& text) {
  std::array<char, 65536> buffer{};
  const ssize_t size = read(end, buffer.data(), buffer.size());
  if (size > 0 && text.size() < kMaxOutput) {
    text.append(buffer.data(), static_cast<std::size_t>(size));
  } else if (size == 0 || (size < 0 && errno != EAGAIN && errno != EINTR)) {
    Pipe::close_end(end);
  }
}

void write_some(int& end, const std::string& text, std::size_t& done) {
  const ssize_t size = write(end, text.data() + done, text.size() - done);
  if (size > 0) done += static_cast<std::size_t>(size);
  const bool is_broken = size < 0 && errno != EAGAIN && errno != EINTR;
  if (done == text.size() || is_broken) Pipe::close_end(end);
}

// Moves data until the process closes its output.
Result<void> exchange_data(CalledProcess& process, const std::string& input,
                           std::string& output, std::string& errors,
                           std::chrono::milliseconds timeout,
                           const CancelToken& cancel) {
  const SystemClock clock;
  const auto end = clock.elapsed() + timeout;
  std::size_t done = 0;
  for (const int file :
       {process.in.write, process.out.read, process.err.read}) {
    fcntl(file, F_SETFL, O_NONBLOCK);
  }
  if (input.empty()) Pipe::close_end(process.in.write);
  while (process.out.read >= 0 || process.err.read >= 0) {
    RETURN_IF_ERROR(cancel.check());
    if (clock.elapsed() > end) {
      return Error(ErrorCode::Timeout, "The program did not finish within " +
                                           to_readable(timeout) + ".");
    }
    std::array<pollfd, 3> files = {pollfd{process.in.write, POLLOUT, 0},
                                   pollfd{process.out.read, POLLIN, 0},
                                   pollfd{process.err.read, POLLIN, 0}};
    if (poll(files.data(), files.size(), kPollMilliseconds) <= 0) continue;
    if (files[0].revents != 0) write_some(process.in.write, input, done);
    if (files[1].revents != 0) read_some(process.out.read, output);
    if (files[2].revents != 0) read_some(process.err.read, errors);
  }
  return {};
}

// The message that the program printed last.
std::string failure_message(const std::string& errors) {
  const std::string mark = "lamarck: ";
  const std::size_t at = errors.rfind(mark);
  if (at == std::string::npos) return "The program failed.";
  const std::size_t begin = at + mark.size();
  return one_line(errors.substr(begin, errors.find('\n', begin) - begin), 500);
}

// The caller gave rows, and does not know that they went to standard input.
Error without_prefix(const Error& error, std::string_view prefix) {
  const std::string& message = error.message();
  const bool has_prefix = message.starts_with(prefix);
  return Error(error.code(),
               has_prefix ? message.substr(prefix.size()) : message,
               error.fields());
}

std::string csv_cell(const Json& value) {
  if (value.is_null()) return "";
  std::string text =
      value.is_string() ? value.get<std::string>() : dump_json(value);
  if (text.find_first_of(",\"\n\r;|\t") == std::string::npos) return text;
  std::string quoted = "\"";
  for (const char c : text) {
    if (c == '"') quoted += '"';
    quoted += c;
  }
  return quoted + '"';
}

}  // namespace

std::string program_path() {
  if (const char* given = std::getenv("LAMARCK_PROGRAM")) return given;
  std::error_code failure;
  const auto path = std::filesystem::read_symlink("/proc/self/exe", failure);
  return failure ? std::string() : path.string();
}

Result<std::string> call_program(const std::string& program,
                                 const std::vector<std::string>& words,
                                 const std::string& input,
                                 std::chrono::milliseconds timeout,
                                 const CancelToken& cancel) {
  CalledProcess process;
  start_called(process, program, words);
  if (process.pid < 0) {
    return Error(ErrorCode::Unavailable,
                 "Cannot start a process; retry later.");
  }
  Pipe::close_end(process.in.read);
  Pipe::close_end(process.out.write);
  Pipe::close_end(process.err.write);
  std::string output;
  std::string errors;
  RETURN_IF_ERROR(
      exchange_data(process, input, output, errors, timeout, cancel));
  int status = 0;
  waitpid(std::exchange(process.pid, -1), &status, 0);
  if (WIFEXITED(status) && WEXITSTATUS(status) == 0) return output;
  const bool is_usage = WIFEXITED(status) && WEXITSTATUS(status) == 2;
  return Error(
      is_usage ? ErrorCode::InvalidArgument : ErrorCode::FailedPrecondition,
      failure_message(errors));
}

std::string rows_to_csv(const Json& rows) {
  std::vector<std::string> names;
  for (const Json& row : rows) {
    for (const auto& [name, value] : row.items()) {
      if (std::ranges::find(names, name) == names.end()) names.push_back(name);
    }
  }
  std::string csv;
  for (std::size_t i = 0; i < names.size(); ++i) {
    csv += (i == 0 ? "" : ",") + csv_cell(names[i]);
  }
  csv += "\n";
  for (const Json& row : rows) {
    for (std::size_t i = 0; i < names.size(); ++i) {
      const auto found = row.find(names[i]);
      csv += (i == 0 ? "" : ",");
      // An empty line would not count as a row.
      if (found != row.end()) csv += csv_cell(*found);
      if (names.size() == 1 && csv.ends_with('\n')) csv += "\"\"";
    }
    csv += "\n";
  }
  return csv;
}

Result<Json> predict_rows(const std::string& program, const std::string& folder,
                          const Json& rows, std::optional<double> level,
                          const CancelToken& cancel) {
  std::vector<std::string> words = {
      "predict", folder, "-", "--json", "--keep=none", "--progress=none"};
  if (level) {
    words.insert(words.end(),
                 {"--intervals", fmt::format("--level={}", *level)});
  }
  const std::string csv = rows_to_csv(rows);
  if (csv.starts_with('\n')) {
    return Error(ErrorCode::InvalidArgument,
                 "The rows have no columns; give each the columns that the "
                 "model reads.");
  }
  const auto output =
      call_program(program, words, csv, kPredictTimeout, cancel);
  if (!output) return without_prefix(output.error(), "standard input: ");
  ASSIGN_OR_RETURN(const Json json, parse_json(*output));
  return json.value("predictions", Json::array());
}

std::span<const ExportedFile> exported_files() {
  static constexpr std::array kFiles = {
      ExportedFile{"net", "model.cc", "model.lmk", "--cpp"},
      ExportedFile{"net", "model.onnx", "model.lmk", "--onnx"},
      ExportedFile{"net", "model.safetensors", "model.lmk", "--safetensors"},
      ExportedFile{"fn", "law.cc", "law.py", "--cpp"},
  };
  return kFiles;
}

Result<std::string> export_file(const std::string& program,
                                const std::string& folder,
                                const ExportedFile& file,
                                const CancelToken& cancel) {
  namespace fs = std::filesystem;
  const fs::path path = fs::path(folder) / ("." + std::string(file.name));
  std::error_code no_export;
  std::error_code no_source;
  const auto made = fs::last_write_time(path, no_export);
  const auto changed =
      fs::last_write_time(fs::path(folder) / file.source, no_source);
  if (!no_export && !no_source && made >= changed) return path.string();
  RETURN_IF_ERROR(call_program(
      program,
      {"export", folder, std::string(file.flag), path.string(), "--force"}, "",
      kExportTimeout, cancel));
  return path.string();
}

}  // namespace lamarck::runs
