# OpenBLAS by its own name: `libblas` may be any implementation, and the
# reference one is many times slower. The serial build comes first: a graph uses
# one thread, and the others start a thread for each core in every program that
# is linked to them. Defines OpenBLAS::OpenBLAS.

find_library(OpenBLAS_LIBRARY NAMES openblas
  PATH_SUFFIXES ${CMAKE_LIBRARY_ARCHITECTURE}/openblas-serial openblas-serial
  PATHS /usr/lib NO_DEFAULT_PATH)
find_library(OpenBLAS_LIBRARY NAMES openblas)
find_path(OpenBLAS_INCLUDE_DIR NAMES openblas_config.h
  PATH_SUFFIXES ${CMAKE_LIBRARY_ARCHITECTURE}/openblas-serial
    ${CMAKE_LIBRARY_ARCHITECTURE}/openblas-pthread openblas)

include(FindPackageHandleStandardArgs)
find_package_handle_standard_args(OpenBLAS
  REQUIRED_VARS OpenBLAS_LIBRARY OpenBLAS_INCLUDE_DIR)

if(OpenBLAS_FOUND AND NOT TARGET OpenBLAS::OpenBLAS)
  add_library(OpenBLAS::OpenBLAS UNKNOWN IMPORTED)
  set_target_properties(OpenBLAS::OpenBLAS PROPERTIES
    IMPORTED_LOCATION ${OpenBLAS_LIBRARY}
    INTERFACE_INCLUDE_DIRECTORIES ${OpenBLAS_INCLUDE_DIR})
endif()
