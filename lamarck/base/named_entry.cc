#include "lamarck/base/named_entry.h"

#include "lamarck/base/error.h"
#include "lamarck/base/one_line.h"
#include "lamarck/base/suggestion.h"

namespace lamarck {

void throw_unknown_name(std::string_view kind, std::string_view name,
                        std::span<const std::string> known_names) {
  const auto nearest = nearest_word(name, known_names);
  throw LogicError(
      Error(ErrorCode::NotFound,
            "There is no " + std::string(kind) + " " + in_quotes(name) +
                (nearest ? "; did you mean '" + *nearest + "'?" : "."),
            {{"kind", "not_found"}, {"name", std::string(name)}}));
}

}  // namespace lamarck
