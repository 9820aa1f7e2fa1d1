// One function of the archipelago: a skeleton, where it came from, and, once
// evaluated, what it is worth.

#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <variant>
#include <vector>

#include "lamarck/archipelago/evaluator.h"
#include "lamarck/archipelago/skeleton.h"
#include "lamarck/base/profiler.h"

namespace lamarck::archipelago {

// The scores per input, quantised, as text: functions that behave alike share
// one.
using Signature = std::string;
using FunctionScore = double;  // The mean over the inputs.

inline constexpr int kSignatureDigits = 6;  // Significant ones.
// REQUIRES: digits > 0.
Signature signature_of(std::span<const double> scores,
                       int digits = kSignatureDigits);

struct OnEvaluate {
  static constexpr std::string_view type = "on_evaluate";
  std::size_t payload;  // How many inputs it is evaluated on.
};
struct OnEvaluated {
  static constexpr std::string_view type = "on_evaluated";
  std::pair<std::size_t, Evaluation> payload;
};
using FunctionEvent = std::variant<OnEvaluate, OnEvaluated>;

// What making a function took.
struct MutationCost {
  std::int64_t evaluations = 0;  // Trials within the engine.
  std::int64_t tokens_in = 0;
  std::int64_t tokens_out = 0;
  std::int64_t money_micros = 0;
};

// Where a function came from.
struct Origin {
  std::string engine;  // "seed", "llm", "gp", "tree", "reset" ...
  std::string move;    // What the engine did: "crossover"; may be empty.
  std::vector<std::uint64_t> parents;  // Ids of functions.
  std::string prompt;  // Of a model, with its reply; else empty.
  std::string reply;
  MutationCost cost;
};

// A function is a value that never changes but by its one evaluation.
// Thread safety: const members from any thread once it is evaluated.
class Function : public std::enable_shared_from_this<Function> {
 public:
  Function(std::uint64_t id, SkeletonPtr skeleton,
           std::shared_ptr<const Evaluator> evaluator, Origin origin);

  std::uint64_t id() const { return id_; }  // 0 until an evolver gives one.
  void set_id(std::uint64_t id) { id_ = id; }
  const Origin& origin() const { return origin_; }
  // Names the engine and the parents where the maker left them out.
  void complete_origin(std::string_view engine,
                       std::vector<std::uint64_t> parents);
  const SkeletonPtr& skeleton() const { return skeleton_; }

  // Evaluates it. An evaluator that throws, or gives scores that are not finite
  // or too few, makes it a failed one. REQUIRES: not evaluated yet.
  const Evaluation& evaluate(const CancelToken& cancel = {});
  // Takes an evaluation that is known already, as a replay does.
  // REQUIRES: not evaluated yet.
  void accept(Evaluation evaluation);
  bool is_evaluated() const { return evaluation_.has_value(); }

  // REQUIRES: evaluated, all three.
  const Evaluation& evaluation() const;
  const Signature& signature() const;  // "" if it failed.
  FunctionScore score() const;         // -infinity if it failed.

  // A copy with the same score; with a new skeleton, one without. It has the
  // same origin and sends to the same profilers.
  std::shared_ptr<Function> clone(
      const SkeletonPtr& new_skeleton = nullptr) const;

  Remover use_profiler(Profiler<FunctionEvent>::Function function);

 private:
  std::uint64_t id_;
  SkeletonPtr skeleton_;
  std::shared_ptr<const Evaluator> evaluator_;
  Origin origin_;
  std::optional<Evaluation> evaluation_;
  Signature signature_;
  FunctionScore score_ = 0;
  Profiler<FunctionEvent> profiler_;
};

using FunctionPtr = std::shared_ptr<Function>;

// The constants of its evaluation, or its skeleton's if it is not evaluated or
// its evaluation has none.
std::vector<double> constants_of(const Function& function);

}  // namespace lamarck::archipelago
