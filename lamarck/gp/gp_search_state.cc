// The checkpoints and messages of GpSearch and GpArchive.

#include <string>
#include <utility>
#include <nlohmann/json.hpp>

#include "lamarck/base/macros.h"
#include "lamarck/gp/gp_bytes.h"
#include "lamarck/gp/gp_json.h"
#include "lamarck/gp/gp_search.h"

namespace lamarck::gp {
namespace {

// A model without terms would crash moves that choose a random term.
Error without_terms() {
  return Error(ErrorCode::DataDamaged,
               "The state of the genetic engine is damaged: a model has no "
               "terms.");
}

}  // namespace

Json gp_find_to_json(const GpFind& find) {
  return {{"native", gp_model_to_json(find.native)},
          {"plain", gp_model_to_json(find.plain)},
          {"tag", find.tag},
          {"parent", find.parent},
          {"move", find.move}};
}

Result<GpFind> gp_find_from_json(const Json& json, std::size_t inputs) {
  GpFind find;
  ASSIGN_OR_RETURN(const Json native, json_field<Json>(json, "native"));
  ASSIGN_OR_RETURN(find.native, gp_model_from_json(native, inputs));
  ASSIGN_OR_RETURN(const Json plain, json_field<Json>(json, "plain"));
  ASSIGN_OR_RETURN(find.plain, gp_model_from_json(plain, inputs));
  ASSIGN_OR_RETURN(find.move, json_field<std::string>(json, "move"));
  ASSIGN_OR_RETURN(const std::int64_t tag,
                   json_field<std::int64_t>(json, "tag"));
  find.tag = static_cast<std::uint64_t>(tag);
  ASSIGN_OR_RETURN(const std::int64_t parent,
                   json_field<std::int64_t>(json, "parent"));
  find.parent = static_cast<std::uint64_t>(parent);
  return find;
}

Json GpArchive::state() const {
  Json finds = Json::array();
  for (const auto& [size, find] : finds_) {
    finds.push_back(gp_find_to_json(find));
  }
  return finds;
}

Result<void> GpArchive::restore(const Json& state, std::size_t inputs) {
  finds_.clear();
  for (const Json& item : state) {
    ASSIGN_OR_RETURN(GpFind find, gp_find_from_json(item, inputs));
    const std::size_t size = find.plain.size();
    finds_[size] = std::move(find);
  }
  return {};
}

Json GpSearch::state() const {
  Json members = Json::array();
  for (const Member& member : population_) {
    Json model = gp_model_to_json(member.model);
    model["score"] = member.score;
    members.push_back(std::move(model));
  }
  Json news = Json::array();
  for (const GpFind& find : news_) news.push_back(gp_find_to_json(find));
  return {{"population", std::move(members)},
          {"archive", archive_.state()},
          {"natives", natives_.state()},
          {"news", std::move(news)},
          {"trials", trials_},
          {"last_progress", last_progress_},
          {"next_tag", next_tag_}};
}

Result<void> GpSearch::restore(const Json& state) {
  const std::size_t inputs = plain_->input_count();
  ASSIGN_OR_RETURN(const Json members, json_field<Json>(state, "population"));
  population_.clear();
  for (const Json& item : members) {
    Member member;
    ASSIGN_OR_RETURN(member.model, gp_model_from_json(item, inputs));
    ASSIGN_OR_RETURN(member.score, json_field<double>(item, "score"));
    if (member.model.terms.empty()) return without_terms();
    population_.push_back(std::move(member));
  }
  ASSIGN_OR_RETURN(const Json archive, json_field<Json>(state, "archive"));
  RETURN_IF_ERROR(archive_.restore(archive, inputs));
  ASSIGN_OR_RETURN(const Json natives, json_field<Json>(state, "natives"));
  RETURN_IF_ERROR(natives_.restore(natives, inputs));
  for (const auto& [size, find] : natives_.finds()) {
    if (find.native.terms.empty()) return without_terms();
  }
  ASSIGN_OR_RETURN(const Json news, json_field<Json>(state, "news"));
  news_.clear();
  for (const Json& item : news) {
    ASSIGN_OR_RETURN(GpFind find, gp_find_from_json(item, inputs));
    news_.push_back(std::move(find));
  }
  ASSIGN_OR_RETURN(const std::int64_t trials,
                   json_field<std::int64_t>(state, "trials"));
  trials_ = static_cast<std::uint64_t>(trials);
  ASSIGN_OR_RETURN(const std::int64_t progress,
                   json_field<std::int64_t>(state, "last_progress"));
  last_progress_ = static_cast<std::uint64_t>(progress);
  ASSIGN_OR_RETURN(const std::int64_t tag,
                   json_field<std::int64_t>(state, "next_tag"));
  next_tag_ = static_cast<std::uint64_t>(tag);
  return {};
}

void GpArchive::write(crew::ByteWriter& out) const {
  out.add_count(finds_.size());
  for (const auto& [size, find] : finds_) add_find(out, find);
}

void GpArchive::read(crew::ByteReader& in, std::size_t inputs) {
  finds_.clear();
  const std::size_t count = in.length();
  for (std::size_t i = 0; i < count; ++i) {
    GpFind find = read_find(in, inputs);
    const std::size_t size = find.plain.size();
    finds_[size] = std::move(find);
  }
}

void GpSearch::write(crew::ByteWriter& out) const {
  out.add_count(population_.size());
  for (const Member& member : population_) {
    add_model(out, member.model);
    out.add_number(member.score);
  }
  archive_.write(out);
  natives_.write(out);
  out.add_count(news_.size());
  for (const GpFind& find : news_) add_find(out, find);
  out.add_count(trials_);
  out.add_count(last_progress_);
  out.add_count(next_tag_);
}

void GpSearch::read(crew::ByteReader& in) {
  const std::size_t inputs = plain_->input_count();
  population_.resize(in.length());
  for (Member& member : population_) {
    member.model = read_model(in, inputs);
    member.score = in.number();
  }
  archive_.read(in, inputs);
  natives_.read(in, inputs);
  news_.resize(in.length());
  for (GpFind& find : news_) find = read_find(in, inputs);
  trials_ = in.count();
  last_progress_ = in.count();
  next_tag_ = in.count();
}

}  // namespace lamarck::gp
