// Which structural novelty has which number, for one whole run.
//
// The same connection has the same innovation in every genome, and the same
// split gives the same node, so that genomes can be aligned gene by gene.

#pragma once

#include <cstdint>
#include <unordered_map>
#include <vector>

namespace lamarck::neat {

using NeatNodeId = std::uint32_t;
using Innovation = std::uint32_t;

class InnovationTracker {
 public:
  // The nodes below `first_node` are there from the beginning.
  explicit InnovationTracker(NeatNodeId first_node) : next_node_(first_node) {}

  // The number of the connection, a new one if it never was.
  Innovation connection(NeatNodeId from, NeatNodeId to);
  // The node that splits this connection for the `repetition`-th time in one
  // genome. Throws LogicError of kind invalid_innovation if none has that
  // number.
  NeatNodeId split(Innovation innovation, std::size_t repetition = 0);

  std::size_t connection_count() const { return connections_.size(); }
  NeatNodeId node_count() const { return next_node_; }

 private:
  std::unordered_map<std::uint64_t, Innovation> connections_;
  std::vector<std::vector<NeatNodeId>> splits_;  // By innovation.
  NeatNodeId next_node_;
};

// Throws LogicError of kind invalid_innovation.
[[noreturn]] void throw_invalid_innovation(const char* where,
                                           Innovation innovation);

}  // namespace lamarck::neat
