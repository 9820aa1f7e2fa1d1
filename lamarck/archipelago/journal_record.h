// The lines of a journal. Each is a JSON object that records one event of a
// run.

#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "lamarck/archipelago/evolver_state.h"
#include "lamarck/archipelago/function.h"
#include "lamarck/archipelago/skeleton.h"
#include "lamarck/base/json.h"
#include "lamarck/base/result.h"

namespace lamarck::archipelago {

// Format 1 is the same without hashes.
inline constexpr int kJournalFormat = 2;

// Builds a skeleton from the source and constants in a journal.
using SkeletonReader = std::function<Result<SkeletonPtr>(
    const std::string& source, const std::vector<double>& constants)>;

// A skeleton as a journal records it, for reading only: it cannot be called.
class RecordedSkeleton : public Skeleton {
 public:
  RecordedSkeleton(std::string source, std::vector<double> constants,
                   std::size_t size, std::uint64_t hash);

  const std::string& source() const override { return source_; }
  std::size_t size() const override { return size_; }
  std::uint64_t hash() const override { return hash_; }
  std::span<const double> constants() const override { return constants_; }
  Result<std::vector<double>> call(
      std::span<const std::vector<double>> arguments) const override;

 private:
  std::string source_;
  std::vector<double> constants_;
  std::size_t size_;
  std::uint64_t hash_;
};

// "run", the first line: the settings that must be the same on resuming.
struct RunRecord {
  std::string engine;
  std::string fingerprint;
  EvolverOptions options;  // Those in evolver_options_json.h.
};

// "first": a function that the islands start with, or that failed.
struct FirstRecord {
  FunctionPtr fn;
};

// "function": a function that an engine made.
struct FunctionRecord {
  std::uint64_t cycle = 0;
  std::size_t island = 0;
  FunctionPtr fn;
  EvaluationSource evaluation_source = EvaluationSource::Fresh;
  bool is_rejected = false;
  Gain gain;
  double seconds = 0;  // Not the same in every run.
};

// "error": a mutation that returned no function.
struct ErrorRecord {
  std::uint64_t cycle = 0;
  std::size_t island = 0;
  std::string code;
  std::string message;
  // How it was tried. Recorded if a model was asked; else only its cost is.
  Origin origin;
  double seconds = 0;  // Not the same in every run.
};

// "cycle": all islands have finished the cycle.
struct CycleRecord {
  std::uint64_t cycle = 0;
  std::int64_t evaluations = 0;  // Since the start of the run.
  std::uint64_t best = 0;        // The id of the best function.

  friend bool operator==(const CycleRecord&, const CycleRecord&) = default;
};

// "reset": comes after the line of its cycle.
struct ResetRecord {
  std::uint64_t cycle = 0;
  Reset reset;
};

Json to_json(const RunRecord& record);
Json to_json(const FirstRecord& record);
Json to_json(const FunctionRecord& record);
Json to_json(const ErrorRecord& record);
Json to_json(const CycleRecord& record);
Json to_json(const ResetRecord& record);

// How to read functions. Without a reader all skeletons are RecordedSkeletons.
// With a reader, stored functions are read with it and must have the recorded
// size and hash.
struct FunctionReading {
  SkeletonReader reader;
  std::shared_ptr<const Evaluator> evaluator;  // May be null.
};

// The cost that the line of a function or an error records.
Result<MutationCost> cost_record_from(const Json& json);
Result<RunRecord> run_record_from(const Json& json);
Result<FirstRecord> first_record_from(const Json& json,
                                      const FunctionReading& reading);
Result<FunctionRecord> function_record_from(const Json& json,
                                            const FunctionReading& reading);
Result<ErrorRecord> error_record_from(const Json& json);
Result<CycleRecord> cycle_record_from(const Json& json);
Result<ResetRecord> reset_record_from(const Json& json);

}  // namespace lamarck::archipelago
