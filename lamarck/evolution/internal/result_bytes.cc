#include "lamarck/evolution/internal/result_bytes.h"

#include <array>

#include "lamarck/base/macros.h"
#include "lamarck/evolution/internal/network_bytes.h"
#include "lamarck/evolution/network_graph.h"

namespace lamarck::evolution {
namespace {

using crew::ByteReader;
using crew::ByteWriter;

constexpr std::array kResultCounts = {
    &EvolutionCounts::generations,    &EvolutionCounts::evaluations,
    &EvolutionCounts::gradient_steps, &EvolutionCounts::dropped,
    &EvolutionCounts::stopped_early,  &EvolutionCounts::repeated,
    &EvolutionCounts::infeasible,     &EvolutionCounts::restarts};

void add_record(ByteWriter& out, const GrowthRecord& record) {
  out.add_integer(record.generation);
  out.add_integer(record.evaluations);
  out.add_number(record.seconds);
  out.add_text(record.mutation);
  out.add_number(record.loss);
  out.add_number(record.score);
  out.add_count(record.hidden_nodes);
  out.add_count(record.edges);
  out.add_count(record.recurrent_edges);
}

GrowthRecord read_record(ByteReader& in) {
  return {.generation = in.integer(),
          .evaluations = in.integer(),
          .seconds = in.number(),
          .mutation = in.text(),
          .loss = in.number(),
          .score = in.number(),
          .hidden_nodes = static_cast<std::size_t>(in.count()),
          .edges = static_cast<std::size_t>(in.count()),
          .recurrent_edges = static_cast<std::size_t>(in.count())};
}

}  // namespace

std::string encode_result(const MultiEvolutionResult& result) {
  ByteWriter out;
  add_candidate(out, {.networks = result.networks,
                      .loss = result.loss,
                      .score = result.score,
                      .reaches_target = result.target_reached});
  out.add_flag(result.cancelled);
  out.add_text(result.reason);
  out.add_number(result.seconds);
  for (const auto count : kResultCounts) {
    out.add_integer(result.counts.*count);
  }
  out.add_count(result.history.size());
  for (const GrowthRecord& record : result.history) add_record(out, record);
  return out.take();
}

Result<MultiEvolutionResult> decode_result(std::string_view bytes) {
  ByteReader in(bytes);
  Candidate best = read_candidate(in);
  MultiEvolutionResult result{.score = best.score,
                              .loss = best.loss,
                              .target_reached = best.reaches_target};
  result.networks = std::move(best.networks);
  result.cancelled = in.flag();
  result.reason = in.text();
  result.seconds = in.number();
  for (const auto count : kResultCounts) result.counts.*count = in.integer();
  const std::size_t records = in.length();
  for (std::size_t i = 0; i < records && in.is_good(); ++i) {
    result.history.push_back(read_record(in));
  }
  RETURN_IF_ERROR(in.check("The result of the evolution"));
  for (const Network& network : result.networks) {
    result.graphs.push_back(to_graph(network));
  }
  return result;
}

}  // namespace lamarck::evolution
