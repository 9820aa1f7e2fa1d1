// The search of one island: a population of models, and an archive with the
// best model of every size found so far.

#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "lamarck/base/cancel_token.h"
#include "lamarck/base/json.h"
#include "lamarck/base/result.h"
#include "lamarck/base/rng.h"
#include "lamarck/crew/byte_stream.h"
#include "lamarck/gp/gp_fit.h"
#include "lamarck/gp/gp_library.h"
#include "lamarck/gp/gp_options.h"

namespace lamarck::gp {

// A model that no smaller model beats.
struct GpFind {
  GpModel native;            // The model of z, in the link of the search.
  GpModel plain;             // The model of y, fitted to the middle rows.
  std::uint64_t tag = 0;     // Unique among the finds of an engine.
  std::uint64_t parent = 0;  // The tag of the find it descends from.
  std::string move;          // The name of the move that made it.
};

Json gp_find_to_json(const GpFind& find);
Result<GpFind> gp_find_from_json(const Json& json, std::size_t inputs);

// Pareto front of size and error: errors fall as sizes grow.
class GpArchive {
 public:
  // Returns whether the find was inserted. Removes finds that it beats.
  bool insert(GpFind find);
  // Whether a model of this size and error would be inserted.
  bool wants(std::size_t size, double nmse) const;
  const std::map<std::size_t, GpFind>& finds() const { return finds_; }
  Json state() const;
  Result<void> restore(const Json& state, std::size_t inputs);
  // The same for messages; makes `in` fail if the bytes are damaged.
  void write(crew::ByteWriter& out) const;
  void read(crew::ByteReader& in, std::size_t inputs);
  double min_error() const;  // Infinite while empty.

 private:
  std::map<std::size_t, GpFind> finds_;
};

// Owned by one thread at a time.
class GpSearch {
 public:
  // `data` may have a link, `plain` has none. All references must outlive the
  // search. Finds get tags from `first_tag` on.
  GpSearch(const GpData& data, const GpData& plain, const GpLibrary& library,
           const GpOptions& options, std::uint64_t first_tag = 1);

  // Runs `trials` trials, or fewer if cancelled.
  void run(std::size_t trials, Rng& rng, const CancelToken& cancel);
  std::uint64_t next_tag() const { return next_tag_; }
  // Adds a model of y from another source: to the population if the search has
  // no link, and to the archive if no smaller model beats it.
  void inject(const GpModel& plain);
  // Trials since the smallest error last fell by at least a tenth.
  std::uint64_t stalled() const { return trials_ - last_progress_; }

  const GpArchive& archive() const { return archive_; }
  // Returns the finds that entered the archive since the last call, best first.
  std::vector<GpFind> take_news();
  std::uint64_t trials() const { return trials_; }
  const GpData& data() const { return *data_; }

  const GpOptions& options() const { return options_; }

  // For checkpoints.
  Json state() const;
  Result<void> restore(const Json& state);
  // The same for messages; makes `in` fail if the bytes are damaged.
  void write(crew::ByteWriter& out) const;
  void read(crew::ByteReader& in);

 private:
  struct Member {
    GpModel model;
    double score = 0;
  };

  GpModel first_model(Rng& rng);
  const GpModel& choose_parent(Rng& rng) const;
  std::size_t tournament(Rng& rng, bool wants_worst) const;
  double score(const GpModel& model) const;
  void consider(GpModel child, std::string_view move, Rng& rng);
  bool is_bounded(const GpModel& model, const GpData& data);
  // If the model is nearly exact, fits a copy to the inner rows only and raises
  // `model.nmse` to its error on the outer rows, if that is larger.
  void penalize_poor_extrapolation(GpModel& model, const GpData& data);
  void insert(GpModel child, double score, Rng& rng);
  void offer(GpModel& model, std::string_view move);
  // Converts a model of z in the inputs of the view to a model of y in those of
  // the problem.
  GpModel plain_form(const GpModel& native, bool snaps);
  bool admit(GpModel plain, const GpModel& native, std::string_view move);

  const GpData* data_;
  const GpData* plain_;
  const GpLibrary* library_;
  GpOptions options_;
  GpFitter fitter_;
  std::vector<Member> population_;
  GpArchive archive_;
  GpArchive natives_;  // By native size: models that were already offered.
  std::vector<GpFind> news_;
  std::uint64_t trials_ = 0;
  std::uint64_t last_progress_ = 0;
  std::uint64_t next_tag_ = 1;
  std::vector<double> probe_values_;
};

}  // namespace lamarck::gp
