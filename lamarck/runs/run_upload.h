// Tables that clients upload to start runs with.

#pragma once

#include <string>
#include <string_view>
#include <utility>

#include "lamarck/base/json.h"
#include "lamarck/base/result.h"
#include "lamarck/data/table.h"

namespace lamarck::runs {

// Describes each column, and guesses what to predict and how:
//   {"rows", "columns": [{"name", "type", "missing", "distinct", "samples",
//    "min", "max"}], "guess": {"target", "task", "time", "command"}}
// `time` names the column that orders the rows, or is null.
Json describe_table(const data::Table& table);

// A folder of uploaded files. Thread safety: all members may be called from any
// thread.
class RunUploads {
 public:
  // "" = nothing can be stored.
  explicit RunUploads(std::string folder) : folder_(std::move(folder)) {}

  // Stores a table and returns its description with "id", "name" and "bytes".
  // Fails with InvalidArgument if it is not a table.
  Result<Json> add(const std::string& name, std::string_view csv) const;
  // The path and the name of an upload. Fails with NotFound.
  struct Upload {
    std::string path;
    std::string name;
  };
  Result<Upload> find(const std::string& id) const;

 private:
  const std::string folder_;
};

}  // namespace lamarck::runs
