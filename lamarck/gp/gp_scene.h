// What an island of the genetic engine searches: the rows as one view shows
// them, under each link that is possible, with libraries of expressions.

#pragma once

#include <cstddef>
#include <memory>
#include <optional>
#include <vector>

#include "lamarck/base/cancel_token.h"
#include "lamarck/base/json.h"
#include "lamarck/base/result.h"
#include "lamarck/base/rng.h"
#include "lamarck/gp/gp_data.h"
#include "lamarck/gp/gp_library.h"
#include "lamarck/gp/gp_options.h"
#include "lamarck/gp/gp_view.h"

namespace lamarck::gp {

class GpScene {
 public:
  // The problem as it is; it need not outlive the scene.
  GpScene(const RegressionProblem& problem, const GpOptions& options,
          const Rng& rng, const CancelToken& cancel);
  // REQUIRES: `viewed` is finite and has an input.
  GpScene(ViewedProblem viewed, const GpOptions& options, const Rng& rng,
          const CancelToken& cancel);

  // The first one has no link.
  std::size_t data_count() const { return datas_.size(); }
  const GpData& data(std::size_t place) const { return *datas_[place]; }
  const GpLibrary& library(std::size_t place) const;
  // Null for the problem as it is.
  const GpView* view() const { return viewed_ ? &viewed_->view : nullptr; }

  // Replaces `count` trees of the libraries, some by the given ones.
  void refresh(const std::vector<GpTree>& found, std::size_t count, Rng& rng);

  // For checkpoints: the trees of the libraries.
  Json state() const;
  Result<void> restore(const Json& state);

 private:
  void make_libraries(const GpOptions& options, const Rng& rng,
                      const CancelToken& cancel);

  std::optional<ViewedProblem> viewed_;
  std::vector<std::unique_ptr<GpData>> datas_;  // GpLink::Identity first.
  std::unique_ptr<GpLibrary> library_;
  std::unique_ptr<GpLibrary> factors_;  // For the link `log`.
};

}  // namespace lamarck::gp
