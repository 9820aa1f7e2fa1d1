// Anybody's text within HTML and XML.

#pragma once

#include <cstdint>
#include <string>
#include <string_view>

namespace lamarck::report {

// Safe between tags and within quoted attributes: & < > " ' are escaped,
// invalid UTF-8 becomes U+FFFD, and control characters, which XML forbids,
// become spaces.
std::string markup_text(std::string_view text);

// "1,234,567".
std::string grouped_digits(std::int64_t number);

}  // namespace lamarck::report
