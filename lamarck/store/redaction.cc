#include "lamarck/store/redaction.h"

#include <map>
#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "lamarck/base/ascii.h"
#include "lamarck/store/internal/named_secrets.h"
#include "lamarck/store/internal/plain_secrets.h"

namespace lamarck::store {
namespace {

using internal::MaybeSecret;
using internal::SecretName;
using internal::TextPlace;

MaybeSecret find_at(const TextPlace& place) {
  switch (place.text[place.at]) {
    case '<':
      return internal::find_private(place);
    case '-':
      return internal::find_private_key(place);
    case ':':
      if (const auto found = internal::find_url_password(place)) return found;
      return internal::find_assigned(place);
    case '=':
      return internal::find_assigned(place);
    case ' ':
      return internal::find_option_value(place);
    case '@':
      return internal::find_email(place);
    default:
      if (!ascii::is_letter(place.text[place.at])) return {};
      return internal::find_key_or_token(place);
  }
}

Json redacted_member(const std::string& name, const Json& value) {
  const SecretName* secret = internal::secret_name_in(name);
  const bool is_secret = secret != nullptr && value.is_string() &&
                         !value.get_ref<const std::string&>().empty();
  return is_secret ? Json(secret->placeholder) : redacted_json(value);
}

// Redacted member names of one object, made unique.
class ShownNames {
 public:
  // Returns the redacted name, with a number if `taken` already has it.
  std::string shown(const std::string& name, const Json& taken) {
    std::string result = redacted(name);
    if (!taken.contains(result)) return result;
    // Continuing after the last number keeps many equal names linear.
    int& number = numbers_.try_emplace(result, 1).first->second;
    const std::string begin = result;
    while (taken.contains(result)) {
      result = fmt::format("{} ({})", begin, ++number);
    }
    return result;
  }

 private:
  std::map<std::string, int, std::less<>> numbers_;
};

}  // namespace

// A single pass: the first character decides which patterns are tried, and
// every pattern examines a bounded piece of text.
std::string redacted(std::string_view text) {
  std::string result;
  result.reserve(text.size());
  TextPlace place{text};
  while (place.at < text.size()) {
    const MaybeSecret found = find_at(place);
    if (!found) {
      ++place.at;
      continue;
    }
    result += text.substr(place.floor, found->begin - place.floor);
    result += found->placeholder;
    place.at = place.floor = found->end;
  }
  result += text.substr(place.floor);
  return result;
}

Json redacted_json(const Json& json) {
  if (json.is_string()) return redacted(json.get_ref<const std::string&>());
  if (!json.is_structured()) return json;
  Json result = json.is_array() ? Json::array() : Json::object();
  if (json.is_array()) {
    for (const Json& entry : json) result.push_back(redacted_json(entry));
    return result;
  }
  ShownNames names;
  for (const auto& [name, value] : json.items()) {
    result[names.shown(name, result)] = redacted_member(name, value);
  }
  return result;
}

}  // namespace lamarck::store
