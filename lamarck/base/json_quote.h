// Text as a JSON string.

#pragma once

#include <string>
#include <string_view>

namespace lamarck {

// The same as dump_json(Json(text)), in a fraction of the time.
std::string quote_json(std::string_view text);

}  // namespace lamarck
