# Finds the core of prometheus-cpp. Its own package also asks for the libraries of
# its HTTP server, which are not used. Defines PrometheusCore::PrometheusCore.

find_library(PrometheusCore_LIBRARY NAMES prometheus-cpp-core)
find_path(PrometheusCore_INCLUDE_DIR NAMES prometheus/registry.h)

include(FindPackageHandleStandardArgs)
find_package_handle_standard_args(PrometheusCore
  REQUIRED_VARS PrometheusCore_LIBRARY PrometheusCore_INCLUDE_DIR)

if(PrometheusCore_FOUND AND NOT TARGET PrometheusCore::PrometheusCore)
  add_library(PrometheusCore::PrometheusCore UNKNOWN IMPORTED)
  set_target_properties(PrometheusCore::PrometheusCore PROPERTIES
    IMPORTED_LOCATION ${PrometheusCore_LIBRARY}
    INTERFACE_INCLUDE_DIRECTORIES ${PrometheusCore_INCLUDE_DIR})
endif()
