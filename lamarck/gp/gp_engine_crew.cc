// The members of GpEngine that share out bursts by a crew.

#include <cstdint>
#include <utility>
#include <nlohmann/json.hpp>

#include "lamarck/base/error.h"
#include "lamarck/base/macros.h"
#include "lamarck/crew/byte_stream.h"
#include "lamarck/gp/gp_bytes.h"
#include "lamarck/gp/gp_engine.h"

namespace lamarck::gp {
namespace {

using archipelago::FunctionPtr;
using archipelago::MutationContext;
using crew::ByteReader;
using crew::ByteWriter;

// CBOR is shorter than text, and keeps all numbers as they are.
std::string to_bytes(const Json& json) {
  const std::vector<std::uint8_t> bytes = Json::to_cbor(json);
  return {bytes.begin(), bytes.end()};
}

Result<Json> from_bytes(std::string_view bytes) {
  Json json = Json::from_cbor(bytes, true, false);
  if (!json.is_discarded()) return json;
  return Error(ErrorCode::DataDamaged,
               "The state of the genetic engine is damaged.");
}

// Bytes that several pieces share.
class SharedBytes {
 public:
  explicit SharedBytes(std::function<std::string()> make)
      : make_(std::move(make)) {}
  const std::string& get() {
    if (!bytes_) bytes_ = make_();
    return *bytes_;
  }

 private:
  std::function<std::string()> make_;
  std::optional<std::string> bytes_;
};

}  // namespace

Result<void> GpEngine::prepare(
    crew::Crew& crew, const std::vector<std::vector<FunctionPtr>>& parents,
    const std::vector<MutationContext>& contexts) {
  if (!change_) change_ = SceneChange{};
  for (std::size_t i = 0; i < contexts.size(); ++i) {
    begin_burst(islands_.at(i), parents[i]);
  }
  SharedBytes scenes([&] { return to_bytes(scenes_state()); });
  SharedBytes change([&] {
    ByteWriter out;
    out.add_count(change_->parts.size());
    for (const GpTree& tree : change_->parts) add_tree(out, tree);
    out.add_text(change_->rng);
    out.add_flag(change_->has_new_views);
    return out.take();
  });
  const auto input = [&](std::size_t index, bool is_home) {
    const IslandSearch& island = islands_[index];
    const bool has_search = !is_home || island.is_changed;
    ByteWriter out;
    out.add_count(contexts[index].cycle);
    out.add_text(contexts[index].rng.to_string());
    out.add_count(burst_of(island));
    out.add_flag(!is_home);
    out.add_text(is_home ? change.get() : scenes.get());
    out.add_flag(has_search);
    if (!has_search) return out.take();
    out.add_count(island.scene);
    out.add_count(island.data);
    out.add_count(island.search->options().max_nodes);
    island.search->write(out);
    return out.take();
  };
  // The searches of the leader's own pieces are in place.
  const crew::Work work = [&](std::size_t index, std::string_view) {
    Rng rng = contexts[index].rng;
    islands_[index].search->run(burst_of(islands_[index]), rng,
                                crew.abandonment());
    return std::string();
  };
  ASSIGN_OR_RETURN(const std::vector<std::string> results,
                   crew.map({.count = contexts.size(),
                             .input = input,
                             .keeps_homes = true,
                             .work = work,
                             .should_stop = [&] {
                               return contexts.front().cancel.is_cancelled();
                             }}));
  for (std::size_t i = 0; i < results.size(); ++i) {
    if (!results[i].empty()) {
      ByteReader in(results[i]);
      islands_[i].search->read(in);
      RETURN_IF_ERROR(in.check("A search"));
    }
    islands_[i].is_searched = true;
    islands_[i].is_changed = false;
  }
  return {};
}

Result<void> GpEngine::serve(crew::Crew& crew) {
  const crew::Work work = [&](std::size_t index, std::string_view input) {
    return search_piece(index, input, crew.abandonment());
  };
  RETURN_IF_ERROR(crew.serve(work));
  return {};
}

std::string GpEngine::search_piece(std::size_t index, std::string_view input,
                                   const CancelToken& cancel) {
  ByteReader in(input);
  const std::uint64_t cycle = in.count();
  auto rng = Rng::from_string(in.text());
  const auto trials = static_cast<std::size_t>(in.count());
  const bool is_whole = in.flag();
  const std::string_view scenes = in.view();
  Result<void> good;
  if (!rng) good = rng.error();
  if (good) good = see_cycle(cycle, is_whole, scenes);
  if (good && in.flag()) read_search(in, islands_.at(index));
  if (good) good = in.check("A search");
  if (!good) throw LogicError(good.error());
  GpSearch& own = *islands_.at(index).search;
  own.run(trials, *rng, cancel);
  ByteWriter out;
  own.write(out);
  static_cast<void>(own.take_news());  // As the leader does.
  return out.take();
}

void GpEngine::read_search(ByteReader& in, IslandSearch& island) {
  const std::uint64_t scene = in.count();
  if (scene >= scenes_.size()) in.fail();
  const std::uint64_t data = in.count();
  if (!in.is_good() || data >= scenes_[scene]->data_count()) return in.fail();
  island.scene = scene;
  island.data = data;
  make_search(island, static_cast<std::size_t>(in.count()), 1);
  island.search->read(in);
}

// The first piece of a cycle changes the scenes; no search runs meanwhile.
Result<void> GpEngine::see_cycle(std::uint64_t cycle, bool is_whole,
                                 std::string_view scenes) {
  const std::lock_guard lock(mutex_);
  if (seen_cycle_ == cycle) return {};
  if (is_whole) {
    ASSIGN_OR_RETURN(const Json state, from_bytes(scenes));
    RETURN_IF_ERROR(restore_scenes(state));
  } else {
    RETURN_IF_ERROR(change_scenes(scenes));
  }
  seen_cycle_ = cycle;
  return {};
}

Result<void> GpEngine::change_scenes(std::string_view bytes) {
  ByteReader in(bytes);
  std::vector<GpTree> parts(in.length());
  for (GpTree& tree : parts) tree = read_tree(in, problem_->inputs.size());
  const std::string text = in.text();
  const bool has_new_views = in.flag();
  RETURN_IF_ERROR(in.check("A stock of expressions"));
  ASSIGN_OR_RETURN(Rng rng, Rng::from_string(text));
  refresh_scenes(parts, rng);
  if (has_new_views) add_views({});
  return {};
}

}  // namespace lamarck::gp
