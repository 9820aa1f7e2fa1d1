// Building blocks of the HTML pages about runs.
//
// A page is one self-contained file: styles and pictures are embedded, and it
// has no scripts and loads nothing. It supports light and dark mode and small
// screens, and it is well-formed XML.

#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

namespace lamarck::report {

struct ReportFact {
  std::string name;
  std::string value;
};

// These functions escape all text, except `content` and `body`, which are
// markup.

// A card with a heading. `note` is one sentence below it; it may be empty.
std::string report_section(std::string_view heading, std::string_view note,
                           std::string_view content);
// The facts in large type, side by side.
std::string report_tiles(const std::vector<ReportFact>& facts);
// The facts as a table, "Run details". Empty without facts, like the others.
std::string report_facts(const std::vector<ReportFact>& facts);
// The remarks as a list, "Notes".
std::string report_remarks(const std::vector<std::string>& remarks);

// Returns a complete HTML page.
std::string report_page(std::string_view title, std::string_view subtitle,
                        std::string_view body);

// Returns every k-th element and the last one, about `max_count` at most, so
// that the page of a long run stays small. REQUIRES: max_count > 0.
template <class T>
std::vector<T> thinned(const std::vector<T>& all, std::size_t max_count) {
  const std::size_t step = all.size() / max_count + 1;
  std::vector<T> some;
  for (std::size_t i = 0; i < all.size(); i += step) some.push_back(all[i]);
  if (!all.empty() && (all.size() - 1) % step != 0) some.push_back(all.back());
  return some;
}

}  // namespace lamarck::report
