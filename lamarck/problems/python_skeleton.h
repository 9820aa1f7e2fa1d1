// A skeleton that is Python: only ever run in a sandbox.

#pragma once

#include <functional>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "lamarck/archipelago/skeleton.h"
#include "lamarck/problems/program_runner.h"

namespace lamarck::problems {

// Makes a skeleton of a text, such as a model's; the error says what is wrong
// with it.
using ReplyReader =
    std::function<Result<archipelago::SkeletonPtr>(const std::string& source)>;

class PythonSkeleton : public archipelago::Skeleton {
 public:
  // `source` is the evolved part of the runner's program, believed as it is.
  PythonSkeleton(std::shared_ptr<const ProgramRunner> runner,
                 std::string source);

  const std::string& source() const override { return source_; }
  std::size_t size() const override { return source_.size(); }
  // Names of locals count.
  std::uint64_t hash() const override { return hash_; }
  // A run of the sandbox, however many values there are.
  Result<std::vector<double>> call(
      std::span<const std::vector<double>> arguments) const override;

 private:
  std::shared_ptr<const ProgramRunner> runner_;
  std::string source_;
  std::uint64_t hash_ = 0;
};

// Reads texts that are Python and define the evolved function with the same
// arguments. A text with a single function of the same arguments under another
// name is renamed, for models like to number their versions.
ReplyReader python_skeleton_reader(std::shared_ptr<const ProgramRunner> runner);

}  // namespace lamarck::problems
