# How everything of ours is compiled.

set(CMAKE_CXX_STANDARD 20)
set(CMAKE_CXX_STANDARD_REQUIRED ON)
set(CMAKE_CXX_EXTENSIONS OFF)

# No -march: a binary built here runs on every machine of the architecture, and
# fast code is chosen at run time. No contraction: a*b+c rounds alike everywhere.
# Fields left out are welcome: options structs are filled by name. g++ 12 warns
# falsely of -Wrestrict and -Wstringop-overflow when it optimises strings.
add_compile_options(-Wall -Wextra -Wshadow -Wconversion -Wnon-virtual-dtor
  -Woverloaded-virtual -Wno-missing-field-initializers -ffp-contract=off)
if(CMAKE_CXX_COMPILER_ID STREQUAL GNU)
  add_compile_options(-Wno-restrict -Wno-stringop-overflow)
endif()
# In a batch g++ treats sources as headers, and warns of classes with members from
# unnamed namespaces.
if(LAMARCK_UNITY AND CMAKE_CXX_COMPILER_ID STREQUAL GNU)
  add_compile_options(-Wno-subobject-linkage)
endif()
if(LAMARCK_WERROR)
  add_compile_options(-Werror)
endif()

if(LAMARCK_SANITIZE)
  # What AddressSanitizer sees anyway, or what x86 allows, is left out of UBSan:
  # more than half of its time.
  add_compile_options(-fsanitize=${LAMARCK_SANITIZE} -fno-omit-frame-pointer
    -fno-sanitize=null,object-size,vptr,alignment,return,pointer-overflow
    -fno-sanitize=nonnull-attribute,returns-nonnull-attribute
    -fno-sanitize-recover=all)
  # Calling the checks instead of inlining them cuts compile time by a third.
  if(LAMARCK_SANITIZE MATCHES address AND CMAKE_CXX_COMPILER_ID STREQUAL GNU)
    add_compile_options(--param asan-instrumentation-with-call-threshold=0)
  endif()
  # g++ takes the checks' own branches for ways past an initialisation.
  if(CMAKE_CXX_COMPILER_ID STREQUAL GNU)
    add_compile_options(-Wno-maybe-uninitialized)
  endif()
  add_link_options(-fsanitize=${LAMARCK_SANITIZE})
  # g++ 12 fails on vectors in structures (pass esra) when it also instruments
  # them for threads.
  if(LAMARCK_SANITIZE MATCHES thread AND CMAKE_CXX_COMPILER_ID STREQUAL GNU)
    add_compile_options(-fno-tree-sra)
  endif()
endif()

# Programs that are tested are linked again after every change; users' programs
# are not, and take the system's linker.
find_program(MOLD mold)
if(MOLD AND LAMARCK_TESTS AND CMAKE_CXX_COMPILER_ID STREQUAL GNU)
  add_link_options(-fuse-ld=mold)
endif()

find_program(CCACHE ccache)
if(CCACHE)
  # The base folder makes two clones of the repository share the cache.
  set(CMAKE_CXX_COMPILER_LAUNCHER ${CMAKE_COMMAND} -E env
    CCACHE_BASEDIR=${PROJECT_SOURCE_DIR} CCACHE_NOHASHDIR=1 ${CCACHE})
endif()
