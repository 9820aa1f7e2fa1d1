// A skeleton that has only a source text, for the tests of this folder.

#pragma once

#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "lamarck/archipelago/function.h"
#include "lamarck/base/hash.h"

namespace lamarck::archipelago {

class SourceSkeleton : public Skeleton {
 public:
  explicit SourceSkeleton(std::string source) : source_(std::move(source)) {}

  const std::string& source() const override { return source_; }
  std::size_t size() const override { return source_.size(); }
  std::uint64_t hash() const override { return stable_hash(source_); }
  Result<std::vector<double>> call(
      std::span<const std::vector<double>> /*arguments*/) const override {
    return Error(ErrorCode::Unsupported,
                 "SourceSkeleton has only a text and cannot be called.");
  }

 private:
  std::string source_;
};

inline FunctionPtr scored_function(std::string source, double score,
                                   std::vector<double> constants) {
  auto fn = std::make_shared<Function>(
      0, std::make_shared<SourceSkeleton>(std::move(source)), nullptr,
      Origin{.engine = "seed"});
  fn->accept(
      {.scores = {score}, .failure = {}, .constants = std::move(constants)});
  return fn;
}

}  // namespace lamarck::archipelago
