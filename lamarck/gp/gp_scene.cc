#include "lamarck/gp/gp_scene.h"

#include <numeric>
#include <utility>
#include <nlohmann/json.hpp>

#include "lamarck/base/macros.h"
#include "lamarck/gp/gp_json.h"

namespace lamarck::gp {
namespace {

Json trees_json(const GpLibrary& library) {
  Json trees = Json::array();
  for (const GpTree& tree : library.trees()) {
    trees.push_back(gp_tree_to_json(tree));
  }
  return trees;
}

Result<void> restore_library(const Json& state, const char* name,
                             std::size_t inputs, GpLibrary& library) {
  ASSIGN_OR_RETURN(const Json items, json_field<Json>(state, name));
  std::vector<GpTree> trees;
  for (const Json& item : items) {
    ASSIGN_OR_RETURN(GpTree tree, gp_tree_from_json(item, inputs));
    trees.push_back(std::move(tree));
  }
  library.restore(std::move(trees));
  return {};
}

}  // namespace

// All links see the same rows, since the library has values for these rows.
GpScene::GpScene(const RegressionProblem& problem, const GpOptions& options,
                 const Rng& rng, const CancelToken& cancel) {
  for (const GpLink link : kGpLinks) {
    if (!GpData::is_possible(problem, link)) continue;
    datas_.push_back(std::make_unique<GpData>(
        problem, link, GpDataOptions{}, rng.split("rows"),
        datas_.empty() ? nullptr : datas_[0].get()));
  }
  make_libraries(options, rng, cancel);
}

GpScene::GpScene(ViewedProblem viewed, const GpOptions& options, const Rng& rng,
                 const CancelToken& cancel)
    : viewed_(std::move(viewed)) {
  for (const GpLink link : kGpLinks) {
    if (!GpData::is_possible(viewed_->problem, link)) continue;
    datas_.push_back(std::make_unique<GpData>(
        *viewed_, link, GpDataOptions{}, rng.split("rows"),
        datas_.empty() ? nullptr : datas_[0].get()));
  }
  make_libraries(options, rng, cancel);
}

void GpScene::make_libraries(const GpOptions& options, const Rng& rng,
                             const CancelToken& cancel) {
  std::vector<std::size_t> inputs(datas_[0]->input_count());
  std::iota(inputs.begin(), inputs.end(), std::size_t{0});
  library_ = std::make_unique<GpLibrary>(*datas_[0], options, inputs,
                                         rng.split("library"), false, cancel);
  factors_ = std::make_unique<GpLibrary>(*datas_[0], options, inputs,
                                         rng.split("factors"), true, cancel);
}

const GpLibrary& GpScene::library(std::size_t place) const {
  return datas_[place]->link() == GpLink::Log ? *factors_ : *library_;
}

void GpScene::refresh(const std::vector<GpTree>& found, std::size_t count,
                      Rng& rng) {
  library_->refresh(found, count, rng);
  factors_->refresh(found, count, rng);
}

Json GpScene::state() const {
  return {{"library", trees_json(*library_)},
          {"factors", trees_json(*factors_)}};
}

Result<void> GpScene::restore(const Json& state) {
  const std::size_t inputs = datas_[0]->input_count();
  RETURN_IF_ERROR(restore_library(state, "library", inputs, *library_));
  return restore_library(state, "factors", inputs, *factors_);
}

}  // namespace lamarck::gp
