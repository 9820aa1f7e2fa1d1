// Calls this program as a child process and waits for its output.

#pragma once

#include <chrono>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "lamarck/base/cancel_token.h"
#include "lamarck/base/json.h"
#include "lamarck/base/result.h"

namespace lamarck::runs {

// The path of this program, or that in the environment variable
// LAMARCK_PROGRAM, which a process that is not the program sets.
std::string program_path();

// Runs `program` with `words` and `input` on standard input, and returns what
// it wrote to standard output. If it fails, the error has its message. Fails
// with Timeout and Cancelled, after ending the process.
Result<std::string> call_program(const std::string& program,
                                 const std::vector<std::string>& words,
                                 const std::string& input,
                                 std::chrono::milliseconds timeout,
                                 const CancelToken& cancel);

// The predictions of the model or law in a run's folder for rows of JSON
// objects: [{"prediction": ...}]. With a level, also intervals or sets of
// classes that contain the truth that often.
Result<Json> predict_rows(const std::string& program, const std::string& folder,
                          const Json& rows, std::optional<double> level,
                          const CancelToken& cancel);

// A file that `lamarck export` makes from the result of a run.
struct ExportedFile {
  std::string_view kind;  // Of the run.
  std::string_view name;
  std::string_view source;  // The file that it is made from.
  std::string_view flag;
};
std::span<const ExportedFile> exported_files();

// Makes the file unless an earlier call made it from the same source; returns
// its path. Its name is hidden, so that it is not taken for a file of the run.
Result<std::string> export_file(const std::string& program,
                                const std::string& folder,
                                const ExportedFile& file,
                                const CancelToken& cancel);

// Rows of JSON objects as CSV; missing fields are empty cells.
std::string rows_to_csv(const Json& rows);

}  // namespace lamarck::runs
