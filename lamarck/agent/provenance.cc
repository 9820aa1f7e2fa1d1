#include "lamarck/agent/provenance.h"

#include <algorithm>
#include <nlohmann/json.hpp>

#include "lamarck/base/ascii.h"
#include "lamarck/base/macros.h"
#include "lamarck/base/one_line.h"

namespace lamarck::agent {
namespace {

std::string lowered(std::string_view text) {
  std::string copy(text);
  std::ranges::transform(copy, copy.begin(), ascii::lower);
  return copy;
}

void collect_constants(const Json& schema, std::vector<Json>& constants) {
  if (schema.is_array()) {
    for (const Json& one : schema) collect_constants(one, constants);
  }
  if (!schema.is_object()) return;
  for (const auto& [name, value] : schema.items()) {
    if (name == "const" || name == "default") {
      constants.push_back(value);
    } else if (name == "enum" && value.is_array()) {
      constants.insert(constants.end(), value.begin(), value.end());
    } else {
      collect_constants(value, constants);
    }
  }
}

// Whether `text` contains the number as a whole: 12 is not in 123 or 12.5.
bool contains_number(const std::string& text, const std::string& number) {
  for (auto at = text.find(number); at != std::string::npos;
       at = text.find(number, at + 1)) {
    const bool starts =
        at == 0 || !(ascii::is_digit(text[at - 1]) || text[at - 1] == '.');
    const std::size_t end = at + number.size();
    const std::size_t next =
        end + (end < text.size() && text[end] == '.' ? 1 : 0);
    const bool ends = next == text.size() || !ascii::is_digit(text[next]);
    if (starts && ends) return true;
  }
  return false;
}

Result<void> check_value(const Json& value, const std::vector<Json>& constants,
                         const std::vector<std::string>& texts) {
  if (value.is_structured()) {
    for (const Json& one : value) {
      RETURN_IF_ERROR(check_value(one, constants, texts));
    }
    return {};
  }
  const bool is_number = value.is_number();
  if (!is_number && !value.is_string()) return {};
  if (std::ranges::find(constants, value) != constants.end()) return {};
  const std::string text =
      lowered(is_number ? dump_json(value) : value.get<std::string>());
  const bool is_known = std::ranges::any_of(texts, [&](const auto& source) {
    return is_number ? contains_number(source, text)
                     : source.find(text) != std::string::npos;
  });
  if (is_known) return {};
  return invalid_argument("The value " + in_quotes(text) +
                          " must come from the task, an earlier result or a "
                          "skill; it is in none of them.");
}

}  // namespace

Result<void> check_provenance(const Json& arguments, const Json& schema,
                              const std::vector<std::string>& texts) {
  std::vector<Json> constants;
  collect_constants(schema, constants);
  std::vector<std::string> sources;
  for (const std::string& text : texts) sources.push_back(lowered(text));
  return check_value(arguments, constants, sources);
}

}  // namespace lamarck::agent
