// The files of the page that are embedded into the program; see
// cmake/Page.cmake.

#pragma once

#include <span>
#include <string_view>

namespace lamarck::server {

struct PageFile {
  std::string_view path;  // "/index.html", "/assets/main-4JX2.js".
  std::string_view tag;   // For the ETag header; quoted.
  std::string_view gzip;  // The compressed content.
};

// Empty if the program is built without the page.
std::span<const PageFile> page_files();

}  // namespace lamarck::server
