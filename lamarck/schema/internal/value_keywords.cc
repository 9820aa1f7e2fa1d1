// type, enum and const.

#include <algorithm>
#include <array>
#include <cstdint>
#include <string>
#include <vector>
#include <fmt/core.h>
#include <nlohmann/json.hpp>

#include "lamarck/base/macros.h"
#include "lamarck/schema/internal/exact_number.h"
#include "lamarck/schema/internal/json_order.h"
#include "lamarck/schema/internal/keyword_table.h"
#include "lamarck/schema/internal/validation.h"

namespace lamarck::schema {
namespace {

struct TypeName {
  std::string_view name;
  std::string_view phrase;
  std::uint8_t bit;
};

// A whole number has both bits, so "type": "number" also accepts integers.
constexpr std::uint8_t kInteger = 1;
constexpr std::uint8_t kNumber = 2;
constexpr std::array kTypes = {
    TypeName{"integer", "an integer", kInteger},
    TypeName{"number", "a number", kNumber},
    TypeName{"string", "a string", 4},
    TypeName{"boolean", "true or false", 8},
    TypeName{"object", "an object", 16},
    TypeName{"array", "an array", 32},
    TypeName{"null", "null", 64},
};

std::uint8_t type_bits(const Json& value) {
  switch (value.type()) {
    case Json::value_t::string:
      return 4;
    case Json::value_t::boolean:
      return 8;
    case Json::value_t::object:
      return 16;
    case Json::value_t::array:
      return 32;
    case Json::value_t::null:
      return 64;
    default:
      if (!value.is_number()) return 0;
      return is_whole(value) ? kInteger | kNumber : kNumber;
  }
}

// "a", "a or b", "a, b or c".
std::string join_phrases(const std::vector<std::string>& phrases) {
  std::string text;
  for (std::size_t i = 0; i < phrases.size(); ++i) {
    if (i > 0) text += i + 1 == phrases.size() ? " or " : ", ";
    text += phrases[i];
  }
  return text;
}

class Type : public Keyword {
 public:
  explicit Type(std::uint8_t bits) : bits_(bits) {}

  bool accepts(const Json& value, Validation& validation) const override {
    if ((type_bits(value) & bits_) != 0) return true;
    return validation.refuse("type", [&] {
      return fmt::format("The value {} has the wrong type; it must be {}.",
                         describe_value(value), wanted());
    });
  }

 private:
  std::string wanted() const {
    std::vector<std::string> phrases;
    for (const TypeName& type : kTypes) {
      if ((bits_ & type.bit) != 0) phrases.emplace_back(type.phrase);
    }
    return join_phrases(phrases);
  }

  std::uint8_t bits_;
};

class Enum : public Keyword {
 public:
  // Keeps the given order for messages and a sorted copy for lookups.
  explicit Enum(std::vector<Json> values) : values_(std::move(values)) {
    std::ranges::stable_sort(
        sorted_ = values_,
        [](const Json& a, const Json& b) { return compare_values(a, b) < 0; });
  }

  bool accepts(const Json& value, Validation& validation) const override {
    const auto found = std::ranges::lower_bound(
        sorted_, value,
        [](const Json& a, const Json& b) { return compare_values(a, b) < 0; });
    if (found != sorted_.end() && equal_values(*found, value)) return true;
    return validation.refuse("enum", [&] {
      return fmt::format("The value {} is not allowed; it must be {}.",
                         describe_value(value), wanted());
    });
  }

 private:
  std::string wanted() const {
    constexpr std::size_t kMaxShown = 12;
    std::vector<std::string> phrases;
    for (const Json& value : values_) {
      if (phrases.size() == kMaxShown) break;
      phrases.push_back(describe_value(value));
    }
    if (values_.size() > kMaxShown) {
      phrases.push_back(
          fmt::format("one of {} more", values_.size() - kMaxShown));
    }
    return join_phrases(phrases);
  }

  std::vector<Json> values_;
  std::vector<Json> sorted_;  // For binary search.
};

class Const : public Keyword {
 public:
  explicit Const(Json value) : value_(std::move(value)) {}

  bool accepts(const Json& value, Validation& validation) const override {
    if (equal_values(value, value_)) return true;
    return validation.refuse("const", [&] {
      return fmt::format("The value {} is not allowed; it must be {}.",
                         describe_value(value), describe_value(value_));
    });
  }

 private:
  Json value_;
};

Result<std::uint8_t> type_bit(const Json& name, const SchemaBuilder& builder) {
  for (const TypeName& type : kTypes) {
    if (name.is_string() && name.get_ref<const std::string&>() == type.name) {
      return type.bit;
    }
  }
  return builder.wrong_form(
      "type",
      "\"string\", \"number\", \"integer\", \"boolean\", "
      "\"object\", \"array\", \"null\" or an array of these",
      name);
}

}  // namespace

Result<KeywordPtr> make_type(SchemaBuilder& builder) {
  const Json* value = builder.find("type");
  if (value == nullptr) return KeywordPtr();
  const Json names = value->is_array() ? *value : Json::array({*value});
  unsigned bits = 0;
  for (const Json& name : names) {
    ASSIGN_OR_RETURN(const std::uint8_t bit, type_bit(name, builder));
    bits |= bit;
  }
  if (bits == 0) {
    return builder.fault("type", "it must contain at least one type");
  }
  return KeywordPtr(std::make_unique<Type>(static_cast<std::uint8_t>(bits)));
}

Result<KeywordPtr> make_enum(SchemaBuilder& builder) {
  const Json* value = builder.find("enum");
  if (value == nullptr) return KeywordPtr();
  if (!value->is_array()) {
    return builder.wrong_form("enum", "an array of values", *value);
  }
  return KeywordPtr(
      std::make_unique<Enum>(value->get_ref<const Json::array_t&>()));
}

Result<KeywordPtr> make_const(SchemaBuilder& builder) {
  const Json* value = builder.find("const");
  if (value == nullptr) return KeywordPtr();
  return KeywordPtr(std::make_unique<Const>(*value));
}

}  // namespace lamarck::schema
