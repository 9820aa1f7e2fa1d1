# Finds RE2, whose packages do not always have CMake files. Defines RE2::RE2.

find_library(RE2_LIBRARY NAMES re2)
find_path(RE2_INCLUDE_DIR NAMES re2/re2.h)

include(FindPackageHandleStandardArgs)
find_package_handle_standard_args(RE2
  REQUIRED_VARS RE2_LIBRARY RE2_INCLUDE_DIR)

if(RE2_FOUND AND NOT TARGET RE2::RE2)
  add_library(RE2::RE2 UNKNOWN IMPORTED)
  set_target_properties(RE2::RE2 PROPERTIES
    IMPORTED_LOCATION ${RE2_LIBRARY}
    INTERFACE_INCLUDE_DIRECTORIES ${RE2_INCLUDE_DIR})
endif()
