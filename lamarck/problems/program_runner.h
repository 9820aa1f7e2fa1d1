// Runs programs of a folder in a sandbox.

#pragma once

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
  SandboxLimits limits;  // Of each run.
  // The program runs in the process that scores it: faster where it is called
  // millions of times, and values of any type pass; but then it can cheat.
  bool shares_process = false;
};

// Every run is a new sandbox in which nothing can be written. `source` is the
// evolved part of a program. The error of a failed run is a reason without a
// subject: "timed out after 10 s", "raised ZeroDivisionError: ...".
// Thread safety: any member from any thread.
class ProgramRunner {
 public:
  ProgramRunner(ProgramFolder folder, std::shared_ptr<const Sandbox> sandbox,
                PythonInterpreter python, ProgramRunnerOptions options = {});

  const ProgramFolder& folder() const { return folder_; }

  // The functions of the whole program, in order, without executing it. Fails
  // if it is not Python.
  Result<std::vector<PythonFunction>> functions(
      const std::string& source, const CancelToken& cancel = {}) const;

  // What evaluate.py lists; nothing if it scores all in one run.
  Result<std::optional<std::vector<std::string>>> inputs(
      const CancelToken& cancel = {}) const;

  // One finite score for `input`; without one, as many as evaluate.py gives.
  Result<std::vector<double>> scores(const std::string& source,
                                     const std::optional<std::string>& input,
                                     const CancelToken& cancel = {}) const;

  // The evolved function's values, for rows of arguments.
  Result<std::vector<double>> call(const std::string& source,
                                   std::span<const std::vector<double>> rows,
                                   const CancelToken& cancel = {}) const;

 private:
  Result<Json> run(const char* mode, const std::string& source, Json request,
                   const CancelToken& cancel) const;

  ProgramFolder folder_;
  std::shared_ptr<const Sandbox> sandbox_;
  PythonInterpreter python_;
  ProgramRunnerOptions options_;
};

// A runner in a process sandbox, with the python3 that is found.
Result<std::shared_ptr<const ProgramRunner>> open_program_runner(
    ProgramFolder folder, ProgramRunnerOptions options = {});

}  // namespace lamarck::problems
