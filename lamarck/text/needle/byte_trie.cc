#include "lamarck/text/needle/byte_trie.h"

namespace lamarck::text {

std::int32_t ByteTrie::find_child(std::int32_t node, char byte) const {
  for (const auto& [key, next] :
       nodes_[static_cast<std::size_t>(node)].children) {
    if (key == byte) return next;
  }
  return kNone;
}

std::int32_t ByteTrie::find(std::string_view text) const {
  std::int32_t at = 0;
  for (const char byte : text) {
    at = child(at, byte);
    if (at == kNone) return kNone;
  }
  return value(at) == kNone ? kNone : at;
}

void ByteTrie::insert(std::string_view text, std::int32_t value) {
  const std::int32_t known = find(text);
  if (known != kNone) {
    node(known).value = value;
    return;
  }
  std::int32_t at = 0;
  ++node(at).texts;
  for (const char byte : text) {
    std::int32_t next = find_child(at, byte);
    if (next == kNone) {
      next = static_cast<std::int32_t>(nodes_.size());
      node(at).children.emplace_back(byte, next);
      nodes_.emplace_back();
    }
    at = next;
    ++node(at).texts;
  }
  node(at).value = value;
}

void ByteTrie::remove(std::string_view text) {
  if (find(text) == kNone) return;
  std::int32_t at = 0;
  --node(at).texts;
  for (const char byte : text) {
    at = find_child(at, byte);
    --node(at).texts;
  }
  node(at).value = kNone;
}

std::int32_t ByteTrie::child(std::int32_t node, char byte) const {
  const std::int32_t next = find_child(node, byte);
  if (next == kNone || nodes_[static_cast<std::size_t>(next)].texts == 0) {
    return kNone;
  }
  return next;
}

}  // namespace lamarck::text
