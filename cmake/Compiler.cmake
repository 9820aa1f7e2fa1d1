# Compiler and linker flags of all targets.

set(CMAKE_CXX_STANDARD 20)
set(CMAKE_CXX_STANDARD_REQUIRED ON)
set(CMAKE_CXX_EXTENSIONS OFF)

# No -march: a binary built here runs on every machine of the architecture, and
# fast code is selected at run time. No contraction, so that a*b+c rounds the same
# everywhere. Options structs are filled by name, so missing fields are fine. g++
# 12 has false positives of -Wrestrict and -Wstringop-overflow in optimized string
# code.
add_compile_options(-Wall -Wextra -Wshadow -Wconversion -Wnon-virtual-dtor
  -Woverloaded-virtual -Wno-missing-field-initializers -ffp-contract=off)
if(CMAKE_CXX_COMPILER_ID STREQUAL GNU)
  add_compile_options(-Wno-restrict -Wno-stringop-overflow)
  # With -O2 it also believes that members of a moved variant or of a default
  # std::function are read uninitialized; dev keeps the warning.
  if(CMAKE_BUILD_TYPE STREQUAL Release)
    add_compile_options(-Wno-maybe-uninitialized)
  endif()
endif()
# In a unity batch g++ treats sources as headers and warns about classes with
# members from unnamed namespaces.
if(LAMARCK_UNITY AND CMAKE_CXX_COMPILER_ID STREQUAL GNU)
  add_compile_options(-Wno-subobject-linkage)
endif()
if(LAMARCK_WERROR)
  add_compile_options(-Werror)
endif()

if(LAMARCK_SANITIZE)
  # UBSan skips what AddressSanitizer detects anyway and what x86 allows, which
  # saves more than half of its time.
  add_compile_options(-fsanitize=${LAMARCK_SANITIZE} -fno-omit-frame-pointer
    -fno-sanitize=null,object-size,vptr,alignment,return,pointer-overflow
    -fno-sanitize=nonnull-attribute,returns-nonnull-attribute
    -fno-sanitize-recover=all)
  # Calling the checks instead of inlining them cuts compile time by a third.
  if(LAMARCK_SANITIZE MATCHES address AND CMAKE_CXX_COMPILER_ID STREQUAL GNU)
    add_compile_options(--param asan-instrumentation-with-call-threshold=0)
  endif()
  # The branches of the checks make g++ believe that an initialization is skipped.
  if(CMAKE_CXX_COMPILER_ID STREQUAL GNU)
    add_compile_options(-Wno-maybe-uninitialized)
  endif()
  add_link_options(-fsanitize=${LAMARCK_SANITIZE})
  # g++ 12 crashes on vectors in structures (pass esra) with ThreadSanitizer.
  if(LAMARCK_SANITIZE MATCHES thread AND CMAKE_CXX_COMPILER_ID STREQUAL GNU)
    add_compile_options(-fno-tree-sra)
  endif()
endif()

# The option of sources that dev compiles without optimization, because compiling
# them takes longer than running them. Sanitizers are slow enough, and CMake's
# Debug is dev.
if(NOT LAMARCK_SANITIZE)
  set(LAMARCK_UNOPTIMIZED_IN_DEV $<$<CONFIG:Debug>:-O0>)
endif()

# Tests are linked again after every change, so a fast linker pays off; release
# builds use the system's linker.
find_program(MOLD mold)
if(MOLD AND LAMARCK_TESTS AND CMAKE_CXX_COMPILER_ID STREQUAL GNU)
  add_link_options(-fuse-ld=mold)
endif()

find_program(CCACHE ccache)
if(CCACHE)
  # The base folder lets two clones of the repository share the cache.
  set(CMAKE_CXX_COMPILER_LAUNCHER ${CMAKE_COMMAND} -E env
    CCACHE_BASEDIR=${PROJECT_SOURCE_DIR} CCACHE_NOHASHDIR=1 ${CCACHE})
endif()
