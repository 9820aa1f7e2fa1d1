# Turns the folders of lamarck/ into targets. Files are found by their names, so
# adding one needs no change here.

# Sets `out` to the folders of lamarck/LAYERS, lowest first.
function(lamarck_folders out)
  set_property(DIRECTORY APPEND PROPERTY CMAKE_CONFIGURE_DEPENDS
    ${PROJECT_SOURCE_DIR}/lamarck/LAYERS)
  file(STRINGS ${PROJECT_SOURCE_DIR}/lamarck/LAYERS lines REGEX "^[a-z]+:")
  list(TRANSFORM lines REPLACE ":.*" "")
  set(${out} ${lines} PARENT_SCOPE)
endfunction()

# Sets `out` to the files of one folder that match `pattern`.
function(lamarck_glob out folder pattern)
  file(GLOB_RECURSE files CONFIGURE_DEPENDS
    ${PROJECT_SOURCE_DIR}/lamarck/${folder}/${pattern})
  set(${out} ${files} PARENT_SCOPE)
endfunction()

# Adds sources of one folder to `target`. They are compiled in batches of up to
# LAMARCK_UNITY files, so that a header is parsed once for many sources. Highway
# includes a source with kernels again for each instruction set, so these are
# compiled alone, and so are sources with definitions of their own. A batch
# includes its sources by relative path, unlike those of CMake's UNITY_BUILD, so
# that ccache finds the objects of another clone.
function(lamarck_add_sources target folder)
  set(place 0)
  set(batches)
  foreach(source ${ARGN})
    file(STRINGS ${source} kernels REGEX "hwy/foreach_target.h" LIMIT_COUNT 1)
    get_source_file_property(definitions ${source} COMPILE_DEFINITIONS)
    if(kernels OR definitions OR NOT LAMARCK_UNITY)
      target_sources(${target} PRIVATE ${source})
      continue()
    endif()
    math(EXPR batch "${place} / ${LAMARCK_UNITY}")
    math(EXPR place "${place} + 1")
    cmake_path(RELATIVE_PATH source BASE_DIRECTORY ${PROJECT_SOURCE_DIR})
    list(APPEND batches ${batch})
    string(APPEND text_${batch} "#include \"${source}\"\n")
  endforeach()
  list(REMOVE_DUPLICATES batches)
  foreach(batch ${batches})
    set(file ${PROJECT_BINARY_DIR}/batches/${target}/${folder}_${batch}.cc)
    file(CONFIGURE OUTPUT ${file} CONTENT "${text_${batch}}" @ONLY)
    target_sources(${target} PRIVATE ${file})
  endforeach()
endfunction()

# Adds the sources of the folders to `target`.
function(lamarck_sources target)
  foreach(folder ${ARGN})
    lamarck_glob(sources ${folder} *.cc)
    list(FILTER sources EXCLUDE REGEX
      "(_test|_bench|_fixture|_fuzz|/mpi_module|/main)\\.cc$")
    lamarck_add_sources(${target} ${folder} ${sources})
  endforeach()
endfunction()

# Adds the public headers of the folders to `target`. Private headers are in
# internal/, belong to tests, or define macros without our prefix; see
# docs/api.md.
function(lamarck_headers target)
  set(all_headers ${PROJECT_SOURCE_DIR}/lamarck/lamarck.h)
  foreach(folder ${ARGN})
    lamarck_glob(headers ${folder} *.h)
    list(FILTER headers EXCLUDE REGEX
      "/lamarck/${folder}/(.*/)?internal/|_fixture\\.h$|/base/(ensure|macros)\\.h$")
    list(APPEND all_headers ${headers})
  endforeach()
  target_sources(${target} PUBLIC FILE_SET HEADERS
    BASE_DIRS ${PROJECT_SOURCE_DIR} FILES ${all_headers})
endfunction()

# Registers the tests of a program, whose sources follow, with ctest: each one
# separately or, with sanitizers, which make starting a program slow, in four
# shards. Suites with Slow in their name get the label `slow`, and those with
# Postgres the label `database` and one entry for all of them, because they share
# a server; `make test` skips both.
function(lamarck_discover_tests target folder)
  set(database_tests)
  foreach(source ${ARGN})
    file(STRINGS ${source} found REGEX "Postgres" LIMIT_COUNT 1)
    list(APPEND database_tests ${found})
  endforeach()
  if(database_tests)
    add_test(NAME ${folder}.postgres COMMAND ${target}
      --gtest_filter=*Postgres* --gtest_brief=1)
    set_tests_properties(${folder}.postgres PROPERTIES LABELS database
      TIMEOUT 600)
  endif()
  gtest_discover_tests(${target} TEST_FILTER *Slow* TEST_PREFIX ${folder}.
    TEST_LIST ${target}_slow PROPERTIES LABELS slow TIMEOUT 600)
  if(NOT LAMARCK_SANITIZE)
    gtest_discover_tests(${target} TEST_FILTER -*Slow*:*Postgres*
      TEST_PREFIX ${folder}. PROPERTIES TIMEOUT 120)
    return()
  endif()
  foreach(shard RANGE 3)
    add_test(NAME ${folder}.shard${shard} COMMAND ${target}
      --gtest_filter=-*Slow*:*Postgres* --gtest_brief=1)
    set_tests_properties(${folder}.shard${shard} PROPERTIES TIMEOUT 900
      ENVIRONMENT "GTEST_TOTAL_SHARDS=4;GTEST_SHARD_INDEX=${shard}")
  endforeach()
endfunction()

# Adds the module that `mpirun lamarck ...` opens at run time, if this machine has
# MPI. Neither the library nor the program link to MPI.
function(lamarck_mpi_module)
  find_package(MPI QUIET COMPONENTS CXX)
  if(NOT MPI_CXX_FOUND)
    message(STATUS "Building without MPI; for MPI, run "
      "tools/install-deps mpi and build again.")
    return()
  endif()
  add_library(lamarck_mpi MODULE lamarck/crew/mpi_module.cc)
  target_include_directories(lamarck_mpi PRIVATE ${PROJECT_SOURCE_DIR})
  target_compile_features(lamarck_mpi PRIVATE cxx_std_20)
  target_compile_definitions(lamarck_mpi PRIVATE OMPI_SKIP_MPICXX)
  target_link_libraries(lamarck_mpi PRIVATE MPI::MPI_CXX)
  set_target_properties(lamarck_mpi PROPERTIES PREFIX ""
    LIBRARY_OUTPUT_DIRECTORY ${PROJECT_BINARY_DIR}/bin)
  install(TARGETS lamarck_mpi DESTINATION ${CMAKE_INSTALL_LIBDIR}/lamarck)
endfunction()

# Adds the library of fixtures: sources that only tests, benchmarks and fuzzers
# need.
function(lamarck_fixtures)
  set(all)
  foreach(folder ${ARGN})
    lamarck_glob(fixtures ${folder} *_fixture.cc)
    list(APPEND all ${fixtures})
  endforeach()
  if(all)
    add_library(lamarck_fixtures STATIC EXCLUDE_FROM_ALL ${all})
    target_link_libraries(lamarck_fixtures PUBLIC lamarck)
  else()
    add_library(lamarck_fixtures INTERFACE)
  endif()
endfunction()

# Sets `out` to whether a source of the folder starts threads or guards data
# against them.
function(lamarck_has_threads out folder)
  set(${out} OFF PARENT_SCOPE)
  lamarck_glob(sources ${folder} *.cc)
  lamarck_glob(headers ${folder} *.h)
  foreach(file ${sources} ${headers})
    file(STRINGS ${file} found LIMIT_COUNT 1 REGEX
      "std::(jthread|thread|async|mutex|shared_mutex|atomic|once_flag)|ThreadPool")
    if(found)
      set(${out} ON PARENT_SCOPE)
      return()
    endif()
  endforeach()
endfunction()

# Adds one unit test program for each folder with tests. ThreadSanitizer finds
# races only, so it gets the folders that deal with threads.
function(lamarck_unit_tests)
  include(GoogleTest)
  foreach(folder ${ARGN})
    lamarck_glob(tests ${folder} *_test.cc)
    if(tests AND LAMARCK_SANITIZE STREQUAL "thread")
      lamarck_has_threads(has_threads ${folder})
      if(NOT has_threads)
        message(STATUS "No threads in ${folder}: not tested with ThreadSanitizer")
        continue()
      endif()
    endif()
    if(tests)
      set(target ${folder}_tests)
      add_executable(${target})
      lamarck_add_sources(${target} ${folder} ${tests})
      target_link_libraries(${target} PRIVATE lamarck_fixtures lamarck
        rapidcheck GTest::gtest GTest::gtest_main)
      if(folder STREQUAL cli)
        target_link_libraries(${target} PRIVATE lamarck_cli CLI11::CLI11)
      endif()
      lamarck_discover_tests(${target} ${folder} ${tests})
    endif()
  endforeach()
endfunction()

# Adds one benchmark program for each folder with benchmarks; `make bench` runs
# all.
function(lamarck_benchmarks)
  foreach(folder ${ARGN})
    lamarck_glob(sources ${folder} *_bench.cc)
    if(sources)
      add_executable(${folder}_bench ${sources})
      target_link_libraries(${folder}_bench PRIVATE lamarck_fixtures lamarck
        machine_limits
        benchmark::benchmark benchmark::benchmark_main)
      set_target_properties(${folder}_bench PROPERTIES
        RUNTIME_OUTPUT_DIRECTORY ${PROJECT_BINARY_DIR}/bench)
    endif()
  endforeach()
endfunction()

# Adds one libFuzzer program for each `_fuzz.cc`, named after its file; `make fuzz`
# runs all. The target `fuzzers` builds them.
function(lamarck_fuzzers)
  add_custom_target(fuzzers)
  foreach(folder ${ARGN})
    lamarck_glob(sources ${folder} *_fuzz.cc)
    foreach(source ${sources})
      cmake_path(GET source STEM target)
      add_executable(${target} EXCLUDE_FROM_ALL ${source})
      target_link_libraries(${target} PRIVATE lamarck_fixtures lamarck)
      target_link_options(${target} PRIVATE -fsanitize=fuzzer)
      set_target_properties(${target} PROPERTIES
        RUNTIME_OUTPUT_DIRECTORY ${PROJECT_BINARY_DIR}/bin)
      add_dependencies(fuzzers ${target})
    endforeach()
  endforeach()
endfunction()
