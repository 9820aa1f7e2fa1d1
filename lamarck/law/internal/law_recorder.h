// What a law search remembers of the functions it has seen.

#pragma once

#include <cstdint>
#include <map>
#include <vector>

#include "lamarck/archipelago/function.h"
#include "lamarck/law/law_extrapolation.h"
#include "lamarck/law/law_search.h"

namespace lamarck::law {

// Receives every stored function, in an order that does not depend on threads,
// and keeps the front and the ancestors.
class LawRecorder {
 public:
  // Without a problem, extrapolation is not tested. The problem must outlive
  // the recorder.
  explicit LawRecorder(const gp::RegressionProblem* problem);

  void add(const archipelago::FunctionPtr& fn);

  const LawFront& front() const { return front_; }
  bool has_exact() const;
  // Whether a smaller exact law was found since the last call.
  bool take_shrunk();

  // The law with this id and its ancestors, oldest first.
  std::vector<LawAncestor> lineage(std::uint64_t id) const;

 private:
  std::size_t exact_size() const;

  const gp::RegressionProblem* problem_;
  std::vector<ExtrapolationFold> folds_;
  LawFront front_;
  std::map<std::uint64_t, archipelago::FunctionPtr> known_;
  bool has_shrunk_ = false;
};

// Ends the run some time after an exact law was found. The same number of
// evaluations again is a fair chance to find a shorter one.
class StopRule {
 public:
  bool is_over(LawRecorder& recorder, std::int64_t evaluations);

 private:
  std::int64_t end_ = 0;
};

}  // namespace lamarck::law
