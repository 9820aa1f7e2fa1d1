# The page of `lamarck serve`: bundles web/ with esbuild and embeds it, compressed,
# into the library. Needs no Node. Without esbuild or the packages, the library is
# built without the page and says so at /.

# Adds the generated source page_files.cc to `target`.
function(lamarck_page target)
  set(folder ${PROJECT_BINARY_DIR}/page)
  set(packages ${PROJECT_SOURCE_DIR}/build/packages)
  find_program(ESBUILD esbuild)
  # Configures again once they are fetched.
  file(GLOB fetched CONFIGURE_DEPENDS ${packages}/*/.checksum
    ${packages}/@preact/*/.checksum)
  list(LENGTH fetched count)
  set(files ${folder}/page_files.cc)
  target_sources(${target} PRIVATE ${files})
  if(NOT ESBUILD OR count LESS 4)
    message(STATUS "Building without the page; for the page, run "
      "tools/install-deps page and build again.")
    file(REMOVE ${folder}/built)
    configure_file(${PROJECT_SOURCE_DIR}/cmake/no_page_files.cc.in ${files} COPYONLY)
    return()
  endif()
  file(GLOB_RECURSE sources CONFIGURE_DEPENDS ${PROJECT_SOURCE_DIR}/web/*)
  add_custom_command(OUTPUT ${files} ${folder}/built
    COMMAND ${CMAKE_COMMAND} -DESBUILD=${ESBUILD} -DPACKAGES=${packages}
      -DSOURCE=${PROJECT_SOURCE_DIR}/web -DFOLDER=${folder}
      -P ${PROJECT_SOURCE_DIR}/cmake/BundlePage.cmake
    DEPENDS ${sources} ${fetched} ${PROJECT_SOURCE_DIR}/cmake/BundlePage.cmake
    VERBATIM COMMENT "Bundling the page")
endfunction()
