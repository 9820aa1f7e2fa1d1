#include "lamarck/problems/program_runner.h"

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "lamarck/base/entropy.h"
#include "lamarck/base/hash.h"
#include "lamarck/base/macros.h"
#include "lamarck/base/one_line.h"
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

Result<PythonFunction> parse_function(const Json& json) {
  if (!json.is_array() || json.size() != 2) return not_a_result(json);
  return PythonFunction{json[0].get<std::string>(),
                        json[1].get<std::vector<std::string>>()};
}

}  // namespace

ProgramRunner::ProgramRunner(ProgramFolder folder,
                             std::shared_ptr<const Sandbox> sandbox,
                             PythonInterpreter python,
                             ProgramRunnerOptions options)
    : folder_(std::move(folder)),
      sandbox_(std::move(sandbox)),
      python_(std::move(python)),
      options_(options) {}

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
  ASSIGN_OR_RETURN(const SandboxOutcome outcome, sandbox_->run(job, cancel));
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
  Json request = {{"function", folder_.program.function.name},
                  {"rows", Json::array()}};
  for (const std::vector<double>& row : rows) request["rows"].push_back(row);
  ASSIGN_OR_RETURN(const Json values,
                   run("call", source, std::move(request), cancel));
  return finite_numbers(values);
}

Result<std::shared_ptr<const ProgramRunner>> open_program_runner(
    ProgramFolder folder, ProgramRunnerOptions options) {
  ASSIGN_OR_RETURN(PythonInterpreter python, find_python());
  ASSIGN_OR_RETURN(std::unique_ptr<ProcessSandbox> sandbox,
                   ProcessSandbox::open({.readable = python.readable}));
  return std::make_shared<const ProgramRunner>(
      std::move(folder), std::shared_ptr<const Sandbox>(std::move(sandbox)),
      std::move(python), options);
}

}  // namespace lamarck::problems
