// Scores the programs in examples/programs in a sandbox, and two variants that
// a mutation could produce.

#include <cstdio>

#include "lamarck/problems/program_evaluator.h"
#include "lamarck/problems/python_skeleton.h"

using namespace lamarck;
using namespace lamarck::archipelago;
using namespace lamarck::problems;

namespace {

void print(const char* name, const Evaluation& evaluation) {
  std::printf("%s:", name);
  if (evaluation.failure) std::printf(" %s", evaluation.failure->c_str());
  for (const double score : evaluation.scores) std::printf(" %.3g", score);
  std::printf("\n");
}

Result<void> score_packing() {
  LAMARCK_ASSIGN_OR_RETURN(
      ProgramFolder folder,
      read_program_folder("examples/programs/bin_packing"));
  LAMARCK_ASSIGN_OR_RETURN(const auto runner,
                           open_program_runner(std::move(folder)));
  LAMARCK_ASSIGN_OR_RETURN(const auto evaluator,
                           ProgramEvaluator::open(runner));
  print("best fit", evaluator->first());
  return {};
}

Result<void> score_cap_sets() {
  LAMARCK_ASSIGN_OR_RETURN(ProgramFolder folder,
                           read_program_folder("examples/programs/cap_set"));
  LAMARCK_ASSIGN_OR_RETURN(const auto runner,
                           open_program_runner(std::move(folder)));
  LAMARCK_ASSIGN_OR_RETURN(const auto evaluator,
                           ProgramEvaluator::open(runner));
  print("given program", evaluator->first());

  const auto read = python_skeleton_reader(runner);
  LAMARCK_ASSIGN_OR_RETURN(const SkeletonPtr balanced,
                           read("def priority(vector, n):\n"
                                "    ones = vector.count(1)\n"
                                "    return -abs(ones - n * 2 / 3)\n"));
  print("balanced ones", evaluator->evaluate(*balanced, {}));
  LAMARCK_ASSIGN_OR_RETURN(
      const SkeletonPtr broken,
      read("def priority(vector, n): return 1 / vector[0]\n"));
  print("division by zero", evaluator->evaluate(*broken, {}));
  return {};
}

}  // namespace

int main() {
  auto scored = score_packing();
  if (scored) scored = score_cap_sets();
  if (!scored) std::printf("%s\n", scored.error().message().c_str());
  // Not a failure: some machines lack the kernel features of the sandbox.
  return scored || scored.error().code() == ErrorCode::FailedPrecondition ? 0
                                                                          : 1;
}
