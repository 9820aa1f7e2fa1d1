// The parts that pages about runs have in common.
//
// A page needs nothing else: styles and pictures are within it, there is no
// script, and it asks for no address. It follows the reader's choice of light
// or dark and fits a phone. It is well-formed XML too.

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

// Words are escaped in all of these; `content` and `body` are markup.
std::string report_section(std::string_view heading, std::string_view note,
                           std::string_view content);
// Shown large, side by side; nothing if there are none, as those below.
std::string report_tiles(const std::vector<ReportFact>& facts);
std::string report_facts(const std::vector<ReportFact>& facts);
std::string report_remarks(const std::vector<std::string>& remarks);

// The whole page.
std::string report_page(std::string_view title, std::string_view subtitle,
                        std::string_view body);

// Every k-th and the last, at most about `most` of them.
template <class T>
std::vector<T> thinned(const std::vector<T>& all, std::size_t most) {
  const std::size_t step = all.size() / most + 1;
  std::vector<T> some;
  for (std::size_t i = 0; i < all.size(); i += step) some.push_back(all[i]);
  if (!all.empty() && (all.size() - 1) % step != 0) some.push_back(all.back());
  return some;
}

}  // namespace lamarck::report
