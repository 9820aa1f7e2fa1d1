// The values that a request and earlier results contain: the only ones that a
// small model may use as arguments, because it cannot be trusted to invent any.

#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "lamarck/base/json.h"

namespace lamarck::text {

struct ValueLiterals {
  std::vector<std::string> texts;    // Distinct, in order of occurrence.
  std::vector<std::string> numbers;  // As JSON writes them.

  void add_text(std::string text);
  void add_number(std::string number);
  // Quoted texts, numbers ("1,200", "three"), and runs of up to 12 words that
  // no preposition or conjunction joins, except in a clause that ends a phrase.
  void add_request(std::string_view request);
  // All strings and numbers of a JSON value.
  void add_result(const Json& result);
};

}  // namespace lamarck::text
