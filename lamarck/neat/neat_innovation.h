// Assigns innovation numbers to structural changes during a run.
//
// The same connection has the same innovation in every genome, and the same
// split gives the same node, so genomes can be aligned gene by gene.

#pragma once

#include <cstdint>
#include <unordered_map>
#include <vector>

namespace lamarck::neat {

using NeatNodeId = std::uint32_t;
using Innovation = std::uint32_t;

class InnovationTracker {
 public:
  // Nodes below `first_node` exist from the beginning.
  explicit InnovationTracker(NeatNodeId first_node) : next_node_(first_node) {}

  // Returns the innovation of the connection, a new one if it is unknown.
  Innovation connection(NeatNodeId from, NeatNodeId to);

  // Returns the node that splits this connection for the `repetition`-th time
  // in one genome. Throws a LogicError of kind invalid_innovation if no
  // connection has that innovation.
  NeatNodeId split(Innovation innovation, std::size_t repetition = 0);

  // Returns a node that no genome has.
  NeatNodeId new_node() { return next_node_++; }

  std::size_t connection_count() const { return connections_.size(); }
  NeatNodeId node_count() const { return next_node_; }

 private:
  std::unordered_map<std::uint64_t, Innovation> connections_;
  std::vector<std::vector<NeatNodeId>> splits_;  // By innovation.
  NeatNodeId next_node_;
};

// Throws a LogicError of kind invalid_innovation.
[[noreturn]] void throw_invalid_innovation(const char* where,
                                           Innovation innovation);

}  // namespace lamarck::neat
