#include "lamarck/problems/program_runner.h"

#include <stdlib.h>
#include <unistd.h>

#include <algorithm>
#include <condition_variable>
#include <mutex>
#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "lamarck/base/entropy.h"
#include "lamarck/base/hash.h"
#include "lamarck/base/macros.h"
#include "lamarck/base/one_line.h"
#include "lamarck/base/string_split.h"
#include "lamarck/problems/program_runner_script.h"
#include "lamarck/sandbox/process_sandbox.h"

namespace lamarck::problems {
namespace {

constexpr std::size_t kReasonCharacters = 300;

Error failed(std::string reason) {
  return Error(ErrorCode::InvalidArgument, std::move(reason));
}

Error not_a_result(const Json& value) {
  return failed("returned no usable result: " + one_line(dump_json(value)));
}

// Reads the reply after the nonce. The nonce is unknown to the program, so a
// reply without it was not written by the runner script.
Result<Json> read_reply(const SandboxOutcome& outcome,
                        const SandboxLimits& limits, const std::string& nonce) {
  if (!outcome.has_succeeded()) return failed(describe(outcome, limits));
  const std::string head = nonce + "\n";
  if (!outcome.result.starts_with(head)) {
    return failed("ended without a result");
  }
  ASSIGN_OR_RETURN(
      Json reply,
      parse_json(std::string_view(outcome.result).substr(head.size()))
          .transform_error([](const Error& error) {
            return failed("returned no JSON: " + error.message());
          }));
  if (!reply.is_object()) return not_a_result(reply);
  if (reply.contains("error")) {
    const Json& words = reply["error"];
    return failed(one_line(
        words.is_string() ? words.get<std::string>() : dump_json(words),
        kReasonCharacters));
  }
  if (!reply.contains("value")) return not_a_result(reply);
  return Json(std::move(reply["value"]));
}

// The script writes NaN and infinities as strings, since JSON lacks them.
Result<double> finite_number(const Json& value) {
  if (value.is_number()) return value.get<double>();
  return failed("returned a score that is not finite: " +
                one_line(dump_json(value)));
}

Result<std::vector<double>> finite_numbers(const Json& value) {
  std::vector<double> numbers;
  for (const Json& one : value.is_array() ? value : Json::array({value})) {
    ASSIGN_OR_RETURN(const double number, finite_number(one));
    numbers.push_back(number);
  }
  return numbers;
}

// The scores of an object are those of its values, in the order of their names.
Result<std::vector<double>> printed_scores(const Json& value) {
  if (!value.is_object()) return finite_numbers(value);
  Json values = Json::array();
  for (const auto& [name, each] : value.items()) values.push_back(each);
  return finite_numbers(values);
}

std::string_view last_line(std::string_view text) {
  const auto end = text.find_last_not_of(" \t\r\n");
  if (end == std::string_view::npos) return "";
  text = text.substr(0, end + 1);
  return text.substr(text.rfind('\n') + 1);
}

Result<Json> read_output(const SandboxOutcome& outcome,
                         const SandboxLimits& limits) {
  if (!outcome.has_succeeded()) return failed(describe(outcome, limits));
  const std::string_view line = last_line(outcome.output);
  auto value = parse_json(line);
  if (value && (value->is_number() || value->is_array() || value->is_object()))
    return value;
  return failed(
      "the evaluator must print its scores as JSON on its last line, got " +
      in_quotes(line, kReasonCharacters));
}

bool is_executable(const std::filesystem::path& path) {
  std::error_code ignored;
  return std::filesystem::is_regular_file(path, ignored) &&
         access(path.c_str(), X_OK) == 0;
}

// Resolves the first word of the command: a file of the folder, an absolute
// path, or a program in the PATH.
Result<std::string> find_command(const ProgramFolder& folder) {
  std::string name = folder.settings.evaluate.front();
  if (name.starts_with("/") && is_executable(name)) return name;
  const std::string own = name.starts_with("./") ? name.substr(2) : name;
  if (std::ranges::find(folder.files, own, &SandboxFile::name) !=
      folder.files.end()) {
    return "./" + own;
  }
  const char* path = getenv("PATH");
  for (const std::string_view place : split_text(
           path != nullptr ? path : "/usr/local/bin:/usr/bin:/bin", ':')) {
    const auto found = std::filesystem::path(place) / name;
    if (place.starts_with("/") && name.find('/') == std::string::npos &&
        is_executable(found)) {
      return found.string();
    }
  }
  return Error(ErrorCode::NotFound,
               fmt::format("The command {} in {} must be a file of the folder "
                           "or a program in the PATH.",
                           in_quotes(name),
                           (folder.path / kProblemSettingsFile).string()));
}

// The folder that a program outside of /usr needs besides itself.
std::vector<std::string> readable_for(const std::string& program) {
  std::error_code failure;
  const auto real = std::filesystem::canonical(program, failure);
  if (failure || program.starts_with("./")) return {};
  if (real.string().starts_with("/usr/")) return {};
  return {real.parent_path().parent_path().string()};
}

Result<PythonFunction> parse_function(const Json& json) {
  if (!json.is_array() || json.size() != 2) return not_a_result(json);
  return PythonFunction{json[0].get<std::string>(),
                        json[1].get<std::vector<std::string>>()};
}

}  // namespace

class ProgramRunner::Slots {
 public:
  explicit Slots(std::size_t count) : is_limited_(count > 0), free_(count) {}

  // Waits for a free slot. Fails if `cancel` is cancelled first.
  Result<void> enter(const CancelToken& cancel) {
    if (!is_limited_) return {};
    std::unique_lock lock(mutex_);
    freed_.wait(lock, cancel.stop_token(), [this] { return free_ > 0; });
    if (free_ == 0) return cancel.check();
    --free_;
    return {};
  }
  void leave() {
    if (!is_limited_) return;
    {
      const std::lock_guard lock(mutex_);
      ++free_;
    }
    freed_.notify_one();
  }

 private:
  const bool is_limited_;
  std::mutex mutex_;
  std::size_t free_;  // Guarded by mutex_.
  std::condition_variable_any freed_;
};

ProgramRunner::ProgramRunner(ProgramFolder folder,
                             std::shared_ptr<const Sandbox> sandbox,
                             PythonInterpreter python,
                             ProgramRunnerOptions options)
    : folder_(std::move(folder)),
      sandbox_(std::move(sandbox)),
      python_(std::move(python)),
      options_(options),
      slots_(std::make_unique<Slots>(options.parallel)) {}

ProgramRunner::~ProgramRunner() = default;

Result<SandboxOutcome> ProgramRunner::run_job(const SandboxJob& job,
                                              const CancelToken& cancel) const {
  RETURN_IF_ERROR(slots_->enter(cancel));
  auto outcome = sandbox_->run(job, cancel);
  slots_->leave();
  return outcome;
}

Result<Json> ProgramRunner::run_command(const std::string& source,
                                        const std::optional<std::string>& input,
                                        const CancelToken& cancel) const {
  SandboxJob job{
      .command = folder_.settings.evaluate,
      .files = folder_.files,
      .environment = {"PYTHONHASHSEED=0", "PYTHONDONTWRITEBYTECODE=1",
                      "OPENBLAS_NUM_THREADS=1", "OMP_NUM_THREADS=1"},
      .limits = options_.limits};
  ASSIGN_OR_RETURN(job.command.front(), find_command(folder_));
  if (job.command.front().starts_with("./")) {
    const std::string own = job.command.front().substr(2);
    std::ranges::find(job.files, own, &SandboxFile::name)->is_executable = true;
  }
  if (input) job.command.push_back(*input);
  job.files.push_back({"program.py", folder_.program.with(source), false});
  ASSIGN_OR_RETURN(const SandboxOutcome outcome, run_job(job, cancel));
  return read_output(outcome, job.limits);
}

Result<Json> ProgramRunner::run(const char* mode, const std::string& source,
                                Json request, const CancelToken& cancel) const {
  const std::string nonce = to_hex64(entropy_seed()) + to_hex64(entropy_seed());
  request["nonce"] = nonce;
  SandboxJob job{.command = {python_.path, "-s", "-B", "runner.py", mode},
                 .input = dump_json(request),
                 .files = folder_.files,
                 .is_read_only = true,
                 .has_result_channel = true,
                 // A fixed hash seed gives sets of strings the same order in
                 // every run; one thread makes sums reproducible.
                 .environment = {"PYTHONHASHSEED=0", "OPENBLAS_NUM_THREADS=1",
                                 "OMP_NUM_THREADS=1"},
                 .limits = options_.limits};
  if (options_.shares_process) job.command.emplace_back("shared");
  job.files.push_back({"runner.py", std::string(kProgramRunnerScript), false});
  job.files.push_back({"program.py", folder_.program.with(source), false});
  ASSIGN_OR_RETURN(const SandboxOutcome outcome, run_job(job, cancel));
  return read_reply(outcome, job.limits, nonce);
}

Result<std::vector<PythonFunction>> ProgramRunner::functions(
    const std::string& source, const CancelToken& cancel) const {
  ASSIGN_OR_RETURN(const Json list,
                   run("check", source, Json::object(), cancel));
  std::vector<PythonFunction> functions;
  for (const Json& one : list) {
    ASSIGN_OR_RETURN(PythonFunction function, parse_function(one));
    functions.push_back(std::move(function));
  }
  return functions;
}

Result<std::optional<std::vector<std::string>>> ProgramRunner::inputs(
    const CancelToken& cancel) const {
  if (!folder_.settings.evaluate.empty()) {
    const auto& names = folder_.settings.inputs;
    return names.empty() ? std::optional<std::vector<std::string>>()
                         : std::optional(names);
  }
  ASSIGN_OR_RETURN(const Json list,
                   run("inputs", folder_.program.evolved,
                       {{"evaluate", folder_.evaluate}}, cancel));
  if (list.is_null()) return std::optional<std::vector<std::string>>();
  if (!list.is_array() || list.empty()) {
    return failed("evaluate.py: inputs() must return a list of names");
  }
  return std::optional(list.get<std::vector<std::string>>());
}

Result<std::vector<double>> ProgramRunner::scores(
    const std::string& source, const std::optional<std::string>& input,
    const CancelToken& cancel) const {
  if (!folder_.settings.evaluate.empty()) {
    ASSIGN_OR_RETURN(const Json printed, run_command(source, input, cancel));
    ASSIGN_OR_RETURN(auto numbers, printed_scores(printed));
    if (input && numbers.size() != 1) {
      return failed(fmt::format("must print one score for an input, got {}",
                                numbers.size()));
    }
    return numbers;
  }
  const Json chosen = input ? Json(*input) : Json(nullptr);
  ASSIGN_OR_RETURN(
      const Json value,
      run("evaluate", source,
          {{"evaluate", folder_.evaluate}, {"input", chosen}}, cancel));
  return finite_numbers(value);
}

Result<std::vector<double>> ProgramRunner::call(
    const std::string& source, std::span<const std::vector<double>> rows,
    const CancelToken& cancel) const {
  Json request = {{"function", folder_.program.function().name},
                  {"rows", Json::array()}};
  for (const std::vector<double>& row : rows) request["rows"].push_back(row);
  ASSIGN_OR_RETURN(const Json values,
                   run("call", source, std::move(request), cancel));
  return finite_numbers(values);
}

ProgramRunnerOptions runner_options(const ProblemSettings& settings) {
  ProgramRunnerOptions options;
  SandboxLimits& limits = options.limits;
  const bool has_command = !settings.evaluate.empty();
  // Runtimes such as node and java start threads of their own.
  constexpr std::size_t kCommandProcesses = 64;
  if (has_command) limits.processes = kCommandProcesses;
  if (settings.processes) limits.processes = *settings.processes;
  if (settings.memory_bytes) limits.memory_bytes = *settings.memory_bytes;
  if (settings.time) limits.wall = *settings.time;
  if (settings.time || has_command) {
    // Processor time must not end a run before the wall time does; threads add
    // up.
    const auto seconds = std::chrono::ceil<std::chrono::seconds>(limits.wall);
    limits.cpu_seconds = static_cast<std::uint64_t>(seconds.count() + 1) *
                         (has_command ? limits.processes : 1);
  }
  options.parallel = settings.parallel.value_or(0);
  return options;
}

Result<std::shared_ptr<const ProgramRunner>> open_program_runner(
    ProgramFolder folder, ProgramRunnerOptions options) {
  ASSIGN_OR_RETURN(PythonInterpreter python, find_python());
  std::vector<std::string> readable = python.readable;
  if (!folder.settings.evaluate.empty()) {
    ASSIGN_OR_RETURN(const std::string command, find_command(folder));
    for (std::string& path : readable_for(command)) {
      readable.push_back(std::move(path));
    }
  }
  ASSIGN_OR_RETURN(std::unique_ptr<ProcessSandbox> sandbox,
                   ProcessSandbox::open({.readable = std::move(readable)}));
  return std::make_shared<const ProgramRunner>(
      std::move(folder), std::shared_ptr<const Sandbox>(std::move(sandbox)),
      std::move(python), options);
}

}  // namespace lamarck::problems
