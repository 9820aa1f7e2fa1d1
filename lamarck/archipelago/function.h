// One function of the archipelago: a skeleton, its origin and, once evaluated,
// its scores.

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

// The rounded scores per input, as text. Functions with equal signatures count
// as behaving alike.
using Signature = std::string;
using FunctionScore = double;  // The mean over the inputs.

inline constexpr int kSignatureDigits = 6;  // Significant digits.
// REQUIRES: digits > 0.
Signature make_signature(std::span<const double> scores,
                         int digits = kSignatureDigits);

struct EvaluationStarted {
  static constexpr std::string_view type = "on_evaluate";
  std::size_t payload;  // The number of inputs.
};
struct EvaluationEnded {
  static constexpr std::string_view type = "on_evaluated";
  std::pair<std::size_t, Evaluation> payload;  // The number of inputs first.
};
using FunctionEvent = std::variant<EvaluationStarted, EvaluationEnded>;

// What it cost to make a function.
struct MutationCost {
  std::int64_t evaluations = 0;  // Evaluations within the engine.
  std::int64_t tokens_in = 0;
  std::int64_t tokens_out = 0;
  std::int64_t money_micros = 0;
};

// Where a function came from.
struct Origin {
  std::string engine;  // "seed", "llm", "gp", "tree", "reset" ...
  std::string move;    // What the engine did: "crossover"; may be empty.
  std::vector<std::uint64_t> parents;  // Ids of functions.
  // The conversation with a model; empty for other engines.
  std::string system = {};  // The system message.
  std::string prompt = {};
  std::string draft = {};       // A reply that could not be used, if any.
  std::string correction = {};  // The error message that was sent back.
  std::string reply = {};       // The last reply.
  MutationCost cost;
};

// After construction, only its id, its origin and its one evaluation are set.
// Thread safety: const members may be called from any thread once the function
// is evaluated.
class Function : public std::enable_shared_from_this<Function> {
 public:
  Function(std::uint64_t id, SkeletonPtr skeleton,
           std::shared_ptr<const Evaluator> evaluator, Origin origin);

  std::uint64_t id() const { return id_; }  // 0 until an evolver assigns one.
  void set_id(std::uint64_t id) { id_ = id; }
  const Origin& origin() const { return origin_; }
  // Sets the engine and the parents if the engine left them empty.
  void complete_origin(std::string_view engine,
                       std::vector<std::uint64_t> parents);
  const SkeletonPtr& skeleton() const { return skeleton_; }

  // If the evaluator throws, or returns scores that are not finite or not one
  // per input, the evaluation fails. REQUIRES: not evaluated yet.
  const Evaluation& evaluate(const CancelToken& cancel = {});
  // Sets an evaluation that is already known, as a replay does.
  // REQUIRES: not evaluated yet.
  void accept(Evaluation evaluation);
  bool is_evaluated() const { return evaluation_.has_value(); }

  // REQUIRES for all three: evaluated.
  const Evaluation& evaluation() const;
  const Signature& signature() const;  // Empty if the evaluation failed.
  FunctionScore score() const;         // -infinity if the evaluation failed.

  // Returns a copy with the same origin and profilers. Without a new skeleton
  // it also has the same id and evaluation; with one it is not evaluated.
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

// The constants of the evaluation, or those of the skeleton if the function is
// not evaluated or its evaluation has none.
std::vector<double> constants_of(const Function& function);

}  // namespace lamarck::archipelago
