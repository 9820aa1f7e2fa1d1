#include "lamarck/formula/internal/value.h"

namespace lamarck::formula {

void Scope::assign(const std::string& name, Value value) {
  const auto place = values_.find(name);
  if (place == values_.end()) {
    journal_.emplace_back(name, std::nullopt);
    values_.emplace(name, std::move(value));
    return;
  }
  journal_.emplace_back(name, std::exchange(place->second, std::move(value)));
}

Scope::Changes Scope::take_changes(std::size_t mark) {
  Changes changes;
  // Backwards, so that each name ends up with its value at the mark.
  for (; journal_.size() > mark; journal_.pop_back()) {
    auto& [name, before] = journal_.back();
    const auto place = values_.find(name);
    changes.try_emplace(name, place->second);
    if (before) {
      place->second = std::move(*before);
    } else {
      values_.erase(place);
    }
  }
  return changes;
}

}  // namespace lamarck::formula
