// A skeleton that is Python source. It runs only in a sandbox.

#pragma once

#include <functional>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "lamarck/archipelago/skeleton.h"
#include "lamarck/problems/program_runner.h"

namespace lamarck::problems {

// Builds a skeleton from a text, such as a model's reply. The error says what
// is wrong with the text.
using ReplyReader =
    std::function<Result<archipelago::SkeletonPtr>(const std::string& source)>;

class PythonSkeleton : public archipelago::Skeleton {
 public:
  // `source` is the evolved part of the runner's program. It is not checked.
  PythonSkeleton(std::shared_ptr<const ProgramRunner> runner,
                 std::string source);

  const std::string& source() const override { return source_; }
  std::size_t size() const override { return source_.size(); }
  // Ignores layout and comments, but not the names of local variables.
  std::uint64_t hash() const override { return hash_; }
  // Runs the sandbox once for all values.
  Result<std::vector<double>> call(
      std::span<const std::vector<double>> arguments) const override;

 private:
  std::shared_ptr<const ProgramRunner> runner_;
  std::string source_;
  std::uint64_t hash_ = 0;
};

// Reads Python texts that define the evolved functions with the same arguments.
// If one function evolves and the text has a single function with these
// arguments under another name, it is renamed, since models like to number
// their versions.
ReplyReader python_skeleton_reader(std::shared_ptr<const ProgramRunner> runner);

}  // namespace lamarck::problems
