#include "lamarck/neat/neat_innovation.h"

#include <string>

#include "lamarck/base/error.h"

namespace lamarck::neat {

Innovation InnovationTracker::connection(NeatNodeId from, NeatNodeId to) {
  // Both ids fit into one 64-bit key.
  const std::uint64_t key = (std::uint64_t{from} << 32) | to;
  const auto next = static_cast<Innovation>(connections_.size());
  const auto [found, is_new] = connections_.try_emplace(key, next);
  if (is_new) splits_.emplace_back();
  return found->second;
}

NeatNodeId InnovationTracker::split(Innovation innovation,
                                    std::size_t repetition) {
  if (innovation >= splits_.size()) {
    throw_invalid_innovation("InnovationTracker::split", innovation);
  }
  auto& nodes = splits_[innovation];
  while (nodes.size() <= repetition) nodes.push_back(next_node_++);
  return nodes[repetition];
}

void throw_invalid_innovation(const char* where, Innovation innovation) {
  throw LogicError(Error(ErrorCode::NotFound,
                         std::string(where) +
                             ": there is no connection with innovation " +
                             std::to_string(innovation) + ".",
                         {{"kind", "invalid_innovation"},
                          {"innovation", std::to_string(innovation)}}));
}

}  // namespace lamarck::neat
