// Runs the programs of a folder in a sandbox.

#pragma once

#include <cstddef>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "lamarck/base/cancel_token.h"
#include "lamarck/base/json.h"
#include "lamarck/base/result.h"
#include "lamarck/problems/program_folder.h"
#include "lamarck/sandbox/python_interpreter.h"
#include "lamarck/sandbox/sandbox.h"

namespace lamarck::problems {

struct ProgramRunnerOptions {
  SandboxLimits limits;      // Per run.
  std::size_t parallel = 0;  // Runs at the same time; 0 means no limit.
  // Runs the program in the process of evaluate.py. This is faster if the
  // function is called millions of times and allows values of any type, but the
  // program can then manipulate its score.
  bool shares_process = false;
};

// Every run gets a new read-only sandbox. `source` is the evolved part of a
// program. The error message of a failed run is a reason without a subject,
// such as "timed out after 10 s" or "raised ZeroDivisionError: ...". Thread
// safety: all members may be called from any thread.
class ProgramRunner {
 public:
  ProgramRunner(ProgramFolder folder, std::shared_ptr<const Sandbox> sandbox,
                PythonInterpreter python, ProgramRunnerOptions options = {});
  ~ProgramRunner();

  const ProgramFolder& folder() const { return folder_; }

  // Lists the top-level functions of the whole program, in order, without
  // executing it. Fails if it is not valid Python.
  Result<std::vector<PythonFunction>> functions(
      const std::string& source, const CancelToken& cancel = {}) const;

  // The inputs that evaluate.py or problem.toml lists; nullopt if all scores
  // come from one run.
  Result<std::optional<std::vector<std::string>>> inputs(
      const CancelToken& cancel = {}) const;

  // One finite score for `input`; without an input, all scores of evaluate.py.
  // A command gets the input as its last argument and prints the scores as JSON
  // on its last line: a number, a list or an object of numbers.
  Result<std::vector<double>> scores(const std::string& source,
                                     const std::optional<std::string>& input,
                                     const CancelToken& cancel = {}) const;

  // Calls the evolved function with each row of arguments.
  Result<std::vector<double>> call(const std::string& source,
                                   std::span<const std::vector<double>> rows,
                                   const CancelToken& cancel = {}) const;

 private:
  Result<Json> run(const char* mode, const std::string& source, Json request,
                   const CancelToken& cancel) const;
  Result<Json> run_command(const std::string& source,
                           const std::optional<std::string>& input,
                           const CancelToken& cancel) const;
  Result<SandboxOutcome> run_job(const SandboxJob& job,
                                 const CancelToken& cancel) const;

  class Slots;  // Limits the number of concurrent runs.

  ProgramFolder folder_;
  std::shared_ptr<const Sandbox> sandbox_;
  PythonInterpreter python_;
  ProgramRunnerOptions options_;
  std::unique_ptr<Slots> slots_;
};

// The options that the settings of a folder ask for.
ProgramRunnerOptions runner_options(const ProblemSettings& settings);

// Returns a runner with a process sandbox and the python3 of this machine. If
// the folder has a command, it must be a file of the folder or a program in the
// PATH.
Result<std::shared_ptr<const ProgramRunner>> open_program_runner(
    ProgramFolder folder, ProgramRunnerOptions options = {});

}  // namespace lamarck::problems
