// Escapes untrusted text for HTML and XML.

#pragma once

#include <cstdint>
#include <string>
#include <string_view>

namespace lamarck::report {

// Makes text safe between tags and within quoted attributes: escapes & < > " ',
// replaces invalid UTF-8 by U+FFFD, and replaces control characters, which XML
// forbids, by spaces.
std::string markup_text(std::string_view text);

// Formats a number as "1,234,567".
std::string grouped_digits(std::int64_t number);

}  // namespace lamarck::report
