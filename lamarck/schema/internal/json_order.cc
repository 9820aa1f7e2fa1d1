#include "lamarck/schema/internal/json_order.h"

#include <algorithm>
#include <cmath>
#include <string>
#include <vector>
#include <nlohmann/json.hpp>

#include "lamarck/schema/internal/exact_number.h"

namespace lamarck::schema {
namespace {

// NaN, which JSON text cannot contain, sorts before all numbers.
std::weak_ordering order_numbers(const Json& left, const Json& right) {
  const auto order = compare_numbers(left, right);
  if (order < 0) return std::weak_ordering::less;
  if (order > 0) return std::weak_ordering::greater;
  if (order == 0) return std::weak_ordering::equivalent;
  return std::isnan(right.get<double>()) <=> std::isnan(left.get<double>());
}

std::weak_ordering order_objects(const Json& left, const Json& right) {
  auto other = right.begin();
  for (auto member = left.begin(); member != left.end(); ++member, ++other) {
    if (const auto order = member.key() <=> other.key(); order != 0) {
      return order;
    }
    if (const auto order = compare_values(*member, *other); order != 0) {
      return order;
    }
  }
  return std::weak_ordering::equivalent;
}

std::weak_ordering order_arrays(const Json& left, const Json& right) {
  for (std::size_t i = 0; i < left.size(); ++i) {
    if (const auto order = compare_values(left[i], right[i]); order != 0) {
      return order;
    }
  }
  return std::weak_ordering::equivalent;
}

// The three number types of nlohmann count as one.
int type_rank(const Json& value) {
  return value.is_number() ? -1 : static_cast<int>(value.type());
}

}  // namespace

std::weak_ordering compare_values(const Json& left, const Json& right) {
  if (const auto order = type_rank(left) <=> type_rank(right); order != 0) {
    return order;
  }
  if (left.is_number()) return order_numbers(left, right);
  if (left.is_boolean()) return left.get<bool>() <=> right.get<bool>();
  if (left.is_string()) {
    return left.get_ref<const std::string&>() <=>
           right.get_ref<const std::string&>();
  }
  if (const auto order = left.size() <=> right.size(); order != 0) return order;
  if (left.is_object()) return order_objects(left, right);
  if (left.is_array()) return order_arrays(left, right);
  return std::weak_ordering::equivalent;
}

std::optional<std::pair<std::size_t, std::size_t>> equal_items(
    const Json& array) {
  std::vector<std::size_t> order(array.size());
  for (std::size_t i = 0; i < order.size(); ++i) order[i] = i;
  std::ranges::sort(order, [&](std::size_t left, std::size_t right) {
    const auto by_value = compare_values(array[left], array[right]);
    // Ties by position keep the reported pair stable.
    return by_value < 0 || (by_value == 0 && left < right);
  });
  for (std::size_t i = 1; i < order.size(); ++i) {
    if (equal_values(array[order[i - 1]], array[order[i]])) {
      return std::pair(order[i - 1], order[i]);
    }
  }
  return std::nullopt;
}

JsonExtent measure_extent(const Json& value, std::size_t max_depth) {
  std::vector<std::pair<const Json*, std::size_t>> open = {{&value, 0}};
  JsonExtent extent;
  while (!open.empty()) {
    const auto [next, depth] = open.back();
    open.pop_back();
    ++extent.value_count;
    if (!next->is_structured()) continue;
    if (depth >= max_depth) return {extent.value_count, true};
    for (const Json& child : *next) open.emplace_back(&child, depth + 1);
  }
  return extent;
}

}  // namespace lamarck::schema
