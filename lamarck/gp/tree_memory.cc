#include "lamarck/gp/tree_memory.h"

#include <nlohmann/json.hpp>

namespace lamarck::gp {

bool TreeMemory::add(std::uint64_t hash) {
  if (!hashes_.insert(hash).second) return false;
  order_.push_back(hash);
  if (order_.size() > kCapacity) {
    hashes_.erase(order_.front());
    order_.pop_front();
  }
  return true;
}

Json TreeMemory::to_json() const {
  Json json = Json::array();
  for (const std::uint64_t hash : order_) json.push_back(hash);
  return json;
}

Result<TreeMemory> TreeMemory::from_json(const Json& json) {
  TreeMemory memory;
  const bool is_list = json.is_array();
  for (const Json& hash : is_list ? json : Json::array()) {
    if (!hash.is_number_unsigned()) continue;
    memory.add(hash.get<std::uint64_t>());
  }
  if (is_list && memory.size() == json.size()) return memory;
  return Error(ErrorCode::DataDamaged,
               "The memory of the engine 'tree' must be a list of distinct "
               "unsigned integers.");
}

}  // namespace lamarck::gp
