// The value of a name while a Python source is translated.

#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "lamarck/formula/expression.h"

namespace lamarck::formula {

enum class ValueKind : std::uint8_t {
  Number,    // One number per row: a node.
  Params,    // The vector of params, or a slice of it.
  Sequence,  // Several numbers, as in `return a, b`.
  Unset,     // Not usable; `reason` says why.
};

struct Value {
  ValueKind kind = ValueKind::Unset;
  NodeIndex node = 0;
  // An integer known while parsing, such as a loop index.
  bool is_integer = false;
  double integer = 0;
  std::uint32_t first = 0;             // The first param of the slice.
  std::optional<std::uint32_t> count;  // Unset: up to the last param.
  std::shared_ptr<const std::vector<Value>> parts;
  std::string reason;

  static Value number(NodeIndex node) {
    return {.kind = ValueKind::Number, .node = node};
  }
  static Value unset(std::string reason) {
    return {.kind = ValueKind::Unset, .reason = std::move(reason)};
  }
  static Value sequence(std::vector<Value> parts) {
    return {
        .kind = ValueKind::Sequence,
        .parts = std::make_shared<const std::vector<Value>>(std::move(parts))};
  }
};

// The variables of one function. Changes since a mark can be undone, so that
// both branches of an `if` start from the same values.
class Scope {
 public:
  using Changes = std::map<std::string, Value, std::less<>>;

  const Value* find(std::string_view name) const {
    const auto place = values_.find(name);
    return place == values_.end() ? nullptr : &place->second;
  }
  void assign(const std::string& name, Value value);

  std::size_t mark() const { return journal_.size(); }
  // Undoes and returns the changes since `mark`.
  Changes take_changes(std::size_t mark);

  const Changes& values() const { return values_; }

 private:
  Changes values_;
  // The value that each assignment replaced; empty if the name was new.
  std::vector<std::pair<std::string, std::optional<Value>>> journal_;
};

}  // namespace lamarck::formula
