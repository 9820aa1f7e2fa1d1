// Finds literals in the words of a user and turns a request into the name,
// description and keywords of a skill.

#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "lamarck/base/json.h"

namespace lamarck::skills::internal {

// Where `literal` stands in `text` as whole words, ignoring case; npos if it
// does not.
std::size_t find_literal(std::string_view text, std::string_view literal,
                         std::size_t from = 0);
// Whether the request contains the string or number.
bool request_contains(std::string_view request, const Json& value);

// A literal of a request and the parameter that stands for it.
struct NamedLiteral {
  std::string literal;
  std::string parameter;
};
// "Refund order W1 of Ada" -> "Refund order (order id) of (name)".
std::string generalized_request(std::string_view request,
                                std::vector<NamedLiteral> literals);

// At most eight words without the placeholders, beginning with a verb; if the
// text has none, the verb of `last_tool`.
std::string skill_name(std::string_view generalized,
                       std::string_view last_tool);
std::vector<std::string> request_keywords(std::string_view generalized);
bool is_verb(std::string_view word);

// "order_id" and "orderId" -> "order id".
std::string spaced_words(std::string_view identifier);

}  // namespace lamarck::skills::internal
