// URI templates such as "thought://session/{id}/graph" (RFC 6570, level 1).

#pragma once

#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "lamarck/base/result.h"

namespace lamarck::mcp {

class UriTemplate {
 public:
  using Values = std::map<std::string, std::string>;

  // The error quotes the template.
  static Result<UriTemplate> parse(std::string_view text);

  // The percent-decoded values of the variables if `uri` matches. A value is
  // not empty and contains none of / ? #.
  std::optional<Values> match(std::string_view uri) const;

  const std::vector<std::string>& variables() const { return variables_; }

 private:
  UriTemplate() = default;

  std::vector<std::string> literals_;   // One more than variables.
  std::vector<std::string> variables_;  // Between the literals.
};

// nullopt if a '%' is not followed by two hex digits.
std::optional<std::string> percent_decoded(std::string_view text);

}  // namespace lamarck::mcp
