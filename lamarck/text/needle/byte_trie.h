// A set of texts that is walked byte by byte.

#pragma once

#include <cstdint>
#include <string_view>
#include <utility>
#include <vector>

namespace lamarck::text {

class ByteTrie {
 public:
  static constexpr std::int32_t kNone = -1;

  ByteTrie() : nodes_(1) {}

  // `value` (not kNone) is that of the text's last node.
  void insert(std::string_view text, std::int32_t value);
  // Nodes keep their numbers. Does nothing if the text is not in the set.
  void remove(std::string_view text);

  // Nodes are numbered from 0, the root. kNone if no text continues so.
  std::int32_t child(std::int32_t node, char byte) const;
  // kNone if no text ends here.
  std::int32_t value(std::int32_t node) const {
    return nodes_[static_cast<std::size_t>(node)].value;
  }
  bool is_empty() const { return nodes_[0].texts == 0; }

 private:
  struct Node {
    std::vector<std::pair<char, std::int32_t>> children;
    std::int32_t value = kNone;
    std::int32_t texts = 0;  // That go through it.
  };
  std::int32_t find_child(std::int32_t node, char byte) const;
  Node& node(std::int32_t index) {
    return nodes_[static_cast<std::size_t>(index)];
  }
  // The node at the end of a text; kNone if it is not in the set.
  std::int32_t find(std::string_view text) const;

  std::vector<Node> nodes_;
};

}  // namespace lamarck::text
