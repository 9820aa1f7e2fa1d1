#include "lamarck/llm/internal/embedding_protocol.h"

#include <fmt/format.h>

#include <cmath>
#include <nlohmann/json.hpp>

#include "lamarck/base/json.h"
#include "lamarck/base/one_line.h"
#include "lamarck/llm/internal/chat_protocol.h"

namespace lamarck::llm::internal {
namespace {

Error invalid_vectors(std::string_view what, std::string_view body) {
  return {ErrorCode::Unavailable,
          fmt::format("The model server sent invalid vectors ({}): {}.", what,
                      in_quotes(body))};
}

// Empty if any element is not a finite number.
std::vector<float> read_vector(const Json& json) {
  std::vector<float> vector;
  if (!json.is_array()) return vector;
  vector.reserve(json.size());
  for (const Json& number : json) {
    if (!number.is_number()) return {};
    vector.push_back(number.get<float>());
    if (!std::isfinite(vector.back())) return {};
  }
  return vector;
}

// Servers may list the vectors in any order. `otherwise` is used without an
// index.
std::size_t read_index(const Json& entry, std::size_t otherwise) {
  const auto found = entry.find("index");
  if (found == entry.end() || !found->is_number_unsigned()) return otherwise;
  return found->get<std::size_t>();
}

bool are_equally_long(const std::vector<std::vector<float>>& vectors) {
  for (const auto& vector : vectors) {
    if (vector.empty() || vector.size() != vectors[0].size()) return false;
  }
  return true;
}

}  // namespace

std::string embedding_body(const std::vector<std::string>& texts,
                           const std::string& model) {
  return dump_json(
      {{"model", model}, {"input", texts}, {"encoding_format", "float"}});
}

Result<WireVectors> parse_embedding_reply(std::string_view body,
                                          std::size_t count) {
  const auto json = parse_json(body, {.depth = 64});
  if (!json) return invalid_vectors("not JSON", body);
  const Json data = json->is_object() ? json->value("data", Json()) : Json();
  if (!data.is_array() || data.size() != count) {
    return invalid_vectors(fmt::format("expected {} vectors", count), body);
  }
  WireVectors reply{.vectors = std::vector<std::vector<float>>(count),
                    .usage = read_usage(*json)};
  for (std::size_t i = 0; i < count; ++i) {
    if (!data[i].is_object())
      return invalid_vectors("an entry is not an object", body);
    const std::size_t index = read_index(data[i], i);
    if (index >= count) return invalid_vectors("an index is too large", body);
    reply.vectors[index] = read_vector(data[i].value("embedding", Json()));
  }
  if (!are_equally_long(reply.vectors)) {
    return invalid_vectors("vectors are missing or differ in length", body);
  }
  return reply;
}

}  // namespace lamarck::llm::internal
